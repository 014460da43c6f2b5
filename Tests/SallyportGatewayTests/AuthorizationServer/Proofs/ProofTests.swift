import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ProofTests {
    @Test func `A DPoP-bound token needs a new proof of its key for each call`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let tokens = try await identity.tokens(proof: try await proof())
            let token = tokens.access
            #expect(tokens.members["token_type"] == "DPoP")
            let claims = try JsonWebSignature(parsing: token).claims()
            #expect(claims["cnf"]?["jkt"]?.string == (try proof.thumbprint))
            for _ in 0..<2 {
                let good = try await proof("GET", "/protected", token: token)
                #expect(try await identity.get("/protected", authorization: "DPoP \(token)", proof: good).status == .ok)
            }
            let asBearer = try await identity.get("/protected", authorization: "Bearer \(token)")
            #expect(asBearer.refusal == "invalid_token")
            let without = try await identity.get("/protected", authorization: "DPoP \(token)")
            #expect(without.status == .unauthorized)
            #expect(without.refusal == "invalid_dpop_proof")
            let another = try await TestProof(identity)("GET", "/protected", token: token)
            let other = try await identity.get("/protected", authorization: "DPoP \(token)", proof: another)
            #expect(other.refusal == "invalid_token")
            #expect(other.headers[.wwwAuthenticate]?.hasPrefix("DPoP algs=\"") == true)
            let plain = try await identity.tokens().access
            let unbound = try await proof("GET", "/protected", token: plain)
            #expect(
                try await identity.get("/protected", authorization: "DPoP \(plain)", proof: unbound).refusal
                    == "invalid_token"
            )
        }
    }

    @Test(
        arguments: [
            ["htm": "GET"], ["htm": nil], ["htu": "http://127.0.0.1/other"], ["htu": "http://evil.example/token"],
            ["htu": nil], ["iat": 1_799_999_900], ["iat": 1_800_000_100], ["iat": nil], ["jti": nil], ["jti": ""],
            ["htu": "http://127.0.0.1:81/token"],
        ] as [[String: JsonValue?]]
    )
    func `A proof with a claim that does not match the request is refused, and the code remains valid`(
        change: [String: JsonValue?]
    ) async throws {
        try await TestIdentity.with { identity in
            let proof = try await TestProof(identity)("POST", "/token", change)
            let code = try await identity.code()
            let response = try await identity.redeem(code, proof: proof)
            #expect(response.status == .badRequest)
            #expect(response.refusal == "invalid_dpop_proof")
            // The refused request has not consumed the code.
            #expect(try await identity.redeem(code).status == .ok)
        }
    }

    @Test(arguments: [["typ": "JWT"], ["jwk": nil], ["jwk": ["kty": "oct", "k": "AAAA"]]] as [[String: JsonValue?]])
    func `A proof with an invalid header is refused`(change: [String: JsonValue?]) async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let text = try await proof(header: change.mapValues { $0 ?? .null })
            #expect(try await identity.redeem(try await identity.code(), proof: text).refusal == "invalid_dpop_proof")
        }
    }

    @Test func `A proof that contains the private key or is signed with another key is refused`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let secret = try await proof(header: ["jwk": .object(#require(proof.key.privateJsonWebKey).members)])
            #expect(try await identity.redeem(try await identity.code(), proof: secret).refusal == "invalid_dpop_proof")
            let another = try TestProof(identity).key.publicJsonWebKey!
            let foreign = try await proof(header: ["jwk": .object(another.members)])
            #expect(
                try await identity.redeem(try await identity.code(), proof: foreign).refusal == "invalid_dpop_proof"
            )
        }
    }

    @Test func `A proof with a key of small order, which anybody can sign for, is refused`() async throws {
        try await TestIdentity.with { identity in
            // The neutral element as the key, and as R in a signature whose S is zero: they verify any message.
            let neutral = Data([1]) + Data(count: 31)
            let header: JsonValue = [
                "typ": "dpop+jwt", "alg": "EdDSA",
                "jwk": ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64Url.encode(neutral))],
            ]
            let claims: JsonValue = [
                "jti": "1", "htm": "POST", "htu": "http://127.0.0.1/token", "iat": .seconds(identity.clock.now),
            ]
            let parts = [try JSONEncoder().encode(header), try JSONEncoder().encode(claims), neutral + Data(count: 32)]
            let proof = parts.map(Base64Url.encode).joined(separator: ".")
            let response = try await identity.redeem(try await identity.code(), proof: proof)
            #expect(response.refusal == "invalid_dpop_proof")
            #expect(response.text.contains("small order"))
        }
    }

    @Test func `A proof is accepted only once`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let once = try await proof()
            _ = try await identity.tokens(proof: once)
            #expect(try await identity.redeem(try await identity.code(), proof: once).refusal == "invalid_dpop_proof")
            identity.clock.advance(59)
            #expect(try await identity.redeem(try await identity.code(), proof: once).refusal == "invalid_dpop_proof")
        }
    }

    @Test func `The htu of a proof is normalized, and its query and fragment are ignored`() async throws {
        try await TestIdentity.with { identity in
            for address in ["HTTP://127.0.0.1:80/token", "http://127.0.0.1/token?x=y", "http://127.0.0.1/token#x"] {
                let proof = try await TestProof(identity)("POST", "/token", ["htu": .string(address)])
                _ = try await identity.tokens(proof: proof)
            }
        }
    }

    @Test(arguments: [nil, "another"])
    func `A proof without the ath of the access token is refused`(hashed: String?) async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let token = try await identity.tokens(proof: try await proof()).access
            let text = try await proof("GET", "/protected", token: hashed)
            let response = try await identity.get("/protected", authorization: "DPoP \(token)", proof: text)
            #expect(response.refusal == "invalid_dpop_proof")
        }
    }

    @Test func `If a nonce is required, a proof without a current one is refused, and the code remains valid`()
        async throws
    {
        try await TestIdentity.with({ $0.demandsProofNonces = true }) { identity in
            let proof = try TestProof(identity)
            let name = try #require(HTTPField.Name("DPoP-Nonce"))
            let code = try await identity.code()
            let first = try await identity.redeem(code, proof: try await proof())
            #expect(first.status == .badRequest)
            #expect(first.refusal == "use_dpop_nonce")
            let nonce = try #require(first.headers[name])
            let forged = try await identity.redeem(code, proof: try await proof(nonce: nonce + "x"))
            #expect(forged.refusal == "use_dpop_nonce")
            let token = try TestTokens(try await identity.redeem(code, proof: try await proof(nonce: nonce))).access
            identity.clock.advance(200)
            let second = try await proof("GET", "/protected", token: token, nonce: nonce)
            #expect(try await identity.get("/protected", authorization: "DPoP \(token)", proof: second).status == .ok)
            await identity.server.rotateProofNonces()
            let third = try await proof("GET", "/protected", token: token, nonce: nonce)
            let stale = try await identity.get("/protected", authorization: "DPoP \(token)", proof: third)
            #expect(stale.status == .unauthorized)
            #expect(stale.refusal == "use_dpop_nonce")
            #expect(stale.headers[.wwwAuthenticate]?.contains("use_dpop_nonce") == true)
            let next = try #require(stale.headers[name])
            identity.clock.advance(301)
            let old = try await proof("GET", "/protected", token: token, nonce: next)
            #expect(
                try await identity.get("/protected", authorization: "DPoP \(token)", proof: old).status == .unauthorized
            )
        }
    }

    @Test func `A client that is registered to require proofs cannot request tokens without one`() async throws {
        try await TestIdentity.with({ $0.clients[0].metadata.demandsProofs = true }) { identity in
            let code = try await identity.code()
            #expect(try await identity.redeem(code).refusal == "invalid_dpop_proof")
            #expect(try await identity.redeem(code, proof: try await TestProof(identity)()).status == .ok)
        }
    }
}
