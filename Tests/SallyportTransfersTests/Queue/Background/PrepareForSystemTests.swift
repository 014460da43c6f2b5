import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// The headers that Apple's systems send with a transfer and that are not stored.
@Suite(.concurrencyLimited) struct PrepareForSystemTests {
    private let request = makeRequest("https://api.example.com/map") { $0.setHeader(name: "X-App", value: "1") }

    @Test func `A request is prepared with credentials, cookies and the effects of interceptors, and is not sent`()
        async throws
    {
        let (client, server) = makeClient(.text("x").header(.setCookie, "sid=1")) { config in
            config.authentication = [.basic(user: "ada", password: "b", for: "https://api.example.com")]
            config.retry = .constant(attempts: 3, delay: .zero)
            config.onRequest { $0.setHeader(name: "X-Hook", value: "2") }
        }
        _ = try await client.request(request: request)
        let prepared = try await client.prepareForSystem(request)
        #expect(prepared.getHeader(name: "Authorization") == "Basic YWRhOmI=")
        #expect(prepared.getHeader(name: "Cookie") == "sid=1")
        #expect(prepared.getHeader(name: "X-App") == "1")
        #expect(prepared.getHeader(name: "X-Hook") == "2")
        #expect(server.requests.count == 1)
    }

    @Test func `A request that the client refuses is not prepared`() async throws {
        let (client, server) = makeClient { config in
            config.onRequest { _ in throw NetworkError.invalidRequest("not now") }
        }
        await expectError(\NetworkError.kind, "invalidRequest") { try await client.prepareForSystem(request) }
        #expect(server.requests.isEmpty)
    }
}
