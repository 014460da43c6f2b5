import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct UserSessionTests {
    private static let logout = ["accept-api-version": "resource=3.1"]

    /// Returns the status of an authorization request with a session in the header, or 200 for the login page.
    private func authorize(_ journey: JourneyClient, _ session: String, realm: String = "root") async throws -> Int {
        let query = FormParameters(TestIdentity.request()).query
        return try await journey.get("/oauth2/realms/\(realm)/authorize?\(query)", session: session).status.code
    }

    @Test func `A session ends after its idle time, which begins again with each use, or its total lifetime`()
        async throws
    {
        try await JourneyClient.with({ configuration in
            configuration.lifetimes.session = 100
            configuration.lifetimes.sessionIdle = 40
        }) { journey in
            let idle = try await journey.signIn()
            journey.clock.advance(40)
            #expect(try await authorize(journey, idle) == 200)
            let used = try await journey.signIn()
            for _ in 0..<3 {
                journey.clock.advance(30)
                #expect(try await authorize(journey, used) == 302)
            }
            journey.clock.advance(10)
            #expect(try await authorize(journey, used) == 200)
        }
    }

    @Test func `A session is accepted in the header and in the cookie of both login page and tree`() async throws {
        try await JourneyClient.with { journey in
            let token = try await journey.signIn()
            let query = FormParameters(TestIdentity.request(["client_id": "conf"])).query
            let consent = try await journey.get(
                "/authorize?\(query)",
                headers: ["Cookie": "iPlanetDirectoryPro=\(token)"]
            )
            #expect(scrapedForm(consent.bodyAsString())?.action == "/authorize/consent")
            // The header of a tree's session
            #expect(try await authorize(journey, token) == 302)
        }
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
            let token = try #require(browser.cookie?.split(separator: "=").last)
            let response = try await identity.client.execute(
                uri: "/authorize?\(FormParameters(TestIdentity.request()).query)",
                method: .get,
                headers: [.init("iPlanetDirectoryPro")!: String(token)]
            )
            #expect(try response.sentBack["code"] != nil)
        }
    }

    @Test func `Consent is implied only for a session in the header and a client that implies it`() async throws {
        try await JourneyClient.with({ $0.clients[1].impliesConsent = false }) { journey in
            let token = try await journey.signIn()
            func page(
                _ client: String,
                _ changes: [String: String?] = [:],
                cookie: Bool = false
            ) async throws -> String? {
                let parameters = TestIdentity.request(changes.merging(["client_id": client]) { $1 })
                let path = "/oauth2/realms/root/authorize?\(FormParameters(parameters).query)"
                let headers = cookie ? ["Cookie": "iPlanetDirectoryPro=\(token)"] : [:]
                let response = try await journey.get(path, session: cookie ? nil : token, headers: headers)
                return response.status.code == 302 ? nil : scrapedForm(response.bodyAsString())?.action ?? "no form"
            }
            let consent = "/oauth2/realms/root/authorize/consent"
            #expect(try await page("pub") == nil)
            #expect(try await page("pub", cookie: true) == consent)
            #expect(try await page("pub", ["prompt": "consent"]) == consent)
            #expect(try await page("conf") == consent)
        }
    }

    @Test func `The cookie and the header have the configured name`() async throws {
        try await JourneyClient.with({ $0.sessionCookie = "__Host-session" }) { journey in
            let step = try await journey.start("Login")
            let end = try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "wonderland"])
            let token = try end.token
            #expect(end.response.getHeader(name: "Set-Cookie")?.hasPrefix("__Host-session=\(token);") == true)
            #expect(try await authorize(journey, token) == 200)
            let query = FormParameters(TestIdentity.request()).query
            let answer = try await journey.get(
                "/oauth2/realms/root/authorize?\(query)",
                headers: ["__Host-session": token]
            )
            #expect(answer.status.code == 302)
        }
    }

    @Test func `A logout ends the session, and needs a valid one`() async throws {
        try await JourneyClient.with { journey in
            let token = try await journey.signIn()
            let path = "/json/realms/root/sessions?_action=logout"
            let headers = Self.logout.merging(["iPlanetDirectoryPro": token]) { $1 }
            try JourneyResponse(try await journey.post(path, ["tokenId": "another"], headers: headers)).expectRefusal(
                400,
                "The tokenId is not the token of the session in the header or cookie."
            )
            try JourneyResponse(try await journey.post(path, [], headers: headers))
                .expectRefusal(400, "The body is not a JSON object.")
            let end = try await journey.post(path, ["tokenId": .string(token)], headers: headers)
            #expect(try end.decode([String: JsonValue].self) == ["result": "Successfully logged out"])
            #expect(try await authorize(journey, token) == 200)
            let noSession = "Access Denied: the request needs a valid session."
            try JourneyResponse(try await journey.post(path, nil, headers: headers)).expectRefusal(401, noSession)
            try JourneyResponse(try await journey.post(path, nil, headers: Self.logout)).expectRefusal(401, noSession)
        }
    }

    @Test func `A logout with another action or without an API version is refused`() async throws {
        try await JourneyClient.with { journey in
            try JourneyResponse(try await journey.post("/json/realms/root/sessions", nil, headers: Self.logout))
                .expectRefusal(400, "The _action must be logout.")
            try JourneyResponse(try await journey.post("/json/realms/root/sessions?_action=logout", nil, headers: [:]))
                .expectRefusal(400, "The header accept-api-version is missing. Send resource=3.1.")
        }
    }

    @Test func `The endpoints at PingAM's paths return claims, revoke tokens and end the session of an id_token`()
        async throws
    {
        try await JourneyClient.with { journey in
            let paths = "/oauth2/realms/alpha"
            let session = try await journey.signIn(realm: "alpha")
            let tokens = try await journey.tokens(session, realm: "alpha")
            let accessToken = try #require(tokens["access_token"]?.string)
            let authorization = ["Authorization": "Bearer \(accessToken)"]
            let claims = try await journey.get("\(paths)/userinfo", headers: authorization)
            #expect(try claims.decode([String: JsonValue].self)["sub"] == "alice")
            let refreshToken = try #require(tokens["refresh_token"]?.string)
            let revocation = try await journey.client.request { request in
                request.url = journey.base + paths + "/token/revoke"
                request.form(parameters: ["token": refreshToken, "client_id": "pub"])
            }
            #expect(revocation.status.code == 200)
            #expect(try await journey.get("\(paths)/userinfo", headers: authorization).status.code == 401)
            #expect(try await authorize(journey, session, realm: "alpha") == 302)
            let hint = try #require(tokens["id_token"]?.string)
            let end = try await journey.get("\(paths)/connect/endSession?client_id=pub&id_token_hint=\(hint)")
            #expect(end.bodyAsString().contains("You are signed out"))
            #expect(try await authorize(journey, session, realm: "alpha") == 200)
        }
    }

    @Test func `A logout without an id_token needs confirmation at the endpoint of every realm`() async throws {
        try await JourneyClient.with { journey in
            let token = try await journey.signIn()
            for path in [
                "/end_session", "/oauth2/realms/root/connect/endSession", "/oauth2/realms/alpha/connect/endSession",
            ] {
                let page = try await journey.get(path, headers: ["Cookie": "iPlanetDirectoryPro=\(token)"])
                #expect(scrapedForm(page.bodyAsString())?.action == path)
            }
            #expect(try await authorize(journey, token) == 302)
        }
    }

    @Test func `The gateway's own introspection endpoint can have the path of a realm`() async throws {
        for path in ["/oauth2/realms/root/introspect", "/oauth2/realms/alpha/introspect"] {
            try await TestIdentity.with({ $0.introspectionPath = path }) { identity in
                let response = try await identity.post(path, ["token": "unknown"], basic: "conf:s3cret-conf")
                #expect(response.members == ["active": false])
            }
        }
    }

    @Test func `The sessions of realms are separate, and each realm has an issuer of its own`() async throws {
        try await JourneyClient.with { journey in
            let token = try await journey.signIn(realm: "root/realms/alpha")
            #expect(try await authorize(journey, token) == 200)
            #expect(try await authorize(journey, token, realm: "alpha") == 302)
            let step = try await journey.start("Login", realm: "alpha", session: token)
            #expect(step.members["realm"] == "/alpha")
            for path in ["root", "alpha", "root/realms/alpha"] {
                let issuer = "\(journey.base)/oauth2/realms/\(path)"
                let metadata = try await journey.get("/oauth2/realms/\(path)/.well-known/openid-configuration")
                    .decode([String: JsonValue].self)
                #expect(metadata["issuer"] == .string(issuer))
                #expect(metadata["token_endpoint"] == .string(issuer + "/access_token"))
            }
            #expect(try await journey.get("/oauth2/realms/beta/authorize").status.code == 404)
        }
    }
}
