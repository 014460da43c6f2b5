import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ProofTests {
    private let identity: MockIdentityServer
    private let bound = MockResponse.tokens(["token_type": "DPoP", "refresh_token": "refresh-1"])

    init() throws { identity = try MockIdentityServer() }

    private func client() -> OAuthClient { identity.client { $0.usesDPoP = true } }

    /// Returns the verified proofs that were sent to a path.
    private func proofs(_ path: String) async throws -> [ProofOfPossession] {
        var proofs: [ProofOfPossession] = []
        for request in identity.transport.requests where request.path == path {
            proofs.append(try ProofOfPossession(verifying: request.header("DPoP") ?? ""))
        }
        return proofs
    }

    @Test func `Each token request has its own DPoP proof, signed with the key stored with the tokens`()
        async throws
    {
        identity.answerTokens(bound)
        let client = client()
        let first = try await client.clientCredentialsTokens()
        let second = try await client.refresh(first)
        #expect(first.tokenType == "DPoP")
        #expect(second.proofKey == first.proofKey)
        let proofs = try await proofs("/token")
        #expect(Set(proofs.map(\.identifier)).count == 2)
        let thumbprint = try first.proofKey?.publicJsonWebKey?.thumbprint()
        for proof in proofs {
            #expect(proof.thumbprint == thumbprint)
            try proof.check(method: "POST", url: "https://id.example.com/token", at: MockIdentityServer.now)
        }
    }

    @Test func `Each authorization request has its own DPoP key`() async throws {
        let client = client()
        let keys = [try await client.authorizationRequest().proofKey, try await client.authorizationRequest().proofKey]
        #expect(keys[0] != nil && keys[0] != keys[1])
    }

    @Test func `A demanded DPoP nonce is sent in the second attempt, and the latest nonce in later requests`()
        async throws
    {
        let wanted = MockResponse.refusal("use_dpop_nonce").header(try #require(.init("DPoP-Nonce")), "nonce-1")
        let renewed = bound.header(try #require(.init("DPoP-Nonce")), "nonce-2")
        identity.answerTokens(wanted, renewed, bound)
        let client = client()
        let tokens = try await client.clientCredentialsTokens()
        _ = try await client.refresh(tokens)
        #expect(try await proofs("/token").map(\.nonce) == [nil, "nonce-1", "nonce-2"])
    }

    @Test func `A server that demands a new DPoP nonce each time receives only two requests`() async throws {
        let count = Locked(0)
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        identity.transport.on(.post, "/token") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return MockResponse.refusal("use_dpop_nonce").header(name, "nonce-\(number)")
        }
        let error = try await oauthError { _ = try await client().clientCredentialsTokens() }
        #expect(error.error == "use_dpop_nonce")
        #expect(count.withLock { $0 } == 2)
    }

    @Test(arguments: ["", "a b", "a\"b", String(repeating: "x", count: 1025)])
    func `An invalid DPoP nonce is not sent, and the request is not repeated`(nonce: String) async throws {
        identity.answerTokens(.refusal("use_dpop_nonce").header(try #require(.init("DPoP-Nonce")), nonce))
        let error = try await oauthError { _ = try await client().clientCredentialsTokens() }
        #expect(error.error == "use_dpop_nonce")
        #expect(identity.count("/token") == 1)
    }

    @Test func `Tokens that the server did not bind to the DPoP key are refused`() async throws {
        identity.answerTokens(.tokens())
        let error = try await oauthError { _ = try await client().clientCredentialsTokens() }
        #expect(error.description.contains("did not bind the tokens"))
    }

    @Test func `For refreshed tokens that are not bound, an error is thrown and only their refresh token is stored`()
        async throws
    {
        identity.answerTokens(.tokens(["access_token": "access-2", "refresh_token": "refresh-2"]))
        let client = client()
        let old = OAuthTokens(
            accessToken: "access-1",
            tokenType: "DPoP",
            expiresAt: MockIdentityServer.now,
            refreshToken: "refresh-1",
            proofKey: try SigningKey.generate(.es256)
        )
        let error = try await oauthError { _ = try await client.refresh(old) }
        #expect(error.description.contains("did not bind the tokens"))
        #expect(error.issuedRefreshToken == "refresh-2")

        let store = MemoryTokenStore(TokenRecord(tokens: old, client: client.identity))
        let session = OAuthSession(refresher: client, store: store) { MockIdentityServer.now }
        await expectError(\OAuthSessionError.kind, "refused") { try await session.tokens() }
        var expected = old
        expected.refreshToken = "refresh-2"
        #expect(await store.load()?.tokens == expected)
    }

    @Test func `A UserInfo request has a DPoP proof for the access token and is repeated with the demanded nonce`()
        async throws
    {
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let count = Locked(0)
        identity.transport.on(.get, "/userinfo") { request in
            let isFirst = count.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            if !isFirst { return .json(#"{"sub": "alice"}"#) }
            return MockResponse.status(401).header(name, "nonce-1")
                .header(.wwwAuthenticate, #"DPoP error="use_dpop_nonce", error_description="…""#)
        }
        let key = try SigningKey.generate(.es256)
        let tokens = OAuthTokens(accessToken: "access-1", tokenType: "DPoP", proofKey: key)
        #expect(try await client().userInfo(tokens).subject == "alice")
        let proofs = try await proofs("/userinfo")
        #expect(proofs.map(\.nonce) == [nil, "nonce-1"])
        let url = "https://id.example.com/userinfo"
        try proofs[1].check(method: "GET", url: url, accessToken: "access-1", at: MockIdentityServer.now)
        #expect(identity.transport.requests.last?.header("Authorization") == "DPoP access-1")
    }

    @Test func `Without DPoP, a request has no proof and is not repeated for use_dpop_nonce`() async throws {
        identity.answerTokens(.refusal("use_dpop_nonce").header(try #require(.init("DPoP-Nonce")), "nonce-1"))
        let error = try await oauthError { _ = try await identity.client().clientCredentialsTokens() }
        #expect(error.error == "use_dpop_nonce")
        #expect(identity.count("/token") == 1)
        #expect(identity.transport.requests.allSatisfy { $0.header("DPoP") == nil })
    }
}
