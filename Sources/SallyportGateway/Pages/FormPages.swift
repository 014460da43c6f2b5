/// The login page, with the fields `username` and `password`.
struct LoginPage: Page {
    /// The name of the client that requested the login.
    let clientName: String
    /// The URL that the form is sent to.
    let action: String
    /// The hidden fields of the form.
    let hidden: [(name: String, value: String)]
    /// The user name that was entered before.
    var username = ""
    /// The problem with the previous input.
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

    /// The fields. If the user name is known, the password has the focus.
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

/// The consent page. The field `decision` of its form is `allow` or `deny`.
struct ConsentPage: Page {
    let clientName: String
    let username: String
    /// The requested scopes with descriptions.
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
        if scopes.isEmpty { return "<p>It only wants to know that you have signed in.</p>" }
        return """
            <h2 id="scopes">It requests permission to</h2>
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

/// The page for the code of a device, with the field `user_code`.
struct DevicePage: Page {
    let action: String
    var userCode = ""
    var problem: String?
    var hidden: [(name: String, value: String)] = []

    var html: String {
        let form = PageForm(action: action, hidden: hidden, content: fields)
        return PageLayout(
            title: "Connect a device",
            content: """
                <h1>Connect a device</h1>
                <p class="lead">Enter the code that the device shows.</p>
                \(PageProblem(text: problem).markup)
                \(form.markup)
                """
        ).html
    }

    private var fields: Markup {
        """
        <label for="user_code">Code</label>
        <input class="code" id="user_code" name="user_code" type="text" value="\(userCode)" required maxlength="64" \
        autocomplete="one-time-code" autocapitalize="characters" autocorrect="off" spellcheck="false"\
        \(PageProblem(text: problem).attributes(hint: "hint")) autofocus>
        <p class="hint" id="hint">You can use lowercase letters and omit the dash.</p>
        <p class="note">Continue only if the device is yours. Nobody who calls or writes to you needs this code.</p>
        <div class="actions"><button type="submit">Continue</button></div>
        """
    }
}

/// The page that asks the user whether to sign out.
struct SignOutPage: Page {
    /// The name of the client that requested the logout; empty if it is unknown.
    let clientName: String
    let username: String
    let action: String
    let hidden: [(name: String, value: String)]

    var html: String {
        let form = PageForm(action: action, hidden: hidden, content: Self.button)
        let requester: Markup? = clientName.isEmpty ? nil : "<p><bdi>\(clientName)</bdi> asks you to sign out.</p>"
        return PageLayout(
            title: "Sign out",
            content: """
                <h1>Sign out?</h1>
                <p class="lead">You are signed in as <strong><bdi>\(username)</bdi></strong>.</p>
                \(requester)
                <p class="note">To stay signed in, close this page.</p>
                \(form.markup)
                """
        ).html
    }

    private static let button: Markup = """
        <div class="actions"><button type="submit">Sign out</button></div>
        """
}
