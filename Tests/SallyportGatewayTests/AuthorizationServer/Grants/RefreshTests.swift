import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct RefreshTests {
    @Test func `A refresh token is replaced by each refresh, and refreshes are counted`() async throws {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            let second = try TestTokens(try await identity.refresh(first.refresh))
            #expect(second.refresh != first.refresh)
            #expect(second.access != first.access)
            let third = try TestTokens(try await identity.refresh(second.refresh))
            #expect(try await identity.get("/protected", authorization: "Bearer \(third.access)").status == .ok)
            #expect(await identity.server.statistics.refreshes == 2)
        }
    }

    @Test func `Without a reuse interval, using a refresh token again revokes its grant and no other`() async throws {
        try await TestIdentity.with({ $0.lifetimes.refreshTokenReuse = 0 }) { identity in
            let other = try await identity.tokens()
            let first = try await identity.tokens()
            let second = try TestTokens(try await identity.refresh(first.refresh))
            #expect(try await identity.refresh(first.refresh).refusal == "invalid_grant")
            #expect(try await identity.refresh(second.refresh).refusal == "invalid_grant")
            for access in [first.access, second.access] {
                #expect(try await identity.get("/protected", authorization: "Bearer \(access)").status == .unauthorized)
            }
            #expect(try await identity.refresh(other.refresh).status == .ok)
        }
    }

    @Test func `Without a reuse interval, one of many concurrent refreshes succeeds`() async throws {
        try await TestIdentity.with({ $0.lifetimes.refreshTokenReuse = 0 }) { identity in
            let tokens = try await identity.tokens()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await identity.refresh(tokens.refresh).status.code } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
        }
    }

    @Test func `Within the reuse interval, a spent refresh token returns the same response again, also concurrently`()
        async throws
    {
        try await TestIdentity.with({ $0.lifetimes.refreshTokenReuse = 5 }) { identity in
            let first = try await identity.tokens()
            let responses = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<20 { group.addTask { try await identity.refresh(first.refresh) } }
                return try await group.reduce(into: [TestResponse]()) { $0.append($1) }
            }
            let second = try TestTokens(responses[0])
            for response in responses { #expect(try TestTokens(response).members == second.members) }
            identity.clock.advance(4.9)
            #expect(try TestTokens(try await identity.refresh(first.refresh)).members == second.members)
            #expect(try await identity.get("/protected", authorization: "Bearer \(second.access)").status == .ok)
            #expect(try await identity.refresh(second.refresh).status == .ok)
        }
    }

    @Test func `After the reuse interval, using a spent refresh token revokes the grant`() async throws {
        try await TestIdentity.with({ $0.lifetimes.refreshTokenReuse = 5 }) { identity in
            let first = try await identity.tokens()
            let second = try TestTokens(try await identity.refresh(first.refresh))
            #expect(try await identity.refresh(first.refresh).status == .ok)
            identity.clock.advance(5)
            #expect(try await identity.refresh(first.refresh).refusal == "invalid_grant")
            #expect(try await identity.refresh(second.refresh).refusal == "invalid_grant")
        }
    }

    @Test
    func `Within the reuse interval, a spent token whose successor is spent is refused, and the grant remains valid`()
        async throws
    {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            let second = try TestTokens(try await identity.refresh(first.refresh))
            let third = try TestTokens(try await identity.refresh(second.refresh))
            #expect(try await identity.refresh(first.refresh).refusal == "invalid_grant")
            #expect(try await identity.refresh(third.refresh).status == .ok)
        }
    }

    @Test func `The reuse interval does not apply to another client, other scopes or a revoked grant`()
        async throws
    {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            #expect(try await identity.refresh(first.refresh).status == .ok)
            let form = ["grant_type": "refresh_token", "refresh_token": first.refresh]
            #expect(try await identity.post("/token", form, basic: "conf:s3cret-conf").refusal == "invalid_grant")
            #expect(try await identity.refresh(first.refresh).status == .ok)
            #expect(try await identity.refresh(first.refresh, ["scope": "api"]).refusal == "invalid_grant")
            #expect(try await identity.refresh(first.refresh).refusal == "invalid_grant")
            let other = try await identity.tokens()
            #expect(try await identity.refresh(other.refresh).status == .ok)
            await identity.server.revokeEverything()
            #expect(try await identity.refresh(other.refresh).refusal == "invalid_grant")
        }
    }

    @Test func `Within the reuse interval, a spent DPoP-bound refresh token needs a proof of the same key`()
        async throws
    {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let another = try TestProof(identity)
            let first = try await identity.tokens(proof: try await proof())
            let second = try TestTokens(try await identity.refresh(first.refresh, proof: try await proof()))
            let again = try TestTokens(try await identity.refresh(first.refresh, proof: try await proof()))
            #expect(again.members == second.members)
            #expect(try await identity.refresh(first.refresh, proof: try await another()).refusal == "invalid_grant")
            #expect(try await identity.refresh(second.refresh, proof: try await proof()).refusal == "invalid_grant")
        }
    }

    @Test func `Without rotation, the refresh token stays the same`() async throws {
        try await TestIdentity.with({ $0.rotatesRefreshTokens = false }) { identity in
            let first = try await identity.tokens()
            for _ in 0..<2 {
                let next = try TestTokens(try await identity.refresh(first.refresh))
                #expect(next.members["refresh_token"] == nil)
            }
        }
    }

    @Test func `A refresh can request fewer scopes, but no more than the grant, and does not reduce the grant`()
        async throws
    {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            let second = try TestTokens(try await identity.refresh(first.refresh, ["scope": "api"]))
            #expect(second.members["scope"] == "api")
            #expect(second.members["id_token"] == nil)
            #expect(try await identity.refresh(second.refresh, ["scope": "email"]).refusal == "invalid_scope")
            let third = try TestTokens(try await identity.refresh(second.refresh))
            #expect(third.members["scope"] == "openid profile api")
        }
    }

    @Test func `A refresh token is refused for another client and after 30 days`() async throws {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            let form = ["grant_type": "refresh_token", "refresh_token": tokens.refresh]
            #expect(try await identity.post("/token", form, basic: "conf:s3cret-conf").refusal == "invalid_grant")
            #expect(try await identity.refresh("not-one").refusal == "invalid_grant")
            identity.clock.advance(30 * 24 * 3600 + 1)
            #expect(try await identity.refresh(tokens.refresh).refusal == "invalid_grant")
        }
    }

    @Test func `Each refresh extends the lifetime of the grant to another 30 days`() async throws {
        try await TestIdentity.with { identity in
            var token = try await identity.tokens().refresh
            for _ in 0..<4 {
                identity.clock.advance(20 * 24 * 3600)
                token = try TestTokens(try await identity.refresh(token)).refresh
            }
        }
    }

    @Test func `The refresh token of a public client is bound to the key of the first proof`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let another = try TestProof(identity)
            let first = try await identity.tokens(proof: try await proof())
            #expect(try await identity.refresh(first.refresh).refusal == "invalid_dpop_proof")
            #expect(
                try await identity.refresh(first.refresh, proof: try await another()).refusal == "invalid_dpop_proof"
            )
            let second = try TestTokens(try await identity.refresh(first.refresh, proof: try await proof()))
            #expect(second.members["token_type"] == "DPoP")
        }
    }

    @Test func `A refresh returns an id_token with the same auth_time and without a nonce`() async throws {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            identity.clock.advance(100)
            let second = try TestTokens(try await identity.refresh(first.refresh))
            let before = try JsonWebSignature(parsing: first.id).claims()
            let after = try JsonWebSignature(parsing: second.id).claims()
            #expect(before["nonce"] == "a-nonce")
            #expect(after["nonce"] == nil)
            #expect(after["auth_time"] == before["auth_time"])
            #expect(after["sub"] == before["sub"])
            #expect(after["iat"] == .integer(before["iat"]!.integer! + 100))
        }
    }
}
