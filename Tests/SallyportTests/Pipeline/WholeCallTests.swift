import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct WholeCallTests {
    private struct Twice: Interceptor {
        let between: @Sendable () -> Void

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            _ = try await next(request)
            between()
            return try await next(request)
        }
    }

    private struct Keep: Interceptor {
        let kept: Locked<Next?>

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            kept.withLock { $0 = next }
            return try await next(request)
        }
    }

    private let server = MockTransport { _ in .text("ok") }

    @Test func `Several attempts share the call's timeout`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addInterceptor(Twice {})
        }
        _ = try await client.request { $0.url = "https://a.example/" }
        let limits = server.requests.compactMap(\.timeouts.total)
        #expect(limits.count == 2)
        #expect(limits[1] < limits[0])
    }

    @Test func `An interceptor cannot send further requests after the client was closed`() async {
        let closing = Locked<HttpClient?>(nil)
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addInterceptor(Twice { closing.withLock { $0 }?.close() })
        }
        closing.withLock { $0 = client }
        await #expect {
            try await client.request { $0.url = "https://a.example/" }
        } throws: { error in
            if case NetworkError.clientClosed = error { true } else { false }
        }
        #expect(server.requests.count == 1)
    }

    @Test
    func `An expired call throws a timeout when asked for its remaining time, and an unlimited call stays unlimited`()
        throws
    {
        let call = Call(of: ClientState(), in: nil, timeouts: ClientTimeouts(Timeouts()), pauses: nil)
        expectError(\NetworkError.kind, "timeout") { try call.remaining(of: Timeouts(total: .zero)) }
        let unlimited = try call.remaining(of: Timeouts(total: nil))
        #expect(unlimited.total == nil)
    }

    @Test(arguments: [-TimeInterval.infinity, -1e300, -1, 0, .nan])
    func `An invalid timeout set by an interceptor is refused`(_ timeout: TimeInterval) async {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 1)
            config.onRequest { request in request.timeout = timeout }
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { $0.url = "https://a.example/" }
        }
    }

    @Test func `An interceptor cannot send requests after its streamed call has ended`() async throws {
        let kept = Locked<Next?>(nil)
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addInterceptor(Keep(kept: kept))
        }
        try await client.stream {
            $0.url = "https://a.example/"
        } handle: { _ in
        }
        let next = try #require(kept.withLock { $0 })
        await expectError(\NetworkError.kind, "cancelled") { try await next(HttpRequest(url: "https://a.example/")) }
    }

    @Test func `A network error's localizedDescription is its message`() {
        let error: any Error = NetworkError.timeout("too long")
        #expect(error.localizedDescription == "too long")
    }
}
