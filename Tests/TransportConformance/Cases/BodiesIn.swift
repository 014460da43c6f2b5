import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let large = 64 * 65_536

    static let bodiesIn: [ConformanceCase] = [
        ConformanceCase("A large body is received completely and in order") { context in
            let bytes = (0..<large).map { UInt8(truncatingIfNeeded: ($0 >> 8) &* 7 &+ $0) }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(large)\r\n\r\n"
            try await context.serve([.receiveRequest, .send(head), .sendBytes(bytes)]) { bench in
                let answer = try await bench.answer()
                #expect(answer.body.elementsEqual(bytes))
            }
        },
        ConformanceCase("The head is delivered before the body is received") { context in
            let proceed = Signal()
            let script: Script = [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .waitFor(proceed),
                .send("late"),
            ]
            try await context.serve(script) { bench in
                let text = try await bench.transport.send(bench.request()) { response in
                    #expect(response.head.status == .ok)
                    proceed.fire()
                    return String(decoding: try await response.body.collect(upTo: 10), as: UTF8.self)
                }
                #expect(text == "late")
            }
        },
        ConformanceCase("A chunk is delivered before the next one is received") { context in
            let proceed = Signal()
            let script: Script = [
                .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsoon"), .waitFor(proceed),
                .send("late"),
            ]
            try await context.serve(script) { bench in
                try await bench.transport.send(bench.request()) { response in
                    var text = ""
                    for try await chunk in response.body {
                        #expect(!chunk.isEmpty)
                        text += String(decoding: chunk, as: UTF8.self)
                        if text == "soon" { proceed.fire() }
                    }
                    #expect(text == "soonlate")
                }
            }
        },
        ConformanceCase("After its end a body returns nothing") { context in
            try await context.serve(.answer()) { bench in
                try await bench.transport.send(bench.request()) { response in
                    var iterator = response.body.makeAsyncIterator()
                    while try await iterator.next() != nil {}
                    #expect(try await iterator.next() == nil)
                    #expect(try await response.body.collect(upTo: 10).isEmpty)
                }
            }
        },
        ConformanceCase("A body longer than the caller's limit is refused, and the connection is closed") { context in
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n"
            try await context.serve([.receiveRequest, .send(head), .stall]) { bench in
                await expectFailure(.responseTooLarge, phase: .body) {
                    try await bench.transport.send(bench.request()) { response in
                        try await response.body.collect(upTo: 19)
                    }
                }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("The connection of an unread body is closed") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nstart"
            try await context.serve([.receiveRequest, .send(head), .stall]) { bench in
                let status = try await bench.transport.send(bench.request()) { $0.head.status.code }
                #expect(status == 200)
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A body cannot be read after its scope has ended") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nstart"
            try await context.serve([.receiveRequest, .send(head), .stall]) { bench in
                let body = try await bench.transport.send(bench.request()) { $0.body }
                await expectFailure(.cancelled) { try await body.collect(upTo: 10) }
            }
        },
        ConformanceCase("Reading a cancelled body fails, and its connection is closed") { context in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nstart"
            try await context.serve([.receiveRequest, .send(head), .stall]) { bench in
                try await bench.transport.send(bench.request()) { response in
                    response.body.cancel()
                    await expectFailure(.cancelled) { try await response.body.collect(upTo: 10) }
                    try await bench.server.waitForOpenConnections(0)
                }
            }
        },
    ]
}
