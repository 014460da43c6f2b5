import ClientTestSupport
import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportGateway
@testable import SallyportResource

/// A proxy that terminates TLS keeps a sealed POST, which it can forward, and claims that the server has not processed it.
@Suite(.concurrencyLimited) struct ForgedRefusalsTests {
    /// Opens sessions as the server does. Other requests are sent.
    private struct Handshakes: Interceptor {
        let server: GatewayPayloadEncryption

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            guard request.action?.type == .openPayloadSession, case .data(let message) = request.body else {
                return try await next(request)
            }
            let answer = try server.open(String(decoding: message, as: UTF8.self), from: "")
            return HttpResponse(status: .ok, body: Data(answer.utf8), request: request)
        }
    }

    /// A client that retries all failures, and the number of its retries.
    private struct Bench {
        let client: HttpClient
        let url: String
        private let count = Locked(0)

        var retries: Int { count.withLock { $0 } }

        init(port: Int, _ versions: HTTPVersionPolicy = .automatic) throws {
            let key = try PayloadKey.generate(on: .x25519)
            let url = "http://127.0.0.1:\(port)"
            let encryption = PayloadEncryption(
                try PayloadServerKey([key.publicKey]),
                for: try OriginSet([url]),
                handshakeURL: url + GatewayPayloadEncryption.handshakePath
            )
            let handshakes = Handshakes(server: try GatewayPayloadEncryption(keys: [key]))
            self.url = url
            client = HttpClient.createClient { [count] config in
                config.httpVersions = versions
                config.sealing = [encryption]
                config.addWireInterceptor(handshakes)
                config.retry = .all
                config.onRetry { _ in count.withLock { $0 += 1 } }
            }
        }

        func post() async throws {
            _ = try await client.request { request in
                request.url = url + "/pay"
                request.post(contentType: "text/plain", body: "the amount is 5")
            }
        }
    }

    @Test func `GOAWAY does not make a POST that cannot be sent on another connection retryable`() async throws {
        let isStopped = Signal()
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .waitFor(isStopped), .send(.goAway(last: 0))]
        try await withScriptedHTTP2Server([script]) { server in
            try await withCountingProxy(toPort: server.port, count: { _ in }) { proxy in
                let bench = try Bench(port: proxy.port, .http2)
                defer { bench.client.close() }
                async let error = expectError(\NetworkError.kind, "connectionFailed") { try await bench.post() }
                try await server.connection(0).waitForStream(1, "the request") { $0.isEnded }
                try await proxy.stopListening()
                isStopped.fire()
                #expect(await error?.failure.mayHaveBeenSentEarlier == true)
                #expect(bench.retries == 0)
            }
        }
    }

    @Test func `A refused stream is repeated with the same counter, which the server accepts once`() async throws {
        let script: HTTP2Script =
            .greeting() + [.repeating([.receiveRequest(.next), .resetStream(.current, 7)], times: 10)]
        try await withScriptedHTTP2Server([script]) { server in
            let bench = try Bench(port: server.port, .http2)
            defer { bench.client.close() }
            await expectError(\NetworkError.kind, "connectionLost") { try await bench.post() }
            #expect(bench.retries == 0)
            let streams = server.connections.flatMap(\.streams)
            #expect(streams.count == 4)
            #expect(Set(streams.flatMap { $0["payload-encryption"] }).count == 1)
        }
    }

    @Test(arguments: [ScriptStep.close, .reset])
    func `A POST is not sent again if its connection is closed before the response`(end: ScriptStep) async throws {
        try await withScriptedServer([[.receiveRequest, end]]) { server in
            let bench = try Bench(port: server.port)
            defer { bench.client.close() }
            await expectError(\NetworkError.kind, "connectionLost") { try await bench.post() }
            #expect(bench.retries == 0)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [408, 421, 425, 429, 503])
    func `A POST is not sent again after an unencrypted response that invites to`(status: Int) async throws {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            guard request.path == "/pay" else { return }
            response = .text("busy", status: status)
            response.headers[.retryAfter] = "0"
        }
        let client = try fixture.client { $0.retry = .all }
        let error = await expectError(\NetworkError.kind, "invalidResponse") {
            try await client.request { request in
                request.url = PayloadFixture.url + "/pay"
                request.post(contentType: "text/plain", body: "the amount is 5")
            }
        }
        #expect(error?.payload == .notEncrypted(status: status))
        #expect(fixture.messages.count == 1)
    }

    @Test func `A PUT that the policy does not repeat is not sent a third time if its second attempt cannot connect`()
        async throws
    {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            guard request.path == "/pay" else { return }
            let isFirst = fixture.messages.count == 1
            let refusal = MockResponse(status: .badRequest, headers: [.payloadEncryptionError: "replayed"])
            response = isFirst ? refusal : .fail(.connectionFailed("x"))
        }
        var policy = RetryPolicy.all
        policy.methods = [.get]
        let client = try fixture.client { $0.retry = policy }
        let error = await expectError(\NetworkError.kind, "connectionFailed") {
            try await client.request { request in
                request.url = PayloadFixture.url + "/pay"
                request.put(contentType: "text/plain", body: "the amount is 5")
            }
        }
        #expect(error?.failure.mayHaveBeenSentEarlier == true)
        #expect(fixture.messages.count == 2)
    }

    @Test func `A POST of which nothing was sent is retried`() async throws {
        try await withSilentPort { port in
            let bench = try Bench(port: port)
            defer { bench.client.close() }
            let error = await expectError(\NetworkError.kind, "connectionFailed") { try await bench.post() }
            #expect(error?.failure.mayHaveBeenSentEarlier == false)
            #expect(bench.retries == 2)
        }
    }
}

extension RetryPolicy {
    /// Three attempts after all kinds of failures.
    fileprivate static var all: RetryPolicy {
        var policy = RetryPolicy.constant(attempts: 3, delay: .zero)
        policy.errors = Set(ErrorKind.allCases)
        policy.statuses.formUnion([421, 425])
        return policy
    }
}
