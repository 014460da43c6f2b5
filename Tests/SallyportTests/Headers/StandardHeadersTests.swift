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

    @Test func `A new request of a client lists the standard headers that are sent`() async throws {
        let (client, server) = makeClient {
            $0.standardHeaders = StandardHeaders(requestedWith: "my-app", requestedPlatform: "test")
        }
        let derived = client.derived { $0.standardHeaders.requestedPlatform = nil }
        #expect(client.request().getHeaders() == ["x-requested-with": "my-app", "x-requested-platform": "test"])
        #expect(derived.request().getHeaders() == ["x-requested-with": "my-app"])
        _ = try await client.request { request in
            #expect(request.getHeader(name: "X-Requested-With") == "my-app")
            request.url = "https://api.example.com/"
            request.removeHeader(name: "x-requested-with")
            request.setHeader(name: "x-requested-platform", value: "own")
        }
        #expect(server.requests.map { $0.header("x-requested-with") } == ["my-app"])
        #expect(server.requests.map { $0.header("x-requested-platform") } == ["own"])
    }

    @Test func `A standard header set by the app is not replaced`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request(
            request: makeRequest { $0.setHeader(name: "X-Requested-With", value: "XMLHttpRequest") }
        )
        #expect(server.requests.first?.header("x-requested-with") == "XMLHttpRequest")
    }
}
