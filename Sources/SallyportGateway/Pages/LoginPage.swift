/// Asks who somebody is: fields `username` and `password`, sent by POST to `action`.
struct LoginPage: Page {
    /// The name of the client that asks for the login.
    let clientName: String
    /// Where the form goes.
    let action: String
    /// Hidden fields that are sent along.
    let hidden: [(name: String, value: String)]
    /// The user's name as it was typed before, if it was.
    var username = ""
    /// What was wrong with the answer before.
    var problem: String?

    var html: String {
        let form = PageForm(action: action, hidden: hidden, content: fields)
        return PageLayout(
            title: "Sign in",
            content: """
                <h1>Sign in</h1>
                <p class="lead">to continue to <strong><bdi>\(clientName)</bdi></strong></p>
                \(PageProblem(text: problem).markup)
                \(form.markup)
                """
        ).html
    }

    /// Who has typed a name before is asked for the password next.
    private var fields: Markup {
        let attributes = PageProblem(text: problem).attributes()
        let isFirst: Markup? = username.isEmpty ? " autofocus" : nil
        let isNext: Markup? = username.isEmpty ? nil : " autofocus"
        return """
            <label for="username">Username</label>
            <input id="username" name="username" type="text" value="\(username)" required maxlength="256" \
            autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"\(attributes)\(isFirst)>
            <label for="password">Password</label>
            <input id="password" name="password" type="password" required maxlength="1024" \
            autocomplete="current-password"\(attributes)\(isNext)>
            <div class="actions"><button type="submit">Sign in</button></div>
            """
    }
}
