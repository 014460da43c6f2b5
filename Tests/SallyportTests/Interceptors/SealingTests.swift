import ClientTestSupport
import Crypto
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct SealingTests {
    /// Encrypts bodies, and decrypts those of responses. The ciphertext is in base64, so that it appears in logs of forms.
    private struct Sealing: Interceptor {
        let key: SymmetricKey

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            guard case .data(let body) = request.body else { return try await next(request) }
            var request = request
            request.body = .data(try seal(body))
            request.setHeader(name: "Content-Type", value: NetworkConstants.contentTypeForm)
            var response = try await next(request)
            response.body = try response.body.map(open)
            return response
        }

        func seal(_ data: Data) throws -> Data {
            try #require(AES.GCM.seal(data, using: key).combined).base64EncodedData()
        }

        func open(_ data: Data) throws -> Data {
            let combined = try #require(Data(base64Encoded: data))
            return try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: key)
        }
    }

    /// Records the bodies that pass a position of the pipeline.
    private struct Bodies: Interceptor {
        let journal: Journal

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            journal.add(request.body.text ?? "")
            let response = try await next(request)
            journal.add(response.bodyAsString())
            return response
        }
    }

    private let sealing = Sealing(key: SymmetricKey(size: .bits256))

    /// A server that decrypts requests, fails the first one, and sets a cookie.
    private func server() -> (server: MockTransport, plaintexts: Journal) {
        let plaintexts = Journal()
        let server = MockTransport { [sealing] request in
            plaintexts.add(String(decoding: try sealing.open(request.body), as: UTF8.self))
            let isFirst = plaintexts.entries.count == 1
            return MockResponse(
                status: isFirst ? .serviceUnavailable : .ok,
                headers: [.setCookie: "session=s-1"],
                body: try sealing.seal(Data("the balance is 7".utf8))
            )
        }
        return (server, plaintexts)
    }

    @Test func `Log and wire interceptors see ciphertext, and cookies and retries still work`() async throws {
        let (mock, plaintexts) = server()
        let (wire, app, log) = (Journal(), Journal(), Journal())
        let (client, server) = makeClient(mock) { config in
            config.retry = RetryPolicy(attempts: 2, backoff: .constant(.zero))
            config.retry?.addsIdempotencyKey = true
            config.sealing = [sealing]
            config.addInterceptor(Bodies(journal: app))
            config.addWireInterceptor(Bodies(journal: wire))
            config.logger = CapturingLog.logger(log)
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/pay"
            request.post(contentType: "text/plain", body: "the amount is 5")
        }
        #expect(response.bodyAsString() == "the balance is 7")
        #expect(response.attempts == 2)
        #expect(plaintexts.entries == ["the amount is 5", "the amount is 5"])
        #expect(app.entries == ["the amount is 5", "the balance is 7"])
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "session=s-1"])

        #expect(wire.entries.count == 4)
        #expect(wire.entries.allSatisfy { Data(base64Encoded: $0) != nil })
        #expect(wire.entries.first == server.requests.first?.text)
        let lines = log.entries.joined(separator: "\n")
        #expect(lines.contains("POST https://api.example.com/pay"))
        #expect(!lines.contains("the amount") && !lines.contains("the balance"))
    }

    @Test func `Sealing stages see cookies and standard headers, and run in order`() async throws {
        struct Signing: Interceptor {
            let name: String

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var request = request
                let covered = request.getHeaders().keys.map { $0.lowercased() }.sorted().joined(separator: " ")
                request.setHeader(name: "X-Signed-By-\(name)", value: covered)
                return try await next(request)
            }
        }
        let (client, server) = makeClient { config in
            config.sealing = [Signing(name: "A"), Signing(name: "B")]
            config.standardHeaders = StandardHeaders(requestedWith: "test", requestedPlatform: nil)
        }
        _ = try await client.request(request: makeRequest { $0.setCookie(cookie: "a=1") }) as HttpResponse
        let request = try #require(server.requests.first)
        #expect(request.header("X-Signed-By-A") == "cookie x-requested-with")
        #expect(request.header("X-Signed-By-B") == "cookie x-requested-with x-signed-by-a")
    }

    @Test func `A redirected request is sealed again`() async throws {
        let plaintexts = Journal()
        let mock = MockTransport { [sealing] request in
            plaintexts.add(String(decoding: try sealing.open(request.body), as: UTF8.self))
            let isFirst = plaintexts.entries.count == 1
            return MockResponse(
                status: isFirst ? .temporaryRedirect : .ok,
                headers: isFirst ? [.location: "/b"] : [:],
                body: try sealing.seal(Data("done".utf8))
            )
        }
        let (client, server) = makeClient(mock) { config in
            config.redirects = .follow(limit: 1)
            config.sealing = [sealing]
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/a"
            request.post(contentType: "text/plain", body: "the amount is 5")
        }
        #expect(response.bodyAsString() == "done")
        #expect(plaintexts.entries == ["the amount is 5", "the amount is 5"])
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(server.requests[0].body != server.requests[1].body)
    }
}
