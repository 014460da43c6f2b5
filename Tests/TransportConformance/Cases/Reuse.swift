import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let reuse: [ConformanceCase] = [
        ConformanceCase("Consecutive exchanges share a connection") { context in
            try await context.serve(.answers(100)) { bench in
                for _ in 0..<100 { try await bench.expectText("ok") }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("Requests with bodies share a connection") { context in
            try await context.serve(.answers(3)) { bench in
                _ = try await bench.answer(bench.request(.post, body: .data(Data("one".utf8))))
                _ = try await bench.answer(bench.request(.post, body: .texts("two")))
                _ = try await bench.answer(bench.request(.post, body: .texts("three", length: 5)))
                #expect(bench.server.requests.map(\.bodyText) == ["one", "two", "three"])
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase(
            "A connection is not reused after Connection: close",
            .http1Only("HTTP/2 has no Connection field")
        ) { context in
            let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
            try await context.serve(.answer(last)) { bench in
                _ = try await bench.answer()
                try await bench.server.waitForOpenConnections(0)
                _ = try await bench.answer()
                #expect(bench.server.acceptedConnections == 2)
            }
        },
        ConformanceCase(
            "Excess bytes after a response close the connection",
            .http1Only("HTTP/2 frames delimit responses")
        ) { context in
            try await context.serve(.answer(Script.ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .answer())
            {
                bench in
                try await bench.expectText("ok")
                try await bench.expectText("ok")
                #expect(bench.server.acceptedConnections == 2)
            }
        },
        ConformanceCase("Concurrent calls have separate connections") { context in
            let proceed = Signal()
            try await context.serve([.receiveRequest, .waitFor(proceed), .send(Script.ok)]) { bench in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try await bench.expectText("ok") }
                    }
                    for index in 0..<4 { try await bench.server.connection(index).waitUntilReceived("\r\n\r\n") }
                    proceed.fire()
                    try await group.waitForAll()
                }
                #expect(bench.server.acceptedConnections == 4)
            }
        },
        ConformanceCase("A connection is reused after a body was read to its end") { context in
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
            try await context.serve(.answers(2, chunked)) { bench in
                _ = try await bench.answer()
                _ = try await bench.answer()
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase(
            "Calls wait when a host has its maximum of connections",
            .http1Only("many calls share an HTTP/2 connection")
        ) { context in
            let configuration = TransportConfiguration(connections: ConnectionLimits(perHost: 2))
            try await context.serve(.answers(20), configuration: configuration) { bench in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await bench.expectText("ok") }
                    }
                    try await group.waitForAll()
                }
                #expect(bench.server.acceptedConnections <= 2)
                #expect(bench.server.requests.count == 20)
            }
        },
        ConformanceCase(
            "A call that waits too long for a connection times out in the queue phase",
            .http1Only("many calls share an HTTP/2 connection")
        ) { context in
            let configuration = TransportConfiguration(connections: ConnectionLimits(perHost: 1))
            try await context.serve([.receiveRequest, .stall], configuration: configuration) { bench in
                let first = Task { try await bench.answer() }
                defer { first.cancel() }
                try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
                let second = bench.request(timeouts: Timeouts(total: .milliseconds(150)))
                await expectFailure(.timeout, phase: .queue) { try await bench.answer(second) }
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("An idle connection is closed after its timeout") { context in
            let configuration = TransportConfiguration(connections: ConnectionLimits(idle: .milliseconds(50)))
            try await context.serve(.answers(2), configuration: configuration) { bench in
                _ = try await bench.answer()
                try await bench.server.waitForOpenConnections(0)
                try await bench.expectText("ok")
            }
        },
    ]
}
