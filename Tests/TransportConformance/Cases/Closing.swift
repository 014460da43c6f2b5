import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let closing: [ConformanceCase] = [
        ConformanceCase("Closing the transport fails a call that waits for its head, and every later call") { context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                let call = Task { try await bench.answer() }
                try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
                bench.transport.close()
                await expectFailure(.clientClosed) { try await call.value }
                await expectFailure(.clientClosed) { try await bench.answer() }
                try await bench.server.waitForOpenConnections(0)
                #expect(bench.server.acceptedConnections == 1)
            }
        },
        ConformanceCase("Closing the transport fails a call that reads its body") { context in
            let start = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nstart"
            try await context.serve([.receiveRequest, .send(start), .stall]) { bench in
                await expectFailure(.clientClosed) {
                    try await bench.transport.send(bench.request()) { response in
                        bench.transport.close()
                        return try await response.body.collect(upTo: 100)
                    }
                }
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("Closing the transport closes idle connections") { context in
            try await context.serve(.answers(2)) { bench in
                _ = try await bench.answer()
                bench.transport.close()
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("A transport can be closed twice and shut down after closing") { context in
            try await context.serve(.answer()) { bench in
                bench.transport.close()
                bench.transport.close()
                await bench.transport.shutdown(grace: .seconds(1))
                await expectFailure(.clientClosed) { try await bench.answer() }
                #expect(bench.server.acceptedConnections == 0)
            }
        },
        ConformanceCase("Shutting down closes idle connections and returns") { context in
            try await context.serve(.answers(2)) { bench in
                _ = try await bench.answer()
                await bench.transport.shutdown(grace: .patience)
                try await bench.server.waitForOpenConnections(0)
                await expectFailure(.clientClosed) { try await bench.answer() }
            }
        },
        ConformanceCase("Shutting down lets running calls finish and refuses new ones") { context in
            let proceed = Signal()
            try await context.serve([.receiveRequest, .waitFor(proceed), .send(Script.ok)], .answers(100_000)) {
                bench in
                async let first = bench.answer("/first")
                try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
                async let end: Void = bench.transport.shutdown(grace: .patience)
                await expectFailure(.clientClosed) {
                    while try await bench.answer("/later").status == 200 {}
                }
                proceed.fire()
                #expect(try await first.text == "ok")
                await end
                try await bench.server.waitForOpenConnections(0)
            }
        },
        ConformanceCase("Shutting down fails calls that exceed the grace period") { context in
            try await context.serve([.receiveRequest, .stall]) { bench in
                let call = Task { try await bench.answer() }
                try await bench.server.connection(0).waitUntilReceived("\r\n\r\n")
                await bench.transport.shutdown(grace: .milliseconds(100))
                await expectFailure(.clientClosed) { try await call.value }
                try await bench.server.waitForOpenConnections(0)
            }
        },
    ]
}
