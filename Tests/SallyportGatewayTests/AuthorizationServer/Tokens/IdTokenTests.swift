import Crypto
import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct IdTokenTests {
    @Test func `An id_token contains the claims of the login and the hash of the access token`() async throws {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            let claims = try JsonWebSignature(parsing: tokens.id).claims()
            #expect(claims["iss"] == "http://127.0.0.1")
            #expect(claims["aud"] == "pub")
            #expect(claims["sub"] == "alice")
            #expect(claims["nonce"] == "a-nonce")
            #expect(claims["auth_time"]?.integer == 1_800_000_000)
            #expect(claims["iat"]?.integer == 1_800_000_000)
            #expect(claims["exp"]?.integer == 1_800_000_300)
            let half = Data(SHA256.hash(data: Data(tokens.access.utf8))).prefix(16)
            #expect(claims["at_hash"]?.string == Base64Url.encode(half))
            #expect(try await identity.tokens(["scope": "api"]).members["id_token"] == nil)
        }
    }

    @Test func `An id_token is signed with RS256 for a client that is registered for it`() async throws {
        try await TestIdentity.with({
            $0.signatureAlgorithms = [.es256, .rs256]
            $0.clients[0].metadata.idTokenSignature = .rs256
        }) { identity in
            let signature = try JsonWebSignature(parsing: try await identity.tokens().id)
            #expect(signature.algorithm == .rs256)
            let key = try #require(await identity.server.publishedKeys().keys.first { $0.keyID == signature.keyID })
            try signature.verify(with: key, allowing: [.rs256])
        }
    }

    @Test func `An id_token is encrypted for a client that has registered an encryption key`() async throws {
        let pair = try SigningKey.generate(.rs256)
        let publicMembers = pair.publicJsonWebKey!.members.filter { ["kty", "n", "e"].contains($0.key) }
        let privateMembers = try #require(pair.privateJsonWebKey).members.filter { !["alg", "use"].contains($0.key) }
        let publicKey = JsonWebKey(members: publicMembers.merging(["use": "enc", "kid": "e1"]) { $1 })
        try await TestIdentity.with({
            $0 = try .development(encryptionKey: publicKey)
            $0.signatureAlgorithms = [.es256]
        }) { identity in
            let code = try await identity.code(["client_id": "jwe"])
            let tokens = try TestTokens(try await identity.redeem(code, basic: "jwe:s3cret-jwe"))
            let encrypted = try JsonWebEncryption(parsing: tokens.id)
            #expect(encrypted.header["alg"] == "RSA-OAEP-256")
            #expect(encrypted.header["enc"] == "A256GCM")
            #expect(encrypted.header["cty"] == "JWT")
            let text = try encrypted.decrypt(with: JsonWebKey(members: privateMembers.merging(["kid": "e1"]) { $1 }))
            let claims = try JsonWebSignature(parsing: String(decoding: text, as: UTF8.self)).claims()
            #expect(claims["aud"] == "jwe")
            #expect(claims["nonce"] == "a-nonce")
        }
    }

    @Test(arguments: ["openid", "openid profile", "openid email"])
    func `UserInfo returns the claims that the scopes allow`(scope: String) async throws {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens(["scope": scope]).access
            let response = try await identity.get("/userinfo", authorization: "Bearer \(token)")
            #expect(response.status == .ok)
            #expect(response.members["sub"] == "alice")
            #expect((response.members["name"] != nil) == scope.contains("profile"))
            #expect((response.members["email"] != nil) == scope.contains("email"))
            let posted = try await identity.post("/userinfo", [:], authorization: "Bearer \(token)")
            #expect(posted.members == response.members)
        }
    }

    @Test func `UserInfo returns a signed JWT for a client that is registered for it`() async throws {
        try await TestIdentity.with({ $0.clients[0].metadata.userInfoSignature = .es256 }) { identity in
            let token = try await identity.tokens().access
            let response = try await identity.get("/userinfo", authorization: "Bearer \(token)")
            #expect(response.headers[.contentType] == "application/jwt")
            let claims = try JsonWebSignature(parsing: response.text).claims()
            #expect(claims["sub"] == "alice")
            #expect(claims["aud"] == "pub")
            #expect(claims["iss"] == "http://127.0.0.1")
        }
    }

    @Test func `A logout with an id_token ends the session and redirects to a registered URI`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let answer = try await browser.signIn(TestIdentity.request())
            let id = try TestTokens(try await identity.redeem(try #require(answer["code"]))).id
            let query = FormParameters([
                "id_token_hint": id, "post_logout_redirect_uri": "http://127.0.0.1:8765/cb", "state": "bye",
            ]).query
            let response = try await browser.get("/end_session?\(query)")
            #expect(response.status == .seeOther)
            #expect(response.headers[.location] == "http://127.0.0.1:8765/cb?state=bye")
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test func `A logout with an id_token ends the session without the browser's cookie`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let answer = try await browser.signIn(TestIdentity.request())
            let id = try TestTokens(try await identity.redeem(try #require(answer["code"]))).id
            identity.clock.advance(1000)
            let response = try await TestBrowser(identity).get("/end_session?id_token_hint=\(id)")
            #expect(response.status == .ok)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test(arguments: [
        [:], ["client_id": "pub", "post_logout_redirect_uri": "http://127.0.0.1:8765/cb", "state": "bye"],
    ])
    func `A logout without an id_token must be confirmed with a form`(parameters: [String: String]) async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let page = try await browser.get("/end_session?\(FormParameters(parameters).query)")
            #expect(page.status == .ok)
            #expect(page.form?.action == "/end_session")
            #expect(page.text.contains("alice"))
            for forged in ["", String(repeating: "A", count: 43)] {
                let again = try await browser.answer(page, ["csrf": forged])
                #expect(again.form?.action == "/end_session")
            }
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
            let done = try await browser.answer(page, [:])
            let location = parameters.isEmpty ? nil : "http://127.0.0.1:8765/cb?state=bye"
            #expect(done.status == (parameters.isEmpty ? .ok : .seeOther))
            #expect(done.headers[.location] == location)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test func `An id_token of another user does not end a browser's session`() async throws {
        let bob = GatewayUser(username: "bob", password: try PasswordHash(hashing: "builder", cost: 4))
        try await TestIdentity.with({ $0.users.append(bob) }) { identity in
            let attacker = TestBrowser(identity)
            var page = try await attacker.authorize(TestIdentity.request())
            page = try await attacker.answer(page, ["username": "bob", "password": "builder"])
            let code = try #require(try await attacker.answer(page, ["decision": "allow"]).sentBack["code"])
            let id = try TestTokens(try await identity.redeem(code)).id
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            #expect(try await browser.get("/end_session?id_token_hint=\(id)").form?.action == "/end_session")
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
        }
    }

    @Test(
        arguments: [
            ["client_id": "pub", "post_logout_redirect_uri": "https://evil.example/"],
            ["post_logout_redirect_uri": "http://127.0.0.1:8765/cb"], ["id_token_hint": "a.b.c"],
        ]
    )
    func `A logout with an unregistered URI or an invalid id_token is refused, and the session continues`(
        parameters: [String: String]
    ) async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let response = try await browser.get("/end_session?\(FormParameters(parameters).query)")
            #expect(response.status == .badRequest)
            #expect(response.headers[.location] == nil)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
        }
    }
}
