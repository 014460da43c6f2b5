import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PushedRequestTests {
    private func push(_ identity: TestIdentity, _ changes: [String: String?] = [:]) async throws -> String {
        let response = try await identity.post("/par", TestIdentity.request(changes))
        #expect(response.status == .created)
        #expect(response.members["expires_in"] == 600)
        return try #require(response.members["request_uri"]?.string)
    }

    @Test func `A pushed request issues one code and ignores other parameters of the browser's URL`() async throws {
        try await TestIdentity.with { identity in
            let uri = try await push(identity)
            let browser = TestBrowser(identity)
            let query = ["client_id": "pub", "request_uri": uri, "scope": "email", "state": "changed"]
            let answer = try await browser.signIn(query)
            #expect(answer["state"] == "a state")
            let tokens = try TestTokens(try await identity.redeem(try #require(answer["code"])))
            #expect(tokens.members["scope"] == "openid profile api")
            #expect(try await browser.authorize(query).status == .badRequest)
        }
    }

    @Test func `A pushed request is valid for its client only and for ten minutes`() async throws {
        try await TestIdentity.with { identity in
            let uri = try await push(identity)
            let browser = TestBrowser(identity)
            #expect(try await browser.authorize(["client_id": "conf", "request_uri": uri]).status == .badRequest)
            #expect(try await browser.authorize(["client_id": "pub", "request_uri": uri]).status == .ok)
            identity.clock.advance(601)
            #expect(try await browser.authorize(["client_id": "pub", "request_uri": uri]).status == .badRequest)
        }
    }

    @Test func `A pushed request issues one code even if two of its pages are open`() async throws {
        try await TestIdentity.with { identity in
            let query = ["client_id": "pub", "request_uri": try await push(identity)]
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let first = try await browser.authorize(query)
            let second = try await browser.authorize(query)
            #expect(try await browser.answer(first, ["decision": "allow"]).sentBack["code"] != nil)
            #expect(try await browser.answer(second, ["decision": "allow"]).status == .badRequest)
        }
    }

    @Test(
        arguments: [
            (["redirect_uri": "https://evil.example/"], "invalid_request"), (["scope": "admin"], "invalid_scope"),
            (["code_challenge": nil], "invalid_request"), (["client_id": nil], "invalid_request"),
            (["client_id": "conf"], "invalid_client"), (["request_uri": "urn:x"], "invalid_request"),
        ] as [([String: String?], String)]
    )
    func `An invalid request is refused when it is pushed`(change: [String: String?], error: String) async throws {
        try await TestIdentity.with { (identity) async throws in
            #expect(try await identity.post("/par", TestIdentity.request(change)).refusal == error)
        }
    }

    @Test func `A DPoP proof of a pushed request binds the code to its key`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let text = try await proof("POST", "/par")
            let response = try await identity.post("/par", TestIdentity.request(), proof: text)
            let uri = try #require(response.members["request_uri"]?.string)
            let answer = try await TestBrowser(identity).signIn(["client_id": "pub", "request_uri": uri])
            #expect(try await identity.redeem(try #require(answer["code"])).refusal == "invalid_grant")
            let other = try await identity.post(
                "/par",
                TestIdentity.request(["dpop_jkt": "another"]),
                proof: try await proof("POST", "/par")
            )
            #expect(other.refusal == "invalid_dpop_proof")
        }
    }

    @Test func `A client that is registered to require pushed requests cannot use others`() async throws {
        try await TestIdentity.with({ $0.clients[0].metadata.demandsPushedRequests = true }) { identity in
            let plain = try await TestBrowser(identity).authorize(TestIdentity.request()).sentBack
            #expect(plain["error"] == "invalid_request")
            let query = ["client_id": "pub", "request_uri": try await push(identity)]
            #expect(try await TestBrowser(identity).signIn(query)["code"] != nil)
        }
    }
}
