import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RetryWireTests {
    private static let ready = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"

    private func retrying(_ configure: (inout RetryPolicy) -> Void = { _ in }) -> HttpClient {
        HttpClient.createClient { config in
            var policy = RetryPolicy.constant(attempts: 3, delay: .zero)
            configure(&policy)
            config.retry = policy
        }
    }

    @Test func `A connection that breaks before or during the response is replaced`() async throws {
        let scripts: [[ScriptStep]] = [
            [.receiveHead, .reset], [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nth"), .close],
            [.receiveHead, .send(Self.ready)],
        ]
        try await withScriptedServer(scripts) { server in
            let response = try await retrying().request { $0.url = "http://\(server.authority)/" }
            #expect(response.bodyAsString() == "there")
            #expect(response.attempts == 3)
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test func `A one-shot body cut off during the upload is not sent again`() async throws {
        let scripts: [[ScriptStep]] = [
            [.receiveHead, .receive(until: "half"), .reset], [.receiveHead, .send(Self.ready)],
        ]
        try await withScriptedServer(scripts) { server in
            let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data("half".utf8))
            await expectError(\NetworkError.kind, "connectionLost") {
                try await retrying().request { request in
                    request.url = "http://\(server.authority)/"
                    request.body = .stream(BodyStream(chunks))
                    request.setMethod(.put)
                }
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `A replayable body is sent in full on each connection`() async throws {
        let again = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy"
        let scripts: [[ScriptStep]] = [
            [.receiveRequest, .send(again), .close], [.receiveRequest, .reset], [.receiveRequest, .send(Self.ready)],
        ]
        try await withScriptedServer(scripts) { server in
            let response = try await retrying().request { request in
                request.url = "http://\(server.authority)/"
                request.put(contentType: "text/plain", body: "whole")
            }
            #expect(response.attempts == 3)
            #expect(server.connections.allSatisfy { $0.receivedText.hasSuffix("\r\n\r\nwhole") })
        }
    }

    @Test func `A request to a silent server is retried after the attempt timeout`() async throws {
        let ready = Array(repeating: [ScriptStep.receiveHead, .send(Self.ready)], count: 20)
        try await withScriptedServer([[.receiveHead, .stall]] + ready) { server in
            // Enough attempts for a machine that runs all other tests at the same time.
            let client = retrying { policy in
                policy.attempts = 20
                policy.attemptTimeout = .seconds(1)
            }
            let response = try await client.request { request in
                request.url = "http://\(server.authority)/"
                request.timeout = 60
            }
            #expect(response.bodyAsString() == "there")
            #expect(response.attempts > 1)
        }
    }
}
