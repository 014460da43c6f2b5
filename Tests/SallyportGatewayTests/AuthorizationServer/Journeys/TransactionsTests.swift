import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct TransactionsTests {
    /// Returns the advice that a response redirects to.
    private func advice(_ response: HttpResponse, of journey: JourneyClient) throws -> String {
        #expect(response.status.code == 307)
        let location = try #require(response.getHeader(name: "Location"))
        #expect(location.hasPrefix(journey.base + "/?goto="))
        let parameters = try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
        #expect(parameters["realm"] == "/")
        #expect(parameters["authIndexType"] == "composite_advice")
        return try #require(parameters["authIndexValue"])
    }

    private func transactionID(_ advice: String) throws -> String {
        let prefix =
            #"<Advices><AttributeValuePair><Attribute name="TransactionConditionAdvice"/><Value>"#
        #expect(advice.hasPrefix(prefix))
        return String(advice.dropFirst(prefix.count).prefix { $0 != "<" })
    }

    /// Begins the tree of an advice.
    private func start(_ journey: JourneyClient, _ advice: String, session: String?) async throws -> JourneyResponse {
        let value = advice.formEncoded
        return try await journey.authenticate(
            "?authIndexType=composite_advice&authIndexValue=\(value)",
            session: session
        )
    }

    @Test func `A call is allowed once, after the user has authorized its transaction by the tree`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let path = "/protected/transaction"
            let advice = try advice(try await journey.get(path, session: session), of: journey)
            let id = try transactionID(advice)
            // Not yet authorized
            #expect(try await journey.get("\(path)?_txid=\(id)", session: session).status.code == 307)
            let step = try await start(journey, advice, session: session)
            #expect(step.types == ["PasswordCallback"])
            let end = try await journey.answer(step, ["IDToken1": "wonderland"])
            // The session stays the same.
            #expect(try end.token == session)
            #expect(end.response.getHeader(name: "Set-Cookie") == nil)
            let allowed = try await journey.get("\(path)?_txid=\(id)", session: session)
            #expect(
                try allowed.decode([String: JsonValue].self) == ["message": "Access granted.", "username": "alice"]
            )
            #expect(try await journey.get("\(path)?_txid=\(id)", session: session).status.code == 307)
        }
    }

    @Test func `The advice is a challenge if the call asks for it`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            for (path, name) in [
                ("/protected/transaction", "TransactionConditionAdvice"),
                ("/protected/tree", "AuthenticateToServiceConditionAdvice"),
            ] {
                let response = try await journey.get(
                    path,
                    session: session,
                    headers: ["X-Authenticate-Response": "header"]
                )
                #expect(response.status.code == 401)
                let challenge = try #require(response.getHeader(name: "WWW-Authenticate"))
                let match = try #require(
                    challenge.wholeMatch(of: /SSOADVICE realm="\/",advices="([A-Za-z0-9+\/=]+)",am_uri="([^"]+)"/)
                )
                #expect(match.2 == journey.base)
                let advices = try #require(Data(base64Encoded: String(match.1)))
                let members = try JSONDecoder().decode([String: [String]].self, from: advices)
                #expect(members.keys.first == name)
                if path == "/protected/tree" { #expect(members.values.first == ["/:StepUp"]) }
            }
        }
    }

    @Test func `A transaction belongs to its session and call, and expires`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let other = try await journey.signIn()
            let path = "/protected/transaction"
            let advice = try advice(try await journey.get(path, session: session), of: journey)
            let refusal = "The transaction has expired, or belongs to another session."
            try await start(journey, advice, session: other).expectRefusal(400, refusal)
            try await start(journey, advice, session: nil)
                .expectRefusal(401, "Access Denied: the request needs a valid session.")
            let step = try await start(journey, advice, session: session)
            _ = try await journey.answer(step, ["IDToken1": "wonderland"]).token
            let id = try transactionID(advice)
            #expect(try await journey.get("\(path)?_txid=\(id)", session: other).status.code == 307)
            let another = try await journey.client.request { request in
                request.url = "\(journey.base)\(path)?_txid=\(id)"
                request.delete()
                request.setHeader(name: "iPlanetDirectoryPro", value: session)
            }
            #expect(another.status.code == 307)
            journey.clock.advance(301)
            #expect(try await journey.get("\(path)?_txid=\(id)", session: session).status.code == 307)
            try await start(journey, advice, session: session).expectRefusal(400, refusal)
        }
    }

    @Test func `A wrong password does not authorize the transaction, and the session stays`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let path = "/protected/transaction"
            let advice = try advice(try await journey.get(path, session: session), of: journey)
            let step = try await start(journey, advice, session: session)
            try await journey.answer(step, ["IDToken1": "wrong"])
                .expectRefusal(401, "Login failure", ["failureUrl": ""])
            let id = try transactionID(advice)
            #expect(try await journey.get("\(path)?_txid=\(id)", session: session).status.code == 307)
            #expect(try await journey.start("Login", session: session).token == session)
        }
    }

    @Test func `A transaction that another browser completes by a link does not give it the session`() async throws {
        let trees = """
            {
              "Login": {"start": "n", "nodes": {
                "n": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
                "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
              }},
              "StepUp": {"start": "link", "nodes": {
                "link": {"type": "suspend", "next": "confirm"},
                "confirm": {"type": "message", "message": "Confirm", "next": "success"}
              }}
            }
            """
        try await JourneyClient.with({ $0.trees = try JourneyTrees(json: Data(trees.utf8)) }) { journey in
            let session = try await journey.signIn()
            let path = "/protected/transaction"
            for isKnown in [false, true] {
                let advice = try advice(try await journey.get(path, session: session), of: journey)
                _ = try await start(journey, advice, session: session)
                let link = try #require(await journey.server.inbox.first?.link)
                let suspended = String(try #require(link.split(separator: "suspendedId=").last))
                let page = try await journey.authenticate(
                    "?suspendedId=\(suspended)",
                    session: isKnown ? session : nil
                )
                #expect(page.types == ["TextOutputCallback", "ConfirmationCallback"])
                let end = try await journey.answer(page)
                #expect(end.members["tokenId"]?.string == (isKnown ? session : nil))
                #expect(end.members["realm"] == "/")
                let id = try transactionID(advice)
                #expect(try await journey.get("\(path)?_txid=\(id)", session: session).status.code == 200)
            }
        }
    }

    @Test func `An advice for another realm is refused`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let advice = SessionAdvice.tree("StepUp", realm: "/alpha").xml
            try await start(journey, advice, session: session)
                .expectRefusal(400, "The advice is for the realm /alpha, but the request is to /.")
        }
    }

    @Test func `A call without a session is refused without an advice`() async throws {
        try await JourneyClient.with { journey in
            for path in ["/protected/transaction", "/protected/tree"] {
                try JourneyResponse(try await journey.get(path))
                    .expectRefusal(401, "Access Denied: the request needs a valid session.")
            }
        }
    }

    @Test func `A call with an access token is part of the session in which the token was issued`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn(realm: "alpha")
            let headers = ["Authorization": "Bearer \(try await journey.accessToken(session, realm: "alpha"))"]
            let path = "/protected/transaction"
            let challenged = try await journey.get(
                path,
                headers: headers.merging(["X-Authenticate-Response": "header"]) { $1 }
            )
            #expect(challenged.getHeader(name: "WWW-Authenticate")?.hasPrefix(#"SSOADVICE realm="/alpha","#) == true)
            let location = try #require(try await journey.get(path, headers: headers).getHeader(name: "Location"))
            let parameters = try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
            let advice = try #require(parameters["authIndexValue"])
            let step = try await journey.authenticate(
                "?authIndexType=composite_advice&authIndexValue=\(advice.formEncoded)",
                realm: "alpha",
                session: session
            )
            _ = try await journey.answer(step, ["IDToken1": "wonderland"], realm: "alpha").token
            let id = try transactionID(advice)
            #expect(try await journey.get("\(path)?_txid=\(id)", headers: headers).status.code == 200)
            let forged = try await journey.get(path, headers: ["Authorization": "Bearer forged"])
            #expect(forged.status.code == 401)
            #expect(
                forged.getHeader(name: "WWW-Authenticate")?
                    .hasPrefix(#"Bearer realm="sallyport", scope="api", error="invalid_token""#) == true
            )
        }
    }

    @Test func `A call with a DPoP-bound token receives the nonce that its proof needs`() async throws {
        try await TestIdentity.with({ $0.demandsProofNonces = true }) { identity in
            let proof = try TestProof(identity)
            let name = try #require(HTTPField.Name("DPoP-Nonce"))
            let code = try await identity.code()
            let first = try await identity.redeem(code, proof: try await proof())
            let nonce = try #require(first.headers[name])
            let token = try TestTokens(try await identity.redeem(code, proof: try await proof(nonce: nonce))).access
            let path = "/protected/transaction"
            let without = try await proof("GET", path, token: token)
            let refused = try await identity.get(path, authorization: "DPoP \(token)", proof: without)
            #expect(refused.status == .unauthorized)
            #expect(refused.refusal == "use_dpop_nonce")
            let nextNonce = try #require(refused.headers[name])
            let next = try await proof("GET", path, token: token, nonce: nextNonce)
            let called = try await identity.get(path, authorization: "DPoP \(token)", proof: next)
            #expect(called.status == .temporaryRedirect)
        }
    }

    @Test func `A transaction authorizes the call only with the same parameters`() async throws {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let path = "/protected/transaction"
            let advice = try advice(
                try await journey.get("\(path)?amount=1&to=bob", session: session),
                of: journey
            )
            let step = try await start(journey, advice, session: session)
            _ = try await journey.answer(step, ["IDToken1": "wonderland"]).token
            let id = try transactionID(advice)
            for query in ["", "amount=100000&to=bob&", "amount=1&"] {
                let other = try await journey.get("\(path)?\(query)_txid=\(id)", session: session)
                #expect(other.status.code == 307)
            }
            let same = try await journey.get("\(path)?to=bob&_txid=\(id)&amount=1", session: session)
            #expect(same.status.code == 200)
        }
    }

    @Test func `An authorization request for a tree (acr_values) needs a session of that tree`() async throws {
        try await JourneyClient.with { journey in
            func authorize(_ session: String) async throws -> FormParameters {
                let query = FormParameters(TestIdentity.request(["acr_values": "Gold StepUp"])).query
                let response = try await journey.get("/oauth2/realms/root/authorize?\(query)", session: session)
                let location = try #require(response.getHeader(name: "Location"))
                return try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
            }
            let session = try await journey.signIn()
            let refused = try await authorize(session)
            #expect(refused["error"] == "unmet_authentication_requirements")
            #expect(refused["code"] == nil)
            let step = try await journey.start("StepUp", session: session)
            let stronger = try await journey.answer(step, ["IDToken1": "wonderland"]).token
            #expect(try await authorize(stronger)["code"] != nil)
        }
    }

    @Test func `A call that needs a tree is allowed with the session of that tree, which replaces the old one`()
        async throws
    {
        try await JourneyClient.with { journey in
            let session = try await journey.signIn()
            let advice = try advice(try await journey.get("/protected/tree", session: session), of: journey)
            let step = try await start(journey, advice, session: session)
            let new = try await journey.answer(step, ["IDToken1": "wonderland"]).token
            #expect(new != session)
            #expect(try await journey.get("/protected/tree", session: new).status.code == 200)
            try JourneyResponse(try await journey.get("/protected/tree", session: session))
                .expectRefusal(401, "Access Denied: the request needs a valid session.")
        }
    }

    @Test func `A token of another tree or an old login is challenged to step up (RFC 9470)`() async throws {
        try await JourneyClient.with({ $0.lifetimes.accessToken = 3600 }) { journey in
            func call(_ token: String, _ query: String = "") async throws -> HttpResponse {
                try await journey.get(
                    "/protected/step-up\(query)",
                    headers: ["Authorization": "Bearer \(token)"]
                )
            }
            let session = try await journey.signIn()
            let weak = try await call(try await journey.accessToken(session))
            #expect(weak.status.code == 401)
            #expect(
                weak.getHeader(name: "WWW-Authenticate")
                    == #"Bearer realm="sallyport", scope="api", error="insufficient_user_authentication", "#
                    + #"error_description="The user must sign in by another tree (acr_values).", "#
                    + #"acr_values="StepUp""#
            )
            let step = try await journey.start("StepUp", session: session)
            let stronger = try await journey.answer(step, ["IDToken1": "wonderland"]).token
            let strong = try await journey.accessToken(stronger)
            #expect(try await call(strong).status.code == 200)
            journey.clock.advance(61)
            #expect(try await call(strong, "?max_age=61").status.code == 200)
            let old = try await call(strong, "?max_age=60")
            #expect(old.status.code == 401)
            #expect(
                old.getHeader(name: "WWW-Authenticate")?.hasSuffix(#"acr_values="StepUp", max_age="60""#) == true
            )
        }
    }

    @Test(
        arguments: [
            "", "<Advices/>",
            #"<Advices><AttributeValuePair><Attribute name="X"/><Value>a</Value></AttributeValuePair></Advices>"#,
            #"<Advices><AttributeValuePair><Attribute name="TransactionConditionAdvice"/><Value></Value></AttributeValuePair></Advices>"#,
            #"<Advices><AttributeValuePair><Attribute name="AuthenticateToServiceConditionAdvice"/><Value>A</Value></AttributeValuePair></Advices>"#,
            #"<Advices><AttributeValuePair><Attribute name="TransactionConditionAdvice"/><Value>&a;</Value></AttributeValuePair></Advices>"#,
        ]
    )
    func `An advice in another format is not parsed`(xml: String) {
        #expect(SessionAdvice(xml: xml) == nil)
    }

    @Test func `An advice is parsed from its own XML`() {
        for advice in [SessionAdvice.transaction("a-1"), .tree("StepUp", realm: "/")] {
            #expect(SessionAdvice(xml: advice.xml) == advice)
        }
        let spaced = SessionAdvice.tree("A", realm: "/alpha").xml.replacing("><", with: ">\n  <")
        #expect(SessionAdvice(xml: spaced) == .tree("A", realm: "/alpha"))
    }
}
