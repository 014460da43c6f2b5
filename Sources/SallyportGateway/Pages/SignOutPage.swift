/// Asks a user whether to sign out, with a form that is sent by POST to `action`.
struct SignOutPage: Page {
    /// The name of the client that has sent the browser; empty if it is unknown.
    let clientName: String
    let username: String
    let action: String
    let hidden: [(name: String, value: String)]

    var html: String {
        let form = PageForm(action: action, hidden: hidden, content: Self.button)
        let asker: Markup? = clientName.isEmpty ? nil : "<p><bdi>\(clientName)</bdi> asks for it.</p>"
        return PageLayout(
            title: "Sign out",
            content: """
                <h1>Sign out?</h1>
                <p class="lead">You are signed in as <strong><bdi>\(username)</bdi></strong>.</p>
                \(asker)
                <p class="note">To stay signed in, close this page.</p>
                \(form.markup)
                """
        ).html
    }

    private static let button: Markup = """
        <div class="actions"><button type="submit">Sign out</button></div>
        """
}
