/// The page with the messages of the inbox.
struct InboxPage: Page {
    let messages: [GatewayEmail]

    var html: String {
        let list: Markup =
            messages.isEmpty
            ? "<p class=\"lead\">There are no messages.</p>"
            : "<ul>\n\(messages.map { "<li>\($0.subject)<code>\($0.recipient)</code><a href=\"\($0.link)\">\($0.link)</a></li>\n" as Markup })</ul>"
        return PageLayout(title: "Inbox", content: "<h1>Inbox</h1>\n\(list)").html
    }
}
