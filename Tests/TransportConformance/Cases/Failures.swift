import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

extension ConformanceCase {
    static let failures: [ConformanceCase] = [
        ConformanceCase("A port without a listener is a connection failure") { context in
            try await withSilentPort { port in
                try await context.serve([]) { bench in
                    var request = bench.request()
                    request.head.authority = "127.0.0.1:\(port)"
                    let failure = await expectFailure(.connectionFailed) { [request] in
                        try await bench.answer(request)
                    }
                    #expect(failure?.mayHaveBeenSentEarlier == false)
                }
            }
        },
        ConformanceCase("An unknown host is reported as not found") { context in
            try await context.serve([]) { bench in
                var request = bench.request()
                request.head.authority = "name.invalid"
                let failure = await expectFailure(.hostNotFound) { try await bench.answer(request) }
                #expect(failure?.description.contains("name.invalid") == true)
            }
        },
        ConformanceCase("An error contains the request and the phase, and no secrets") { context in
            try await context.serve([.receiveRequest, .close]) { bench in
                let request = bench.request(.get, "/path?token=hunter2", fields: [.authorization: "Bearer s3cret"])
                let failure = await expectFailure(.connectionLost, phase: .head) { try await bench.answer(request) }
                #expect(failure?.request == "GET \(bench.scheme)://\(bench.authority)/path?…")
                #expect(failure?.description.contains("hunter2") == false)
                #expect(failure?.description.contains("s3cret") == false)
            }
        },
        ConformanceCase("A transport is usable after a failure") { context in
            try await context.serve([.receiveRequest, .reset], .answer()) { bench in
                await expectFailure(.connectionLost) { try await bench.answer() }
                try await bench.expectText("ok")
            }
        },
    ]
}
