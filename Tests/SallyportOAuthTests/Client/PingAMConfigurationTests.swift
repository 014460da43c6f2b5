import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PingAMConfigurationTests {
    /// The settings of the seed 001, with parts replaced.
    private static func settings(
        clientID: String = "sdkPublicClient",
        redirectURI: String = "https://localhost:8443/callback.html",
        scope: String = "openid profile email address",
        realmPath: String = "alpha",
        tree: String? = "UsernamePassword",
        baseURL: String = "https://am.example.com/am",
        timeout: Duration = .milliseconds(30_000)
    ) throws(OAuthError) -> PingAMConfiguration {
        try PingAMConfiguration(
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
        let transport = MockTransport { _ in .tokens() }
        let http = HttpClient.createClient(try Self.settings()) { $0.transport = transport }
        let client = OAuthClient(try Self.settings()) { config in config.httpClient = http }
        let url = try await client.authorizationRequest().url
        let root = "https://am.example.com/am/oauth2/realms/root/realms/alpha"
        #expect(url.hasPrefix(root + "/authorize?"))
        #expect(url.contains("client_id=sdkPublicClient"))
        #expect(url.contains("redirect_uri=https%3A%2F%2Flocalhost%3A8443%2Fcallback.html"))
        #expect(url.contains("scope=openid%20profile%20email%20address"))
        #expect(client.issuer == root)

        _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        let request = try #require(transport.requests.first)
        #expect(request.url == root + "/access_token")
        #expect(request.timeouts.total?.roundedUp == 30)
        #expect(transport.requests.count == 1)
    }

    @Test func `Settings without an HTTP client, realm and timeout have defaults`() throws {
        let settings = try PingAMConfiguration(
            clientID: "app",
            redirectURI: "com.example.app:/callback",
            scope: "openid",
            baseURL: "http://127.0.0.1:8080/am"
        )
        #expect(settings.realmPath == "root")
        #expect(settings.tree == nil)
        #expect(settings.timeout == .seconds(15))
        let client = OAuthClient(settings)
        #expect(client.issuer == "http://127.0.0.1:8080/am/oauth2/realms/root")
        #expect(client.configuration.httpClient?.asHttpClient().configuration.timeouts.total == .seconds(15))
        #expect(client.configuration.httpClient?.asHttpClient().configuration.cookieJar == nil)
    }

    @Test(arguments: [
        ("root", "root"), ("", "root"), ("/", "root"), ("alpha", "root/realms/alpha"), ("/alpha", "root/realms/alpha"),
        ("root/alpha", "root/realms/alpha"), ("alpha/b c", "root/realms/alpha/realms/b%20c"),
    ])
    func `Each realm is part of the paths of the server`(realmPath: String, path: String) throws {
        let client = OAuthClient(try Self.settings(realmPath: realmPath))
        #expect(client.issuer == "https://am.example.com/am/oauth2/realms/" + path)
    }

    @Test func `The closure can set metadata with another issuer`() throws {
        let client = OAuthClient(try Self.settings()) { config in
            config.metadata = .pingAM(base: "https://am.example.com/am", issuer: "https://am.example.com:443/am/oauth2")
        }
        #expect(client.issuer == "https://am.example.com:443/am/oauth2")
        #expect(client.configuration.scopes == ["openid", "profile", "email", "address"])
    }

    @Test func `An invalid setting is refused with its name, its value and the problem`() {
        let reason = \OAuthError.failure.reason
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
        expectError(reason, #"the realmPath "root/realms/a" is invalid: "realms" is not a realm"#) {
            try Self.settings(realmPath: "root/realms/a")
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
