import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct StandardHeadersTests {
    @Test func `Each request has headers that name the SDK and the platform`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.first?.header("x-requested-with") == "sallyport-sdk")
        #expect(server.requests.first?.header("x-requested-platform") == StandardHeaders.platform)
        #expect(!StandardHeaders.platform.isEmpty)
    }

    @Test func `The standard headers can be changed or omitted`() async throws {
        let (client, server) = makeClient {
            $0.standardHeaders = StandardHeaders(requestedWith: "my-app", requestedPlatform: nil)
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.first?.header("x-requested-with") == "my-app")
        #expect(server.requests.first?.header("x-requested-platform") == nil)
    }

    @Test func `A standard header set by the app is not replaced`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request(
            request: makeRequest { $0.setHeader(name: "X-Requested-With", value: "XMLHttpRequest") }
        )
        #expect(server.requests.first?.header("x-requested-with") == "XMLHttpRequest")
    }
}
