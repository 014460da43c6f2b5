import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct RevocationTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer() }

    @Test func `The refresh token is revoked first, then the access token`() async throws {
        identity.transport.on(.post, "/revocation", .status(200))
        let client = identity.client()
        try await client.revoke(OAuthTokens(accessToken: "a", refreshToken: "r"))
        try await client.revoke(OAuthTokens(accessToken: "a"))
        #expect(
            identity.forms("/revocation") == [
                ["token": "r", "token_type_hint": "refresh_token", "client_id": "app"],
                ["token": "a", "token_type_hint": "access_token", "client_id": "app"],
                ["token": "a", "token_type_hint": "access_token", "client_id": "app"],
            ]
        )
    }

    @Test func `A refused revocation throws the server's error`() async throws {
        identity.transport.on(.post, "/revocation", .refusal("unsupported_token_type"))
        let client = identity.client()
        let error = try await oauthError { try await client.revoke(OAuthTokens(accessToken: "a")) }
        #expect(error.error == "unsupported_token_type")
    }

    @Test(arguments: [("invalid_client", 401), ("unsupported_token_type", 400), ("server_error", 503)])
    func `If the revocation of the refresh token is refused, the access token is not sent`(
        code: String,
        status: Int
    ) async throws {
        identity.transport.on(.post, "/revocation", .refusal(code, "no", status: status))
        let client = identity.client()
        let error = try await oauthError { try await client.revoke(OAuthTokens(accessToken: "a", refreshToken: "r")) }
        #expect(error.error == code && error.status == status && error.errorDescription == "no")
        #expect(error.failure.reason == "the server refused the revocation of the token")
        #expect(identity.forms("/revocation").map { $0["token"] } == ["r"])
    }

    @Test func `A refused revocation of the access token throws although the refresh token was revoked`()
        async throws
    {
        identity.transport.on(.post, "/revocation") { request in
            request.form["token"] == "a" ? .refusal("invalid_client", status: 401) : .status(200)
        }
        let client = identity.client()
        let error = try await oauthError { try await client.revoke(OAuthTokens(accessToken: "a", refreshToken: "r")) }
        #expect(error.error == "invalid_client")
        #expect(identity.forms("/revocation").map { $0["token"] } == ["r", "a"])
    }

    @Test func `A redirect in response to a revocation is an error`() async throws {
        identity.transport.on(.post, "/revocation", .status(302))
        let client = identity.client()
        let error = try await oauthError { try await client.revoke(OAuthTokens(accessToken: "a")) }
        #expect(error.status == 302)
    }

    @Test func `A revocation succeeds if the server supports only the revocation of refresh tokens`() async throws {
        identity.transport.on(.post, "/revocation") { request in
            request.form["token"] == "a" ? .refusal("unsupported_token_type") : .status(200)
        }
        try await identity.client().revoke(OAuthTokens(accessToken: "a", refreshToken: "r"))
        #expect(identity.forms("/revocation").map { $0["token"] } == ["r", "a"])
    }

    @Test func `An introspection returns the members of the response`() async throws {
        let json = #"{"active": true, "scope": "api", "client_id": "app", "sub": "alice", "username": "al", "exp": 60}"#
        identity.transport.on(.post, "/introspection", .json(json))
        let client = identity.client { $0.authentication = .secretBasic("s") }
        let introspection = try await client.introspect("token-1", kind: .accessToken)
        #expect(introspection.isActive)
        #expect(
            [introspection.scope, introspection.clientID, introspection.subject, introspection.username] == [
                "api", "app", "alice", "al",
            ]
        )
        #expect(introspection.expiresAt == Date(timeIntervalSince1970: 60))
        #expect(identity.forms("/introspection") == [["token": "token-1", "token_type_hint": "access_token"]])
    }

    @Test(arguments: [(#"{"active": "true"}"#, "active"), ("{}", "active"), ("true", "JSON"), ("", "JSON")])
    func `An introspection response without a valid active member is refused`(
        text: String,
        reason: String
    ) async throws {
        identity.transport.on(.post, "/introspection", .text(text))
        let client = identity.client()
        let error = try await oauthError { _ = try await client.introspect("t") }
        #expect(error.failure.reason.contains(reason))
    }
}
