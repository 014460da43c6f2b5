/// Asks whether a client may have what it asks for: the button's field `decision` is `allow` or `deny`, sent by POST to `action`.
struct ConsentPage: Page {
    let clientName: String
    let username: String
    /// What is asked for, each with words for it.
    let scopes: [(name: String, description: String)]
    let action: String
    let hidden: [(name: String, value: String)]

    var html: String {
        let form = PageForm(action: action, hidden: hidden, content: Self.buttons)
        return PageLayout(
            title: "Allow access",
            content: """
                <h1>Allow <bdi>\(clientName)</bdi> to use your account?</h1>
                <p class="lead">You are signed in as <strong><bdi>\(username)</bdi></strong>.</p>
                \(list)
                <p class="note">Allow this only if you started it yourself and trust this app.</p>
                \(form.markup)
                """
        ).html
    }

    private var list: Markup {
        if scopes.isEmpty { return "<p>It asks for nothing but to know that you have signed in.</p>" }
        return """
            <h2 id="scopes">It asks to</h2>
            <ul aria-labelledby="scopes">
            \(scopes.map { "<li>\($0.description) <code>\($0.name)</code></li>\n" as Markup })\
            </ul>
            """
    }

    private static let buttons: Markup = """
        <div class="actions">
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny" class="second">Deny</button>
        </div>
        """
}
