import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct JourneyConfigurationTests {
    /// The settings of the seed 001, with parts replaced.
    private static func settings(
        clientID: String = "sdkPublicClient",
        redirectURI: String = "https://localhost:8443/callback.html",
        scope: String = "openid profile email address",
        realmPath: String = "alpha",
        tree: String? = "UsernamePassword",
        baseURL: String = "https://am.example.com/am",
        timeout: Duration = .milliseconds(30_000)
    ) throws(JourneyError) -> JourneyConfiguration {
        try JourneyConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            scope: scope,
            realmPath: realmPath,
            tree: tree,
            baseURL: baseURL,
            timeout: timeout
        )
    }

    @Test func `An OAuth client has the client ID, redirect URI, scopes and the endpoints of the realm`() async throws {
        let transport = MockTransport { _ in .json(#"{"access_token":"b","token_type":"Bearer"}"#) }
        let http = HttpClient.createClient { $0.transport = transport }
        let client = OAuthClient(try Self.settings()) { config in config.httpClient = http }
        let url = try await client.authorizationRequest().url
        let root = "https://am.example.com/am/oauth2/realms/root/realms/alpha"
        #expect(url.hasPrefix(root + "/authorize?"))
        #expect(url.contains("client_id=sdkPublicClient"))
        #expect(url.contains("redirect_uri=https%3A%2F%2Flocalhost%3A8443%2Fcallback.html"))
        #expect(url.contains("scope=openid%20profile%20email%20address"))
        #expect(client.issuer == root)

        _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        #expect(transport.requests.map(\.url) == [root + "/access_token"])
    }

    @Test func `Settings without an HTTP client, realm, tree and timeout have defaults`() throws {
        let settings = try JourneyConfiguration(
            clientID: "app",
            redirectURI: "com.example.app:/callback",
            scope: "openid",
            baseURL: "http://127.0.0.1:8080/am/"
        )
        #expect(settings.realmPath == "root" && settings.tree == nil)
        #expect(settings.timeout == .milliseconds(30_000))
        #expect(settings.cookieName == "iPlanetDirectoryPro")
        #expect(settings.authenticateURL == "http://127.0.0.1:8080/am/json/realms/root/authenticate")
        let client = OAuthClient(settings)
        #expect(client.issuer == "http://127.0.0.1:8080/am/oauth2/realms/root")
        #expect(client.configuration.httpClient?.configuration.timeouts.total == .seconds(30))
        #expect(client.configuration.httpClient?.configuration.cookieJar == nil)
    }

    @Test(arguments: [
        ("root", "root"), ("", "root"), ("/", "root"), ("alpha", "root/realms/alpha"), ("/alpha", "root/realms/alpha"),
        ("root/alpha", "root/realms/alpha"), ("root/realms/alpha", "root/realms/alpha"),
        ("root/realms/alpha/realms/beta", "root/realms/alpha/realms/beta"),

        ("alpha/b c", "root/realms/alpha/realms/b%20c"),
    ])
    func `Each realm is part of the paths of the server`(realmPath: String, path: String) throws {
        let settings = try Self.settings(realmPath: realmPath)
        #expect(settings.authenticateURL == "https://am.example.com/am/json/realms/\(path)/authenticate")
        #expect(settings.sessionsURL == "https://am.example.com/am/json/realms/\(path)/sessions")
        #expect(OAuthClient(settings).issuer == "https://am.example.com/am/oauth2/realms/" + path)
    }

    @Test func `Paths, the cookie and the issuer can be replaced`() async throws {
        var settings = try Self.settings()
        settings.paths.authenticate = "/sso/authenticate"
        settings.paths.sessions = "sso/sessions"
        settings.paths.authorize = "sso/authorize"
        settings.paths.accessToken = "sso/token"
        settings.cookieName = "sid"
        settings.issuer = "https://am.example.com:443/am/oauth2"
        let transport = MockTransport()
        transport.on(.post, "/am/sso/authenticate", .session())
        transport.on(.post, "/am/sso/sessions", .json("{}"))
        transport.on(.get, "/am/sso/authorize", .text("a page"))
        let http = HttpClient.createClient { $0.transport = transport }
        let journey = Journey(settings, httpClient: http)
        _ = try await journey.start()
        await expectError(\JourneyError.kind, "oauth") { try await journey.requestTokens() }
        try await journey.endSession()
        #expect(transport.requests.dropFirst().map { $0.header("sid") } == ["session-1", "session-1"])
        #expect(transport.requests[1].header("Cookie") == "sid=session-1")
        #expect(journey.oauthClient.issuer == "https://am.example.com:443/am/oauth2")
    }

    @Test(arguments: ["", "my cookie", "a;b"])
    func `An invalid name of the cookie is refused before anything is sent`(_ name: String) async throws {
        let server = TreeServer()
        var settings = try Self.settings()
        settings.cookieName = name
        let journey = Journey(settings, httpClient: HttpClient.createClient { $0.transport = server.transport })
        await expectError(\JourneyError.kind, "invalidConfiguration") { try await journey.start() }
        await expectError(\JourneyError.kind, "invalidConfiguration") {
            try await journey.resume(url: TreeServer.base + "?suspendedId=s-1")
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `An invalid setting is refused with its name, its value and the problem`() {
        let reason = \JourneyError.failure.reason
        expectError(reason, #"the clientID "" is invalid: it is empty"#) { try Self.settings(clientID: "") }
        for uri in ["/cb", "app:/cb#a"] {
            let problem = "it is not an absolute URI without a fragment"
            expectError(reason, "the redirectURI \"\(uri)\" is invalid: \(problem)") {
                try Self.settings(redirectURI: uri)
            }
        }
        expectError(reason, #"the scope "a\b" is invalid: it contains U+5C"#) { try Self.settings(scope: #"a\b"#) }
        expectError(reason, #"the realmPath "a/../b" is invalid: ".." is not a realm"#) {
            try Self.settings(realmPath: "a/../b")
        }
        expectError(reason, #"the realmPath "realms/alpha" is invalid: "realms" is not a realm"#) {
            try Self.settings(realmPath: "realms/alpha")
        }
        for path in ["root/realms/alpha/beta", "root/realms", "root/realms/alpha/realms"] {
            expectError(reason, "the realmPath \"\(path)\" is invalid: \"realms\" is not a realm") {
                try Self.settings(realmPath: path)
            }
        }
        expectError(reason, #"the tree "" is invalid: it is empty"#) { try Self.settings(tree: "") }
        for (url, problem) in [
            ("am.example.com", "it is not an http or https URL"), ("http://am.example.com", "it is not https"),
            ("https://am.example.com?a", "it has a query or a fragment"),
        ] {
            expectError(reason, "the baseURL \"\(url)\" is invalid: \(problem)") { try Self.settings(baseURL: url) }
        }
        expectError(reason, #"the timeout "0.0 seconds" is invalid: it is not greater than zero"#) {
            try Self.settings(timeout: .zero)
        }
    }
}
