import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct AuthorizeTests {
    @Test func `A browser logs in, consents and is redirected to the client with code, state and iss`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let login = try await browser.authorize(TestIdentity.request())
            #expect(login.form?.action == "/authorize/login")
            #expect(login.text.contains("Public client"))
            let consent = try await browser.answer(login, ["username": "alice", "password": "wonderland"])
            #expect(consent.form?.action == "/authorize/consent")
            #expect(consent.text.contains("alice"))
            let answer = try await browser.answer(consent, ["decision": "allow"]).sentBack
            #expect(answer["code"] != nil)
            #expect(answer["state"] == "a state")
            #expect(answer["iss"] == "http://127.0.0.1")
            #expect(answer["error"] == nil)
        }
    }

    @Test(
        arguments: [
            ["client_id": nil], ["client_id": "nobody"], ["redirect_uri": nil],
            ["redirect_uri": "http://127.0.0.1:1/other"],
            ["redirect_uri": "http://127.0.0.1.evil.example/cb"],
            ["redirect_uri": "http://127.0.0.1:80@evil.example/cb"],
            ["redirect_uri": "http://127.0.0.1:99999/cb"], ["redirect_uri": "https://127.0.0.1/cb"],
            ["redirect_uri": "http://127.0.0.1:1/cb#x"], ["redirect_uri": "http://127.0.0.1:1/cb?x=y"],
            ["redirect_uri": "http://127.0.0.1:1\\@evil.example/cb"], ["redirect_uri": "javascript:alert(1)"],
            ["request_uri": "https://evil.example/r"], ["request_uri": "urn:ietf:params:oauth:request_uri:none"],
        ] as [[String: String?]]
    )
    func `For an unknown client, redirect URI or request_uri an error page is shown without a redirect`(
        change: [String: String?]
    ) async throws {
        try await TestIdentity.with { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request(change))
            #expect(response.status == .badRequest)
            #expect(response.headers[.location] == nil)
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(response.form == nil)
        }
    }

    @Test func `An authorization request with a repeated parameter is refused without a redirect`() async throws {
        try await TestIdentity.with { identity in
            let query = FormParameters(TestIdentity.request()).query
            let response = try await TestBrowser(identity).get("/authorize?\(query)&state=another")
            #expect(response.status == .badRequest)
            #expect(response.headers[.location] == nil)
        }
    }

    @Test(
        arguments: [
            "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://127.0.0.1/cb", "http://[::1]:40000/callback",
        ]
    )
    func `A loopback redirect URI may have any port`(uri: String) async throws {
        try await TestIdentity.with { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request(["redirect_uri": uri]))
            #expect(response.status == .ok)
            #expect(response.form?.action == "/authorize/login")
        }
    }

    @Test(
        arguments: [
            (["response_type": "token"], "unsupported_response_type"),
            (["response_type": nil], "unsupported_response_type"),
            (["code_challenge": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["scope": "openid admin"], "invalid_scope"), (["prompt": "none login"], "invalid_request"),
            (["prompt": "dance"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
            (["request": "a.b.c"], "request_not_supported"), (["response_mode": "fragment"], "invalid_request"),
            (["prompt": "none"], "login_required"),
        ] as [([String: String?], String)]
    )
    func `Other errors of a request are sent to the client before the login page is shown`(
        change: [String: String?],
        error: String
    ) async throws {
        try await TestIdentity.with { identity in
            let answer = try await TestBrowser(identity).authorize(TestIdentity.request(change)).sentBack
            #expect(answer["error"] == error)
            #expect(answer["state"] == "a state")
            #expect(answer["iss"] == "http://127.0.0.1")
            #expect(answer["code"] == nil)
        }
    }

    @Test func `If the user denies consent, the client receives access_denied`() async throws {
        try await TestIdentity.with { identity in
            let answer = try await TestBrowser(identity).signIn(TestIdentity.request(), decision: "deny")
            #expect(answer["error"] == "access_denied")
            #expect(answer["code"] == nil)
        }
    }

    @Test func `A signed-in user is asked only for consent, for a public client each time`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
            let silent = try await browser.authorize(TestIdentity.request(["prompt": "none"])).sentBack
            #expect(silent["error"] == "consent_required")
        }
    }

    @Test func `A confidential client's user is asked for consent again only for more scopes or prompt=consent`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let request = TestIdentity.request(["client_id": "conf"])
            _ = try await browser.signIn(request)
            #expect(try await browser.authorize(request).sentBack["code"] != nil)
            #expect(try await browser.authorize(request.merging(["prompt": "none"]) { $1 }).sentBack["code"] != nil)
            let more = request.merging(["scope": "openid profile api email"]) { $1 }
            #expect(try await browser.authorize(more).form?.action == "/authorize/consent")
            let asking = request.merging(["prompt": "consent"]) { $1 }
            #expect(try await browser.authorize(asking).form?.action == "/authorize/consent")
        }
    }

    @Test func `The user logs in again for prompt=login, an exceeded max_age or an expired session`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let again = TestIdentity.request(["prompt": "login"])
            let page = try await browser.authorize(again)
            #expect(page.form?.action == "/authorize/login")
            let consent = try await browser.answer(page, ["username": "alice", "password": "wonderland"])
            #expect(consent.form?.action == "/authorize/consent")
            identity.clock.advance(100)
            let young = TestIdentity.request(["max_age": "99"])
            #expect(try await browser.authorize(young).form?.action == "/authorize/login")
            let old = TestIdentity.request(["max_age": "101"])
            #expect(try await browser.authorize(old).form?.action == "/authorize/consent")
            identity.clock.advance(8 * 3600)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test func `The login page contains the escaped login_hint as the user name`() async throws {
        try await TestIdentity.with { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request(["login_hint": "ali\"ce"]))
            #expect(response.text.contains("value=\"ali&quot;ce\""))
        }
    }

    @Test func `An authorization request by POST is redirected to GET, which reads the browser's cookie`() async throws
    {
        try await TestIdentity.with { identity in
            let response = try await identity.post("/authorize", TestIdentity.request())
            #expect(response.status == .seeOther)
            let location = try #require(response.headers[.location])
            #expect(location.hasPrefix("/authorize?"))
            #expect(response.headers[.setCookie] == nil)
            #expect(try await TestBrowser(identity).get(location).form?.action == "/authorize/login")
        }
    }

    @Test func `The login page reports a wrong password, keeps the user name and refuses attempts after ten failures`()
        async throws
    {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            var page = try await browser.authorize(TestIdentity.request())
            for _ in 0..<10 {
                page = try await browser.answer(page, ["username": "alice", "password": "looking-glass"])
                #expect(page.text.contains("The name or the password is wrong."))
                #expect(page.text.contains("value=\"alice\""))
            }
            let right = ["username": "alice", "password": "wonderland"]
            page = try await browser.answer(page, right)
            #expect(page.text.contains("too many attempts"))
            identity.clock.advance(301)
            #expect(try await browser.answer(page, right).form?.action == "/authorize/consent")
        }
    }

    @Test(arguments: ["bob", "", "ALICE"])
    func `The login page reports an unknown user name like a wrong password`(name: String) async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let page = try await browser.authorize(TestIdentity.request())
            let response = try await browser.answer(page, ["username": name, "password": "wonderland"])
            #expect(response.text.contains("The name or the password is wrong."))
        }
    }
}
