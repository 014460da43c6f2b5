import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct CodeGrantTests {
    @Test func `A code is exchanged for tokens by its client with the code verifier`() async throws {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            #expect(tokens.members["token_type"] == "Bearer")
            #expect(tokens.members["expires_in"] == 300)
            #expect(tokens.members["scope"] == "openid profile api")
            let response = try await identity.get("/protected", authorization: "Bearer \(tokens.access)")
            #expect(response.status == .ok)
            #expect(response.members["username"] == "alice")
            #expect(await identity.server.statistics.grants == ["authorization_code": 1])
        }
    }

    @Test func `Using a code again is refused and revokes its tokens`() async throws {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            let tokens = try TestTokens(try await identity.redeem(code))
            let again = try await identity.redeem(code)
            #expect(again.status == .badRequest)
            #expect(again.refusal == "invalid_grant")
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
            #expect(try await identity.refresh(tokens.refresh).refusal == "invalid_grant")
        }
    }

    @Test func `Exactly one of many concurrent requests redeems a code`() async throws {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await identity.redeem(code).status.code } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
            #expect(statuses.count { $0 == 400 } == 19)
        }
    }

    @Test(
        arguments: [
            ["code_verifier": "another-verifier-of-at-least-forty-three-characters"],
            ["redirect_uri": "http://127.0.0.1:8766/cb"],
        ]
    )
    func `A code with another verifier or redirect URI is refused and becomes invalid`(change: [String: String])
        async throws
    {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            #expect(try await identity.redeem(code, change).refusal == "invalid_grant")
            #expect(try await identity.redeem(code).refusal == "invalid_grant")
        }
    }

    @Test(arguments: ["code", "redirect_uri", "code_verifier", "grant_type", "client_id"])
    func `A token request without a required parameter is refused, and the code remains valid`(name: String)
        async throws
    {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            let response = try await identity.redeem(code, [name: nil])
            #expect(response.refusal == "invalid_request")
            #expect(response.members["error_description"]?.string?.contains(name) == true)
            #expect(try await identity.redeem(code).status == .ok)
        }
    }

    @Test func `A code is refused for another client and remains valid for its own`() async throws {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            #expect(try await identity.redeem(code, basic: "conf:s3cret-conf").refusal == "invalid_grant")
            #expect(try await identity.redeem(code).status == .ok)
        }
    }

    @Test func `A code expires after ten minutes`() async throws {
        try await TestIdentity.with { identity in
            let code = try await identity.code()
            identity.clock.advance(601)
            #expect(try await identity.redeem(code).refusal == "invalid_grant")
        }
    }

    @Test func `A code requested with dpop_jkt can be redeemed only with a proof of that key`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let another = try TestProof(identity)
            let bound: [String: String?] = ["dpop_jkt": try proof.thumbprint]
            let first = try await identity.redeem(try await identity.code(bound), proof: try await another())
            #expect(first.refusal == "invalid_grant")
            let second = try await identity.redeem(try await identity.code(bound), proof: try await proof())
            #expect(second.members["token_type"] == "DPoP")
        }
    }
}
