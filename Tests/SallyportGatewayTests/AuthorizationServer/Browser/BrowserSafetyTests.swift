import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct BrowserSafetyTests {
    @Test func `Pages are not cached, framed or scripted, and their forms lead only to the server or the client`()
        async throws
    {
        try await TestIdentity.with { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request())
            let policy = try #require(response.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("form-action 'self' http://127.0.0.1:8765"))
            #expect(!policy.contains("unsafe"))
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            #expect(response.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
        }
    }

    @Test func `The session cookie is HttpOnly and SameSite, and also Secure over https`()
        async throws
    {
        try await TestIdentity.with { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request())
            let cookie = try #require(response.headers[.setCookie])
            #expect(cookie.wholeMatch(of: /iPlanetDirectoryPro=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/) != nil)
        }
        try await TestIdentity.with({ $0.issuer = "https://id.example.com" }) { identity in
            let response = try await TestBrowser(identity).authorize(TestIdentity.request())
            let cookie = try #require(response.headers[.setCookie])
            #expect(
                cookie.wholeMatch(of: /__Host-iPlanetDirectoryPro=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/)
                    != nil
            )
        }
    }

    @Test func `A session that another service of the host could have set is not used`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let cookie = try #require(browser.cookie)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
            browser.cookie = "iPlanetDirectoryPro=planted; \(cookie)"
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
        try await TestIdentity.with({ $0.issuer = "https://id.example.com" }) { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let cookie = try #require(browser.cookie)
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/consent")
            browser.cookie = cookie.replacing("__Host-", with: "")
            #expect(try await browser.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test func `Logging in changes the session cookie and invalidates the previous one`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let login = try await browser.authorize(TestIdentity.request())
            let before = browser.cookie
            _ = try await browser.answer(login, ["username": "alice", "password": "wonderland"])
            #expect(browser.cookie != before)
            let another = TestBrowser(identity)
            another.cookie = before
            #expect(try await another.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    @Test func `Logging in again changes the session cookie and ends the previous session`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let before = browser.cookie
            _ = try await browser.signIn(TestIdentity.request(["prompt": "login"]))
            #expect(browser.cookie != before)
            let another = TestBrowser(identity)
            another.cookie = before
            #expect(try await another.authorize(TestIdentity.request()).form?.action == "/authorize/login")
        }
    }

    enum Forgery: CaseIterable, Sendable {
        case withoutToken, withAnotherToken, fromAnotherBrowser
    }

    @Test(arguments: Forgery.allCases)
    func `A form without its CSRF token or from another browser is refused`(forgery: Forgery) async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let consent = try await browser.authorize(TestIdentity.request())
            var fields = ["decision": "allow"]
            switch forgery {
            case .withoutToken: fields["csrf"] = ""
            case .withAnotherToken: fields["csrf"] = String(repeating: "A", count: 43)
            case .fromAnotherBrowser:
                let another = TestBrowser(identity)
                _ = try await another.signIn(TestIdentity.request())
                browser.cookie = another.cookie
            }
            let response = try await browser.answer(consent, fields)
            #expect(response.status == .badRequest)
            #expect(response.text.contains("out of date"))
            #expect(response.headers[.location] == nil)
        }
    }

    @Test func `A form cannot be submitted twice, or after ten minutes`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            let consent = try await browser.authorize(TestIdentity.request())
            #expect(try await browser.answer(consent, ["decision": "allow"]).status == .seeOther)
            #expect(try await browser.answer(consent, ["decision": "allow"]).status == .badRequest)
            let late = try await browser.authorize(TestIdentity.request())
            identity.clock.advance(601)
            #expect(try await browser.answer(late, ["decision": "allow"]).status == .badRequest)
        }
    }

    @Test func `If max_age is exceeded while the consent page is shown, the user must log in again`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            _ = try await browser.signIn(TestIdentity.request())
            identity.clock.advance(60)
            let consent = try await browser.authorize(TestIdentity.request(["max_age": "99"]))
            #expect(consent.form?.action == "/authorize/consent")
            identity.clock.advance(60)
            let login = try await browser.answer(consent, ["decision": "allow"])
            #expect(login.form?.action == "/authorize/login")
            let again = try await browser.answer(login, ["username": "alice", "password": "wonderland"])
            #expect(try await browser.answer(again, ["decision": "allow"]).sentBack["code"] != nil)
        }
    }

    @Test func `Consent without a login is refused`() async throws {
        try await TestIdentity.with { identity in
            let browser = TestBrowser(identity)
            let login = try await browser.authorize(TestIdentity.request())
            var form = try #require(login.form).hidden
            form["decision"] = "allow"
            let response = try await identity.client.execute(
                uri: "/authorize/consent",
                method: .post,
                headers: [
                    .contentType: "application/x-www-form-urlencoded", .cookie: browser.cookie ?? "",
                ],
                body: .init(string: FormParameters(form).query)
            )
            #expect(response.status == .badRequest)
            #expect(response.headers[.location] == nil)
        }
    }
}
