import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct IdempotencyKeyTests {
    private func post(_ key: String? = nil) -> HttpRequest {
        makeRequest { request in
            request.post(contentType: "text/plain", body: "order")
            if let key { request.setHeader(name: "Idempotency-Key", value: key) }
        }
    }

    private func send(
        _ requests: [HttpRequest],
        addsKey: Bool,
        answer: MockResponse = .status(503)
    ) async throws -> [String?] {
        let time = ManualTime()
        let (client, server) = makeClient(answer) { config in
            var policy = RetryPolicy.constant(attempts: 2, delay: .zero)
            policy.addsIdempotencyKey = addsKey
            config.retry = policy
            config.retryTime = time.retryTime
        }
        for request in requests { _ = try await client.request(request: request) }
        return server.requests.map { $0.header("Idempotency-Key") }
    }

    @Test func `All attempts of a call have the same idempotency key, and calls have different keys`() async throws {
        let keys = try await send([post(), post()], addsKey: true)
        #expect(keys.count == 4)
        #expect(keys[0] == keys[1])
        #expect(keys[2] == keys[3])
        #expect(keys[0] != keys[2])
        let key = try #require(keys[0])
        #expect(key.hasPrefix("\"") && key.hasSuffix("\""))
        #expect(UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
    }

    @Test func `An idempotency key set by the app is kept and makes the request retryable`() async throws {
        #expect(try await send([post("mine")], addsKey: true) == ["mine", "mine"])
        #expect(try await send([post("mine")], addsKey: false) == ["mine", "mine"])
    }

    @Test func `A POST without a key is not retried, and idempotent methods and unretried requests get no key`()
        async throws
    {
        #expect(try await send([post()], addsKey: false) == [nil])
        #expect(try await send([makeRequest()], addsKey: true) == [nil, nil])
        #expect(try await send([post()], addsKey: true, answer: .status(200)).first??.count == 38)
        var once = post()
        once.retry = .never
        #expect(try await send([once], addsKey: true) == [nil])
    }
}
