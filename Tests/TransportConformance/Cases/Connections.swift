import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    /// Reported connection properties, and address overrides.
    static let connections: [ConformanceCase] = [
        ConformanceCase("The response states the HTTP version", .http1Only("it tests HTTP/1.1 and HTTP/1.0")) {
            context in
            let old = "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"
            try await context.serve(.answer()) { bench in
                let first = try await bench.answer()
                #expect(first.response.connection.httpVersion == .http1_1)
            }
            try await context.serve(.answer(old)) { bench in
                let answer = try await bench.answer()
                #expect(answer.response.connection.httpVersion == .http1_0)
            }
        },
        ConformanceCase("The response states that it was received over HTTP/2", .http2Only) { context in
            try await context.serve(.answer()) { bench in
                let answer = try await bench.answer()
                #expect(answer.response.connection.httpVersion == .http2)
            }
        },
        ConformanceCase("The response states the time to its first byte") { context in
            try await context.serve(.answer()) { bench in
                let time = try #require(try await bench.answer().response.connection.firstByte)
                #expect(time > .zero)
                #expect(time < .patience)
            }
        },
        ConformanceCase("The response states the peer's address") { context in
            try await context.serve(.answer()) { bench in
                let answer = try await bench.answer()
                #expect(answer.response.connection.remoteAddress == bench.authority)
            }
        },
        ConformanceCase("The response states whether its connection was reused, and the times of a new one") {
            context in
            try await context.serve(.answers(2)) { bench in
                let first = try await bench.answer().response.connection
                #expect(!first.isReused)
                #expect(first.connect != nil)
                #expect((first.tls == nil) == (bench.scheme == "http"))
                let second = try await bench.answer().response.connection
                #expect(second.isReused)
                #expect(second.connect == nil)
            }
        },
        ConformanceCase(
            "An address override is used, and the Host field is unchanged",
            .http1Only("it uses no HTTP/2 front")
        ) { context in
            try await withScriptedServer([.answer()]) { server in
                let override = AddressOverride(host: "api.sallyport.test", port: server.port, addresses: ["127.0.0.1"])
                let transport = context.makeTransport(TransportConfiguration(addressOverrides: [override]))
                defer { transport.close() }
                let address = Bench.Address(server: server, scheme: "http", port: server.port)
                let bench = Bench(address: address, transport: transport, wire: .http1)
                var request = bench.request()
                request.head.authority = "api.sallyport.test:\(server.port)"
                try await bench.expectText("ok", from: request)
                #expect(server.requests.first?["Host"] == ["api.sallyport.test:\(server.port)"])
            }
        },
        ConformanceCase("An address override for another port is not used") { context in
            let override = AddressOverride(host: "name.invalid", port: 1, addresses: ["127.0.0.1"])
            let configuration = TransportConfiguration(addressOverrides: [override])
            try await context.serve(.answer(), configuration: configuration) { bench in
                var request = bench.request()
                request.head.authority = "name.invalid:\(bench.port)"
                await expectFailure(.hostNotFound) { try await bench.answer(request) }
            }
        },
    ]
}
