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

    @Test func `Attempts share the time of the whole call`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addInterceptor(Twice {})
        }
        _ = try await client.request { $0.url = "https://a.example/" }
        let limits = server.requests.compactMap(\.timeouts.total)
        #expect(limits.count == 2)
        #expect(limits[1] < limits[0])
    }

    @Test func `Once the client is closed, an interceptor can send nothing more`() async {
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

    @Test func `What is left of a call whose time is over is nothing, and says so`() throws {
        let call = Call(of: ClientState(), in: nil, pauses: nil)
        expectError(\NetworkError.kind, "timeout") { try call.remaining(of: Timeouts(total: .zero)) }
        let unlimited = try call.remaining(of: Timeouts(total: nil))
        #expect(unlimited.total == nil)
    }

    @Test(arguments: [-TimeInterval.infinity, -1e300, -1, 0, .nan])
    func `A timeout that is none, set by an interceptor, is an error`(_ timeout: TimeInterval) async {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 1)
            config.onRequest { request in request.timeout = timeout }
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { $0.url = "https://a.example/" }
        }
    }

    @Test func `What an interceptor keeps of a streamed call is of no use afterwards`() async throws {
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

    @Test func `localizedDescription says what happened`() {
        let error: any Error = NetworkError.timeout("too long")
        #expect(error.localizedDescription == "too long")
    }
}
