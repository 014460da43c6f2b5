import Foundation
import TestSupport
import Testing

@testable import SallyportGateway

/// Writes the pages to files for `Tests/RealServers/page-screenshots.py`.
@Suite(.concurrencyLimited) struct PageFilesTests {
    private static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PAGES"]

    private static let hidden = [("ticket", "rN5rVlMk3s")]
    private static let longName = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"

    private static let pages: [(name: String, page: any Page)] = [
        (
            "index",
            IndexPage(
                baseURL: "https://127.0.0.1:8443",
                testURL: nil,
                routes: IndexRoutes(routeGroups: RouteGroups.all).routeDescriptions,
                accounts: DevelopmentAccount.all,
                commands: ["sallyport get https://127.0.0.1:8443/echo --cacert /tmp/sallyport-ca-1234.pem"]
            )
        ),
        ("login", LoginPage(clientName: "Harbour Console", action: "/authorize", hidden: hidden)),
        (
            "login-problem",
            LoginPage(
                clientName: longName,
                action: "/authorize",
                hidden: hidden,
                username: "alice",
                problem: "The username or the password is wrong. Try again."
            )
        ),
        (
            "consent",
            ConsentPage(
                clientName: "Harbour Console",
                username: "alice",
                scopes: [
                    ("openid", "Know who you are"), ("email", "See your email address"), ("api", "Use the API for you"),
                ],
                action: "/consent",
                hidden: hidden
            )
        ),
        (
            "consent-long",
            ConsentPage(
                clientName: longName,
                username: "\(longName)@example.com",
                scopes: [(longName, longName), ("offline_access", "Stay signed in while you are away")],
                action: "/consent",
                hidden: hidden
            )
        ),
        ("consent-nothing", ConsentPage(clientName: "Harbour", username: "alice", scopes: [], action: "/", hidden: [])),
        (
            "sign-out",
            SignOutPage(clientName: "Harbour Console", username: "alice", action: "/end_session", hidden: hidden)
        ),
        ("sign-out-long", SignOutPage(clientName: longName, username: longName, action: "/", hidden: [])),
        ("device", DevicePage(action: "/device")),
        (
            "device-problem",
            DevicePage(
                action: "/device",
                userCode: "WDJB-MJHT",
                problem: "There is no such code, or it has expired. Look at the device again."
            )
        ),
        (
            "inbox",
            InboxPage(messages: [
                GatewayEmail(
                    recipient: "alice@example.com",
                    subject: "Continue to sign in",
                    link: "https://127.0.0.1:8443/journeys/resume?realm=%2F&suspendedId=\(longName)",
                    sentAt: Date(timeIntervalSince1970: 1_800_000_000)
                )
            ])
        ),
        ("inbox-empty", InboxPage(messages: [])),
        ("message", MessagePage(title: "The device is connected", message: "You can close this page.")),
        (
            "message-problem",
            MessagePage(
                title: "This login cannot go on",
                message: "The app “\(longName)” sent a redirect URI that it has not registered.",
                isProblem: true
            )
        ),
    ]

    @Test(.enabled(if: folder != nil, "set SALLYPORT_PAGES to a folder"))
    func `The pages are written to files`() throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, page) in Self.pages {
            try Data(page.html.utf8).write(to: folder.appendingPathComponent("\(name).html"))
            let policy = folder.appendingPathComponent("\(name).policy")
            try Data(PageLayout.contentSecurityPolicy.utf8).write(to: policy)
        }
    }
}
