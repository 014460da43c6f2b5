import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"

    static let informational: [ConformanceCase] = [
        ConformanceCase("Informational responses do not affect the final one") { context in
            try await context.serve(.answer("HTTP/1.1 102 Processing\r\n\r\n" + hints + Script.ok)) { bench in
                let answer = try await bench.answer()
                #expect(answer.status == 200)
                #expect(answer.text == "ok")
                #expect(answer["Link"] == nil)
            }
        },
        ConformanceCase("Informational responses are reported in order") { context in
            let seen = Watched<[Int]>([])
            try await context.serve(.answer("HTTP/1.1 102 Processing\r\n\r\n" + hints + Script.ok)) { bench in
                var request = bench.request()
                request.onInformational = { response in seen.update { $0.append(response.status.code) } }
                let answer = try await bench.answer(request)
                #expect(seen.value == [102, 103])
                #expect(answer.response.informational.map(\.status.code) == [102, 103])
                let link = try #require(HTTPField.Name("Link"))
                #expect(answer.response.informational.last?.headerFields[link] == "</style.css>; rel=preload")
            }
        },
        ConformanceCase("An informational response is reported before the final one is received") { context in
            let seen = Signal()
            try await context.serve([.receiveRequest, .send(hints), .waitFor(seen), .send(Script.ok)]) { bench in
                var request = bench.request(timeouts: Timeouts(total: .patience))
                request.onInformational = { _ in seen.fire() }
                try await bench.expectText("ok", from: request)
            }
        },
        ConformanceCase("Endless informational responses are refused") { context in
            let script: Script = [.receiveRequest, .repeating([.send("HTTP/1.1 102 Processing\r\n\r\n")], times: 1000)]
            try await context.serve(script) { bench in
                await expectFailure(.invalidResponse, .responseTooLarge) { try await bench.answer() }
            }
        },
        ConformanceCase("An unrequested protocol switch is refused") { context in
            let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: upgrade\r\n\r\n"
            try await context.serve([.receiveRequest, .send(switching), .stall]) { bench in
                await expectFailure(.invalidResponse) { try await bench.answer() }
                try await bench.server.waitForOpenConnections(0)
            }
        },
    ]
}
