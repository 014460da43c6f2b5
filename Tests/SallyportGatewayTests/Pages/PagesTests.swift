import Crypto
import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PagesTests {
    private static let attack = "</title></style><script>alert(1)</script>\"'&<\u{301}img src=x>"

    private static let email = GatewayEmail(recipient: attack, subject: attack, link: attack, sentAt: .distantPast)

    /// Every page with the attack in every value.
    private static let attacked: [(String, any Page)] = [
        (
            "login",
            LoginPage(clientName: attack, action: attack, hidden: [(attack, attack)], username: attack, problem: attack)
        ),
        (
            "consent",
            ConsentPage(
                clientName: attack,
                username: attack,
                scopes: [(attack, attack)],
                action: attack,
                hidden: [(attack, attack)]
            )
        ),
        ("device", DevicePage(action: attack, userCode: attack, problem: attack, hidden: [(attack, attack)])),
        ("inbox", InboxPage(messages: [email])),
        (
            "index",
            IndexPage(
                baseURL: attack,
                testURL: nil,
                routes: [attack: "GET: \(attack)"],
                accounts: [DevelopmentAccount(kind: attack, name: attack, description: attack)],
                commands: [attack]
            )
        ),
        ("message", MessagePage(title: attack, message: attack)),
        ("problem", MessagePage(title: attack, message: attack, isProblem: true)),
    ]

    /// The tags of a page, by name: `form`, `/form`.
    private static func tags(_ html: String) -> [Substring] {
        html.unicodeScalars.split(separator: "<", omittingEmptySubsequences: false).dropFirst().map { piece in
            Substring(piece.prefix { !" >\n".unicodeScalars.contains($0) })
        }
    }

    @Test(arguments: attacked.map(\.0))
    func `Untrusted values open no tag and end no attribute`(name: String) throws {
        let page = try #require(Self.attacked.first { $0.0 == name }?.1)
        let html = page.html
        let tags = Self.tags(html)
        #expect(!tags.contains("script") && !tags.contains { $0.hasPrefix("img") } && !tags.contains("\u{301}img"))
        #expect(tags.filter { $0 == "/title" }.count == 1 && tags.filter { $0 == "/style" }.count == 1)
        #expect(!html.contains("\"'") && html.contains("&quot;&#39;&amp;"))
    }

    @Test(arguments: attacked.map(\.0))
    func `Each page is an HTML document with a language, one title, one main element and one heading`(name: String)
        throws
    {
        let html = try #require(Self.attacked.first { $0.0 == name }?.1).html
        #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\""))
        for tag in ["title", "main", "h1", "meta"] {
            let count = Self.tags(html).filter { $0 == tag }.count
            #expect(tag == "meta" ? count == 5 : count == 1, "\(tag)")
        }
        #expect(html.contains("name=\"viewport\" content=\"width=device-width, initial-scale=1\""))
    }

    @Test func `The content security policy allows only the page's own style, by its hash`() throws {
        let html = MessagePage(title: "Done", message: "You can close this page.").html
        let style = try #require(html.firstMatch(of: /<style>([\s\S]*)<\/style>/)?.1)
        let digest = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
        #expect(
            PageLayout.contentSecurityPolicy
                == "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'"
        )
        #expect(!html.contains("style=") && !html.contains("<script") && !html.contains("url("))
    }

    @Test func `The login page asks for a user name and password and contains its hidden fields`() {
        let html = LoginPage(clientName: "Harbour", action: "/authorize", hidden: [("ticket", "t1")]).html
        #expect(html.contains("<form method=\"post\" action=\"/authorize\">"))
        #expect(html.contains("<input type=\"hidden\" name=\"ticket\" value=\"t1\">"))
        #expect(html.contains("<label for=\"username\">") && html.contains("id=\"username\" name=\"username\""))
        #expect(html.contains("autocomplete=\"username\"") && html.contains("autocomplete=\"current-password\""))
        #expect(html.contains("name=\"password\" type=\"password\"") && html.contains("<bdi>Harbour</bdi>"))
        let body = html.components(separatedBy: "</style>").last ?? ""
        #expect(
            !body.contains("role=\"alert\"") && !body.contains("aria-invalid") && !body.contains("aria-describedby")
        )
    }

    @Test func `A login problem is an alert that both fields reference, and the user name is kept`() {
        let page = LoginPage(
            clientName: "Harbour",
            action: "/authorize",
            hidden: [],
            username: "alice",
            problem: "The password is wrong."
        )
        let html = page.html
        #expect(html.contains("<p class=\"problem\" id=\"problem\" role=\"alert\">The password is wrong.</p>"))
        #expect(html.components(separatedBy: "aria-describedby=\"problem\" aria-invalid=\"true\"").count == 3)
        #expect(html.contains("value=\"alice\"") && html.components(separatedBy: " autofocus").count == 2)
    }

    @Test func `The consent page names the client, user and scopes, and offers to allow or deny`() {
        let html = ConsentPage(
            clientName: "Harbour",
            username: "alice",
            scopes: [("openid", "Know who you are"), ("api", "Read your ships")],
            action: "/consent",
            hidden: [("ticket", "t2")]
        ).html
        #expect(html.contains("<bdi>Harbour</bdi>") && html.contains("<bdi>alice</bdi>"))
        #expect(html.contains("<li>Read your ships <code>api</code></li>"))
        #expect(html.contains("name=\"decision\" value=\"allow\"") && html.contains("name=\"decision\" value=\"deny\""))
        #expect(html.contains("name=\"ticket\" value=\"t2\""))
    }

    @Test func `The device page asks for a user code, explains it and shows the code that was typed`() {
        let html = DevicePage(action: "/device", userCode: "WDJB-MJHT", problem: "There is no such code.").html
        #expect(html.contains("name=\"user_code\"") && html.contains("value=\"WDJB-MJHT\""))
        #expect(html.contains("autocomplete=\"one-time-code\"") && html.contains("aria-describedby=\"problem hint\""))
        #expect(html.contains("id=\"hint\"") && html.contains("role=\"alert\">There is no such code."))
    }

    @Test func `A message has the role status, and a problem the role alert`() {
        #expect(MessagePage(title: "Done", message: "Close it.").html.contains("role=\"status\">Close it."))
        #expect(MessagePage(title: "No", message: "Gone.", isProblem: true).html.contains("role=\"alert\">Gone."))
    }

    @Test func `The sign-out page names the user, and the client if it is known`() {
        let known = SignOutPage(clientName: "<Harbour>", username: "alice", action: "/out", hidden: [("csrf", "t3")])
            .html
        #expect(known.contains("<bdi>&lt;Harbour&gt;</bdi> asks you to sign out."))
        #expect(known.contains("<bdi>alice</bdi>"))
        #expect(
            known.contains("<form method=\"post\" action=\"/out\">") && known.contains("name=\"csrf\" value=\"t3\"")
        )
        let unknown = SignOutPage(clientName: "", username: "alice", action: "/out", hidden: []).html
        #expect(!unknown.contains("asks you to sign out"))
    }
}
