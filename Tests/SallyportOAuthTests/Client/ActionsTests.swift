import ClientTestSupport
import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ActionsTests {
    @Test func `Each request has an action that interceptors of the app's client can read`() async throws {
        let identity = try identity()
        let seen = Locked<[String]>([])
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.onRequest { request in seen.withLock { $0.append(request.action?.type.rawValue ?? "none") } }
        }
        try await useAll(identity.client { $0.httpClient = http }, of: identity)
        #expect(
            seen.withLock { $0 } == [
                "DISCOVER", "AUTHORIZE", "PUSH_AUTHORIZATION", "EXCHANGE_TOKEN", "FETCH_KEYS", "REFRESH_TOKEN",
                "CLIENT_CREDENTIALS", "DEVICE_AUTHORIZATION", "DEVICE_TOKEN", "TOKEN_EXCHANGE", "USER_INFO",
                "INTROSPECT_TOKEN",
                "REVOKE_TOKEN", "REVOKE_TOKEN", "REGISTER_CLIENT", "END_SESSION",
            ]
        )
    }

    @Test func `A hook of the client runs for every request, whose action has no payload`() async throws {
        let identity = try identity()
        let journal = Journal()
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.onRequest { request in
                #expect(request.action?.payload == nil)
                journal.add(request.action?.type.rawValue ?? "none")
            }
        }
        try await useAll(identity.client { $0.httpClient = http }, of: identity)
        #expect(
            Set(journal.entries) == [
                "DISCOVER", "AUTHORIZE", "PUSH_AUTHORIZATION", "EXCHANGE_TOKEN", "FETCH_KEYS", "REFRESH_TOKEN",
                "CLIENT_CREDENTIALS", "DEVICE_AUTHORIZATION", "DEVICE_TOKEN", "TOKEN_EXCHANGE", "USER_INFO",
                "INTROSPECT_TOKEN", "REVOKE_TOKEN", "REGISTER_CLIENT", "END_SESSION",
            ]
        )
    }

    @Test func `The timeout of the app's client applies to every request`() async throws {
        let identity = try identity()
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.timeout = 30
        }
        try await useAll(identity.client { $0.httpClient = http }, of: identity)
        #expect(identity.transport.requests.count == 15)
        #expect(identity.transport.requests.allSatisfy { $0.timeouts.total?.roundedUp == 30 })
    }

    @Test func `Interceptors can add query parameters to authorization and end-session URLs`() async throws {
        let identity = try MockIdentityServer()
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.addInterceptor(Marking())
        }
        let client = identity.client { $0.httpClient = http }
        #expect(try await client.authorizationRequest().parameters["marked"] == "AUTHORIZE")
        #expect(try await client.endSessionURL(for: nil).hasSuffix("&marked=END_SESSION"))
    }

    @Test func `Interceptors can read and replace the fields of the form of a request`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens(["access_token": "a"]))
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.addInterceptor(Narrowing())
        }
        let tokens = OAuthTokens(accessToken: "a", refreshToken: "r", scope: "openid profile")
        _ = try await identity.client { $0.httpClient = http }.refresh(tokens)
        let form = try #require(identity.forms("/token").first)
        #expect(form["scope"] == "openid")
        #expect(form["refresh_token"] == "r")
        #expect(form["used_grant"] == "refresh_token")
    }

    @Test func `A trace-level log contains no secret of any call`() async throws {
        let identity = try identity()
        let journal = Journal()
        let http = HttpClient.createClient { config in
            config.transport = identity.transport
            config.logger = CapturingLog.logger(journal)
        }
        let client = identity.client { config in
            config.httpClient = http
            config.authentication = .secretPost("canary-secret")
            config.usesDPoP = false
        }
        try await useAll(client, of: identity)
        let lines = journal.entries.joined(separator: "\n")
        #expect(lines.contains("POST https://id.example.com/token"))
        #expect(lines.contains("grant_type=refresh_token"))
        #expect(!lines.contains("canary"), "\(lines.split(separator: "\n").filter { $0.contains("canary") })")
        #expect(!lines.contains("eyJ"))
    }

    @Test(arguments: [
        RetryPolicy.constant(attempts: 3, delay: .zero),
        .custom(attempts: 3, backoff: .constant(.zero)) { _, _ in true },
    ])
    func `The retries of the client do not repeat a request with a single-use secret`(policy: RetryPolicy) async throws
    {
        let identity = try MockIdentityServer()
        identity.answerTokens(.text("busy", status: 503))
        let client = identity.client { config in
            config.httpClient = HttpClient.createClient { config in
                config.transport = identity.transport
                config.retry = policy
                config.retry?.addsIdempotencyKey = true
            }
        }
        let error = try await oauthError {
            _ = try await client.refresh(OAuthTokens(accessToken: "a", refreshToken: "r"))
        }
        #expect(error.status == 503)
        #expect(identity.count("/token") == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `No OAuth request follows a redirect, even if the app's client does`(status: Int) async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.redirect(to: "https://evil.example.com/", status: status))
        let client = identity.client { config in
            config.httpClient = HttpClient.createClient { http in
                http.transport = identity.transport
                http.redirects = .follow(limit: 5)
            }
        }
        let error = try await oauthError { _ = try await client.clientCredentialsTokens() }
        #expect(error.status == status)
        #expect(identity.transport.requests.allSatisfy { !$0.url.contains("evil") })
    }

    @Test(
        arguments: [
            (.authorize, "AUTHORIZE"), (.exchangeToken, "EXCHANGE_TOKEN"), (.refreshToken, "REFRESH_TOKEN"),
            (.revokeToken, "REVOKE_TOKEN"), (.endSession, "END_SESSION"), (.userInfo, "USER_INFO"),
        ] as [(ActionType, String)]
    )
    func `The raw value and description of an action type are its name`(_ type: ActionType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type == ActionType(rawValue: name))
        #expect("\(type)" == name)
    }

    private func identity() throws -> MockIdentityServer {
        let identity = try MockIdentityServer(["pushed_authorization_request_endpoint": "https://id.example.com/par"])
        identity.transport.on(.post, "/par", .json(#"{"request_uri": "urn:x:1"}"#))
        identity.transport.on(.post, "/revocation", .status(200))
        identity.transport.on(.post, "/introspection", .json(#"{"active": true}"#))
        identity.transport.on(.get, "/userinfo", .json(#"{"sub": "alice"}"#))
        identity.transport.on(.get, "/end_session", .status(200))
        let registration =
            #"{"client_id": "new", "client_secret": "canary-1", "registration_access_token": "canary-2"}"#
        identity.transport.on(.post, "/registration", .json(registration))
        let device =
            #"{"device_code": "canary-device", "user_code": "canary", "verification_uri": "https://id.example.com/go"}"#
        identity.transport.on(.post, "/device", .json(device))
        return identity
    }

    /// Calls all methods of a client.
    private func useAll(_ client: OAuthClient, of identity: MockIdentityServer) async throws {
        let request = try await client.authorizationRequest()
        let idToken = try await identity.idToken(["nonce": .string(request.nonce ?? "")])
        identity.answerTokens(
            .tokens(["access_token": "canary-access", "refresh_token": "canary-refresh", "id_token": .string(idToken)])
        )
        let tokens = try await client.tokens(from: request.callback("code=canary-code"), for: request)
        _ = try await client.refresh(tokens)
        _ = try await client.clientCredentialsTokens()
        _ = try await client.tokens(for: client.deviceAuthorization())
        _ = try await client.exchange(TokenExchange(subjectToken: tokens.accessToken))
        _ = try await client.userInfo(tokens)
        _ = try await client.introspect(tokens.accessToken)
        try await client.revoke(tokens)
        _ = try await client.server.register([:], initialToken: "canary-initial")
        try await client.endSession(for: tokens)
    }
}

/// Replaces a field of the forms of refreshes, and adds one with the value of another.
private struct Narrowing: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        guard action.type == .refreshToken else { return request }
        var request = request
        let grant = request.formFields?.first { $0.name == "grant_type" }?.value
        request.setFormField(name: "scope", value: "openid")
        request.setFormField(name: "used_grant", value: grant ?? "none")
        return request
    }
}

private struct Marking: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        var request = request
        request.setParameter(name: "marked", value: action.type.rawValue)
        return request
    }
}
