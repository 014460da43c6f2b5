import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct StandardHeadersTests {
    @Test func `Every request tells the SDK and the platform`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.first?.header("x-requested-with") == "sallyport-sdk")
        #expect(server.requests.first?.header("x-requested-platform") == StandardHeaders.platform)
    }

    @Test func `The values can be changed and left out`() async throws {
        let (client, server) = makeClient {
            $0.standardHeaders = StandardHeaders(requestedWith: "my-app", requestedPlatform: nil)
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.first?.header("x-requested-with") == "my-app")
        #expect(server.requests.first?.header("x-requested-platform") == nil)
    }

    @Test func `What the app sets itself is left as it is`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request(
            request: makeRequest { $0.setHeader(name: "X-Requested-With", value: "XMLHttpRequest") }
        )
        #expect(server.requests.first?.header("x-requested-with") == "XMLHttpRequest")
    }
}
