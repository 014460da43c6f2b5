import Foundation
import HTTPTypes
import Hummingbird

/// Shows the messages with magic links, which the gateway does not send by email.
@available(macOS 14, iOS 17, tvOS 17, *)
struct InboxRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [
        "/development/inbox": "GET: the messages with magic links, as a page or with Accept: application/json."
    ]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get("/development/inbox") { request, _ in
            let messages = await server.inbox
            if request.headers[.accept]?.contains("application/json") == true {
                return try Response.json(["messages": messages.map(Entry.init)])
            }
            return BrowserPages.response(with: InboxPage(messages: messages))
        }
    }

    private struct Entry: Encodable {
        let to: String
        let subject: String
        let link: String
        let sent: String

        init(_ message: GatewayEmail) {
            to = message.recipient
            subject = message.subject
            link = message.link
            sent = message.sentAt.formatted(.iso8601)
        }
    }
}

/// The page that magic links lead to. The app or command that has begun the tree continues it, so the page does not use the link.
@available(macOS 14, iOS 17, tvOS 17, *)
struct MagicLinkRoutes: RouteGroup {
    let server: AuthorizationServer

    let routeDescriptions = [MagicLinks.path: "GET: the page of a magic link, for a browser."]

    func addRoutes(to router: Router<GatewayContext>) {
        router.get(RouterPath(MagicLinks.path)) { _, _ in
            await BrowserPages(server: server).message(
                "Continue in the app",
                "Copy the address of this page, and enter it in the app or the command where you began to sign in.",
                isProblem: false
            )
        }
    }
}
