import HTTPTypes
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct CallTimeTests {
    private static let request = ResourceRequest(path: "p", method: .get)

    @Test func `A response whose Retry-After exceeds the request timeout is returned at once`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/p", .text("busy", status: 503).header(.retryAfter, "45"))
        let client = try server.client {
            $0.requestTimeout = 30
        } http: {
            $0.retry = .constant(attempts: 2, delay: .zero)
        }
        let error = await expectError(\ResourceError.reason, .status) {
            try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
        #expect(error?.response?.statusCode == 503)
        #expect(server.transport.requests.count == 1)
    }

    /// Records the time that is left for a call twice, while its task is suspended.
    private struct SuspendedClock: Interceptor {
        let times: Watched<[Duration?]>

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            NetworkTask.current?.suspend()
            let first = next.timeLeft(for: request)
            try await Task.sleep(for: .milliseconds(20))
            times.update { $0 = [first, next.timeLeft(for: request)] }
            NetworkTask.current?.resume()
            return try await next(request)
        }
    }

    @Test func `The time that is left for a call does not decrease while its task is suspended`() async throws {
        let times = Watched<[Duration?]>([])
        let client = try ResourceServer().client {
            $0.requestTimeout = 30
        } http: {
            $0.addInterceptor(SuspendedClock(times: times))
        }
        let task = client.deviceClient.sendUnauthenticatedRequest(Self.request) { _, _ in }
        try await times.wait("the times") { !$0.isEmpty }
        let first = try #require(times.value[0])
        #expect(first > .zero && first <= .seconds(30))
        #expect(times.value[1] == first)
        task?.cancel()
    }
}
