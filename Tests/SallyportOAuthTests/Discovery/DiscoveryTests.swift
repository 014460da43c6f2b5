import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct DiscoveryTests {
    private func server(
        _ transport: MockTransport,
        issuer: String = "https://id.example.com",
        clock: TimeSource = .system
    ) -> OAuthServer {
        var configuration = OAuthClientConfiguration()
        configuration.httpClient = HttpClient.createClient { $0.transport = transport }
        configuration.clock = clock
        return OAuthServer(issuer: issuer, configuration)
    }

    @Test(arguments: [
        ("https://id.example.com", "https://id.example.com/.well-known/oauth-authorization-server"),
        ("https://id.example.com/", "https://id.example.com/.well-known/oauth-authorization-server"),
        ("https://id.example.com/a/b", "https://id.example.com/.well-known/oauth-authorization-server/a/b"),
        ("http://localhost:80/a", "http://localhost:80/.well-known/oauth-authorization-server/a"),
    ])
    func `Metadata is looked up at the OpenID Connect URL, then at the RFC 8414 URL`(
        issuer: String,
        inserted: String
    ) throws {
        let start = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        #expect(try OAuthServer.metadataURLs(of: issuer) == [start + "/.well-known/openid-configuration", inserted])
    }

    @Test(arguments: [
        "http://id.example.com", "ftp://id.example.com", "id.example.com", "https://id.example.com/?a=b",
        "https://id.example.com/#x", "https://user@id.example.com", "http://127.0.0.1.example.com",
        "http://localhost.example.com", "http://127.1",
    ])
    func `An issuer with an insecure or invalid URL is refused`(issuer: String) async throws {
        let error = try await oauthError { _ = try await server(MockTransport(), issuer: issuer).metadata() }
        #expect(error.description.contains("cannot be used"))
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost", "http://id.localhost"])
    func `An issuer on a loopback address may use plain HTTP`(issuer: String) async throws {
        let transport = MockTransport { _ in .json(#"{"issuer": "\#(issuer)"}"#) }
        #expect(try await server(transport, issuer: issuer).metadata().issuer == issuer)
    }

    @Test(arguments: ["http://127.0.0.1:9", "http://localhost:9", "http://id.localhost:9"])
    func `An issuer on a loopback address is not called through a proxy over plain HTTP`(issuer: String) async throws {
        try await withScriptedServer([[.receiveHead]]) { proxy in
            let client = try HttpClient.createClient { $0.proxy = .proxy(try Proxy("http://\(proxy.authority)")) }
            defer { client.close() }
            await #expect {
                _ = try await OAuthServer(issuer: issuer, httpClient: client).metadata()
            } throws: { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return false }
                return failure.reason.contains("through the proxy \(proxy.authority) over plain HTTP")
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test func `The RFC 8414 URL is requested if the OpenID Connect URL has no metadata`() async throws {
        let transport = MockTransport { _ in .status(404) }
        transport.on(.get, "/.well-known/oauth-authorization-server", .json(#"{"issuer": "https://id.example.com"}"#))
        _ = try await server(transport).metadata()
        #expect(transport.requests.count == 2)
    }

    @Test func `The error for missing metadata states the response of each URL`() async throws {
        let transport = MockTransport { _ in .text("hello") }
        transport.on(.get, "/.well-known/oauth-authorization-server", .status(404))
        let error = try await oauthError { _ = try await server(transport).metadata() }
        #expect(
            error.description == """
                https://id.example.com publishes no metadata: \
                https://id.example.com/.well-known/openid-configuration answered 200 without JSON, \
                https://id.example.com/.well-known/oauth-authorization-server answered 404 (status 404); \
                check the issuer, or configure the server's endpoints manually
                """
        )
    }

    @Test func `A server error is not reported as missing metadata`() async throws {
        let transport = MockTransport { _ in .status(503) }
        let error = try await oauthError { _ = try await server(transport).metadata() }
        #expect(error.description.contains("refused the request for its metadata (status 503)"))
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["https://id.example.com/", "https://ID.example.com", "https://evil.example.com", ""])
    func `Metadata of another issuer is refused, even if only case or a trailing slash differs`(issuer: String)
        async throws
    {
        let transport = MockTransport { _ in .json(#"{"issuer": "\#(issuer)"}"#) }
        let error = try await oauthError { _ = try await server(transport).metadata() }
        #expect(error.description.contains("the metadata is for \"\(issuer)\", not for \"https://id.example.com\""))
        #expect(transport.requests.count == 1)
    }

    @Test func `Concurrent calls that need the metadata cause one request`() async throws {
        let transport = MockTransport { _ in
            await Task.yield()
            return .json(#"{"issuer": "https://id.example.com"}"#)
        }
        let server = server(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await server.metadata() } }
            try await group.waitForAll()
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `Metadata is fetched again after an hour, but used for a day while that fails`() async throws {
        let time = Locked(Date(timeIntervalSince1970: 0))
        let transport = MockTransport { _ in .json(#"{"issuer": "https://id.example.com"}"#) }
        let server = server(transport, clock: .immediate { time.withLock { $0 } })
        _ = try await server.metadata()
        time.withLock { $0 += 3599 }
        _ = try await server.metadata()
        #expect(transport.requests.count == 1)
        time.withLock { $0 += 1 }
        _ = try await server.metadata()
        #expect(transport.requests.count == 2)
        transport.on(nil, "/**", .fail(.timeout("none came")))
        time.withLock { $0 += 86_399 }
        _ = try await server.metadata()
        #expect(transport.requests.count == 3)
        transport.on(nil, "/**", .status(503))
        _ = try await server.metadata()
        #expect(transport.requests.count == 4)
        transport.on(nil, "/**", .fail(.timeout("none came")))
        time.withLock { $0 += 1 }
        await expectError(\NetworkError.kind, "timeout") { _ = try await server.metadata() }
    }

    @Test func `The error for a missing endpoint names it`() async throws {
        let identity = try MockIdentityServer(["revocation_endpoint": .null])
        let error = try await oauthError { try await identity.client().revoke(OAuthTokens(accessToken: "a")) }
        #expect(error.description.contains("has no revocation_endpoint"))
    }

    @Test(arguments: [
        "http://id.example.com/token", "javascript:alert(1)", "/token", "https://a:b@id.example.com/",
        "http://127.0.0.1:8080/token", "http://[::1]/token", "http://localhost/token", "http://id.localhost/token",
    ])
    func `An insecure or invalid endpoint of an https issuer is refused before a request`(url: String) async throws {
        let identity = try MockIdentityServer(["token_endpoint": .string(url)])
        let error = try await oauthError { _ = try await identity.client().clientCredentialsTokens() }
        #expect(error.description.contains("the token_endpoint of https://id.example.com/tenant cannot be used"))
        #expect(identity.transport.requests.count == 1)
    }

    @Test func `Configured metadata is used without a discovery request`() async throws {
        let transport = MockTransport { _ in .tokens() }
        let base = "https://am.example.com/am"
        let metadata = ServerMetadata.pingAM(base: base, realm: "root/realms/alpha beta")
        let client = OAuthClient(issuer: metadata.issuer, clientID: "app") { config in
            config.metadata = metadata
            config.headers = ["accept-api-version": "resource=2.1, protocol=1.0"]
            config.httpClient = HttpClient.createClient { $0.transport = transport }
        }
        _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r", scope: "api"))
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://am.example.com/am/oauth2/realms/root/realms/alpha%20beta/access_token")
        #expect(request.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(
            request.form == [
                "grant_type": "refresh_token", "refresh_token": "r", "client_id": "app", "scope": "api",
            ]
        )
    }

    @Test func `Configured metadata of another issuer is refused`() async throws {
        let client = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
            config.metadata = ServerMetadata(issuer: "https://other.example.com")
        }
        let error = try await oauthError { _ = try await client.clientCredentialsTokens() }
        #expect(
            error.description.contains(
                "the configured metadata is for https://other.example.com, not for https://id.example.com"
            )
        )
    }
}
