import HTTPTypes
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct RetriedCallTests {
    @Test func `A response whose Retry-After exceeds the request timeout is returned at once`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/p", .text("busy", status: 503).header(.retryAfter, "45"))
        let client = try server.client {
            $0.requestTimeout = 30
        } http: {
            $0.retry = .constant(attempts: 2, delay: .zero)
        }
        let error = await expectError(\ResourceError.reason, .status) {
            try await client.deviceClient.sendUnauthenticatedRequest(ResourceRequest(path: "p", method: .get))
        }
        #expect(error?.response?.statusCode == 503)
        #expect(server.transport.requests.count == 1)
    }
}
