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
        #expect(prepared.headerFields[.authorization] == "Basic YWRhOmI=")
        #expect(prepared.headerFields[.cookie] == "sid=1")
        #expect(try prepared.headerFields[#require(HTTPField.Name("X-App"))] == "1")
        #expect(try prepared.headerFields[#require(HTTPField.Name("X-Hook"))] == "2")
        #expect(server.requests.count == 1)
    }

    @Test func `A request that the client refuses is not prepared`() async throws {
        let (client, server) = makeClient { config in
            config.onRequest { _ in throw NetworkError.invalidRequest("not now") }
        }
        await expectError(\NetworkError.kind, "invalidRequest") { try await client.prepareForSystem(request) }
        #expect(server.requests.isEmpty)
    }

    @Test func `A URL, parameters and a method that interceptors change belong to the prepared request`() async throws {
        let (client, _) = makeClient { config in
            config.onRequest { request in
                request.url = "https://files.example.com/v2/map?a=1"
                request.setParameter(name: "q", value: "x y")
                request.setMethod(.put)
            }
            config.authentication = [.basic(user: "ada", password: "b", for: "https://api.example.com")]
        }
        let prepared = try await client.prepareForSystem(request)
        #expect(prepared.authority == "files.example.com")
        #expect(prepared.path == "/v2/map?a=1&q=x%20y")
        #expect(prepared.method == .put)
        #expect(prepared.headerFields[.authorization] == nil)
    }

    @Test func `A wire interceptor cannot pass the credentials of a request to another server`() async {
        let (client, _) = makeClient { config in
            config.authentication = [.basic(user: "ada", password: "b", for: "https://api.example.com")]
            config.addWireInterceptor(Elsewhere())
        }
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.prepareForSystem(request)
        }
        #expect(error?.failure.reason.contains("sends the credentials of https://api.example.com") == true)
    }

    @Test(arguments: [false, true])
    func `A confidential request over plain HTTP is prepared for a loopback address only`(isMarked: Bool) async throws {
        let (client, _) = makeClient { config in config.allowsPlainHTTP = isMarked }
        let remote = makeRequest("http://api.example.com/map") { $0.requiresSecureTransport = isMarked }
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.prepareForSystem(remote)
        }
        #expect(error?.failure.reason.contains("over plain HTTP") == true)
        let local = makeRequest("http://localhost:8080/map") { $0.requiresSecureTransport = isMarked }
        #expect(try await client.prepareForSystem(local).authority == "localhost:8080")
    }

    @Test func `A request that may be sent over plain HTTP is prepared`() async throws {
        let (client, _) = makeClient { $0.allowsPlainHTTP = true }
        #expect(try await client.prepareForSystem(makeRequest("http://api.example.com/map")).scheme == "http")
    }

    @Test func `A client with sealing or with pins for the server is refused, as the system can apply neither`()
        async throws
    {
        let pin = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
        let settings: [@Sendable (inout HttpClientConfiguration) throws -> Void] = [
            { $0.sealing = [Elsewhere()] },
            { try $0.pins.pin("api.example.com", to: [pin]) },
        ]
        for set in settings {
            let client = try HttpClient.createClient { config in try set(&config) }
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.prepareForSystem(request)
            }
            #expect(error?.failure.reason.contains("which the system cannot do in a background session") == true)
            client.close()
        }
    }
}
