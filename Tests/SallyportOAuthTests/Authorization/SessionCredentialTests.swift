import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

/// Authorization requests that the client sends itself.
@Suite(.concurrencyLimited) struct SessionCredentialTests {
    private static let redirectURI = "http://127.0.0.1:8765/cb"

    @Test(arguments: [PushedAuthorization.never, .always], [true, false])
    func `A browser's session cookie obtains tokens from the gateway with one AUTHORIZE action`(
        _ pushes: PushedAuthorization,
        usesJar: Bool
    ) async throws {
        try await withSignedInBrowser { browser, address, cookie in
            let actions = ActionLog()
            let http =
                usesJar
                ? browser.derived { $0.addInterceptor(actions) }
                : HttpClient.createClient { config in
                    config.cookieJar = nil
                    config.addInterceptor(actions)
                }
            defer { http.close() }
            let client = Self.client(address) { config in
                config.httpClient = http
                config.pushedAuthorization = pushes
            }
            let credential = usesJar ? SessionCredential.cookieJar : .cookie(name: "iPlanetDirectoryPro", value: cookie)
            let tokens = try await client.tokens(authorizedBy: credential)
            #expect(tokens.scope == "openid api")
            #expect(tokens.idToken != nil)
            let pushed = pushes == .always ? ["PUSH_AUTHORIZATION"] : []
            #expect(actions.names == ["DISCOVER", "AUTHORIZE"] + pushed + ["EXCHANGE_TOKEN", "FETCH_KEYS"])
            #expect(actions.requests.allSatisfy { $0.carriesOwnCredentials })
        }
    }

    @Test(arguments: [PushedAuthorization.never, .always])
    func `An expired session credential throws an error for a login page and for login_required`(
        _ pushes: PushedAuthorization
    ) async throws {
        try await withSignedInBrowser { _, address, _ in
            let http = HttpClient.createClient { $0.cookieJar = nil }
            defer { http.close() }
            let client = Self.client(address) { config in
                config.httpClient = http
                config.pushedAuthorization = pushes
            }
            let credential = SessionCredential.cookie(name: "iPlanetDirectoryPro", value: "a-session-that-has-ended")
            let page = try await oauthError { _ = try await client.tokens(authorizedBy: credential) }
            #expect(page.status == 200)
            #expect(page.description.contains("the server shows a page"))
            let refusal = try await oauthError {
                _ = try await client.tokens(authorizedBy: credential, parameters: ["prompt": "none"])
            }
            #expect(refusal.error == "login_required")
        }
    }

    @Test func `Interceptors can change query and header fields of the authorization, whose redirect is not followed`()
        async throws
    {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens())
        identity.transport.on(.get, "/authorize") { Self.redirect($0, "code=code-1") }
        let client = identity.client { config in
            config.scopes = ["api"]
            config.httpClient = HttpClient.createClient { http in
                http.transport = identity.transport
                http.redirects = .follow(limit: 5)
                http.addInterceptor(Extending())
            }
        }
        let credential = SessionCredential.header(name: "X-Session", value: "session-1")
        let tokens = try await client.tokens(authorizedBy: credential, parameters: ["prompt": "none"])
        #expect(tokens.accessToken == "access-1")
        let requests = identity.transport.requests.filter { $0.path == "/authorize" }
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.header("X-Session") == "session-1")
        #expect(request.header("X-Added") == "yes")
        let query = queryPairs(request.query ?? "")
        #expect(query["ForceAuth"] == "true" && query["prompt"] == "none" && query["response_type"] == "code")
        #expect(identity.forms("/token").map { $0["code"] } == ["code-1"])
        #expect(identity.transport.requests.allSatisfy { $0.path != "/cb" })
    }

    @Test
    func `The pushed request carries the interceptors' parameters, the authorization request the session credential`()
        async throws
    {
        let identity = try MockIdentityServer(["pushed_authorization_request_endpoint": "https://id.example.com/par"])
        identity.answerTokens(.tokens())
        let state = Locked("")
        identity.transport.on(.post, "/par") { request in
            state.withLock { $0 = request.form["state"] ?? "" }
            return .json(#"{"request_uri": "urn:x:1", "expires_in": 60}"#, status: 201)
        }
        identity.transport.on(.get, "/authorize") { _ in
            Self.redirect(state: state.withLock { $0 }, "code=code-1")
        }
        let client = identity.client { config in
            config.scopes = ["api"]
            config.httpClient = HttpClient.createClient { http in
                http.transport = identity.transport
                http.addInterceptor(Extending())
            }
        }
        _ = try await client.tokens(authorizedBy: .cookie(name: "sid", value: "session-1"))
        #expect(identity.forms("/par").map { $0["ForceAuth"] } == ["true"])
        let request = try #require(identity.transport.requests.first { $0.path == "/authorize" })
        #expect(request.query == "client_id=app&request_uri=urn%3Ax%3A1")
        #expect(request.header("Cookie") == "sid=session-1")
        #expect(request.header("X-Added") == "yes")
        let push = try #require(identity.transport.requests.first { $0.path == "/par" })
        #expect(push.header("Cookie") == nil)
    }

    @Test func `A refused pushed request throws the server's error and sends no authorization request`() async throws {
        let identity = try MockIdentityServer(["pushed_authorization_request_endpoint": "https://id.example.com/par"])
        identity.transport.on(.post, "/par", .refusal("invalid_scope"))
        let error = try await oauthError { _ = try await identity.client().tokens(authorizedBy: .cookieJar) }
        #expect(error.error == "invalid_scope")
        #expect(identity.count("/authorize") == 0)
    }

    @Test(arguments: [
        ("code=c&state=other", "its state differs"), ("code=c", "its state differs"),
        ("code=c&iss=https://evil.example.com&state=", "is from \"https://evil.example.com\""),
        ("error=access_denied&state=", "did not authorize the client"), ("state=", "has no code"),
    ])
    func `An invalid authorization response is refused, and no code is exchanged`(
        query: String,
        reason: String
    ) async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.get, "/authorize") { request in
            let state = query.hasSuffix("state=") ? queryPairs(request.query ?? "")["state"] ?? "" : ""
            return MockResponse.status(302).header(.location, "\(Self.redirectURI)?\(query)\(state)")
        }
        let error = try await oauthError { _ = try await identity.client().tokens(authorizedBy: .cookieJar) }
        #expect(error.description.contains(reason))
        #expect(identity.count("/token") == 0)
    }

    @Test(arguments: ["https://id.example.com/login?goto=x", "/login", "http://127.0.0.1:8765/cb/../login"])
    func `A redirect to a page of the server is an error and is not followed`(location: String) async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.get, "/authorize", .status(302).header(.location, location))
        let error = try await oauthError { _ = try await identity.client().tokens(authorizedBy: .cookieJar) }
        #expect(error.description.contains("the server shows a page"))
        #expect(error.description.contains("let them sign in with signIn(with:)"))
        #expect(identity.count("/login") == 0)
    }

    @Test func `An error status throws the server's error without the session credential`() async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.get, "/authorize", .refusal("unauthorized", "no session canary-session", status: 401))
        let credential = SessionCredential.cookie(name: "sid", value: "canary-session")
        let error = try await oauthError { _ = try await identity.client().tokens(authorizedBy: credential) }
        #expect(error.error == "unauthorized" && error.status == 401)
        #expect(!"\(error)".contains("canary"))
    }

    @Test func `The status 400 without an error code leads to the registration of the client`() async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.get, "/authorize", .status(400))
        let error = try await oauthError { _ = try await identity.client().tokens(authorizedBy: .cookieJar) }
        let advice = "check that the client app is registered with the redirect URI \(Self.redirectURI)"
        #expect(error.description.contains(advice), "\(error)")
        #expect(error.status == 400)
    }

    @Test(arguments: [
        SessionCredential.cookie(name: "sid", value: "canary"), .header(name: "X-Session", value: "canary"),
    ])
    func `The description and dump of a credential contain no secret`(credential: SessionCredential) {
        var dumped = ""
        dump(credential, to: &dumped)
        #expect(!"\(credential) \(String(reflecting: credential)) \(dumped)".contains("canary"))
    }

    // MARK: Servers

    private static func client(
        _ url: String,
        _ configure: (inout OAuthClientConfiguration) -> Void
    ) -> OAuthClient {
        OAuthClient(issuer: url, clientID: "conf") { config in
            config.authentication = .secretBasic("s3cret-conf")
            config.scopes = ["openid", "api"]
            config.redirectURI = redirectURI
            configure(&config)
        }
    }

    /// Runs a closure with a gateway at which alice has signed in with a browser and allowed the client `conf` its scopes.
    private func withSignedInBrowser(
        _ body: (_ browser: HttpClient, _ url: String, _ cookie: String) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let gateway = GatewayConfiguration(authorizationServer: try AuthorizationServer(configuration))
        try await Gateway.withRunning(gateway) { address in
            let cookies = Locked("")
            let browser = HttpClient.createClient { config in
                config.onResponse { response in
                    if let cookie = response.getCookies().first { cookies.withLock { $0 = cookie.value } }
                }
            }
            defer { browser.close() }
            let client = Self.client(address.baseURL) { $0.httpClient = browser }
            let url = try await client.authorizationRequest().url
            let response = try await browser.submitForms(
                at: url,
                [["username": "alice", "password": "wonderland"], ["decision": "allow"]]
            )
            #expect(response.status == .seeOther)
            try await body(browser, address.baseURL, cookies.withLock { $0 })
        }
    }

    private static func redirect(_ request: MockRequest, _ query: String) -> MockResponse {
        redirect(state: queryPairs(request.query ?? "")["state"] ?? "", query)
    }

    private static func redirect(state: String, _ query: String) -> MockResponse {
        MockResponse.status(302).header(.location, "\(redirectURI)?\(query)&state=\(state)")
    }
}

/// Records the requests that interceptors see.
private final class ActionLog: ActionInterceptor {
    private let recorded = Locked<[HttpRequest]>([])

    var requests: [HttpRequest] { recorded.withLock { $0 } }

    var names: [String] { requests.compactMap { $0.action?.type.rawValue } }

    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        recorded.withLock { $0.append(request) }
        return request
    }
}

/// Adds a parameter and a header field to authorization requests.
private struct Extending: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        var request = request
        if action.type == .authorize {
            request.setParameter(name: "ForceAuth", value: "true")
            request.setHeader(name: "X-Added", value: "yes")
        }
        return request
    }
}
