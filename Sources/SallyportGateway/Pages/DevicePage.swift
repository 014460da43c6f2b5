/// Asks for the code that a device shows: field `user_code`, sent by POST to `action`.
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
        <p class="hint" id="hint">Capitals and dashes do not matter.</p>
        <p class="note">Go on only if the device is yours. Nobody who calls or writes to you needs this code.</p>
        <div class="actions"><button type="submit">Continue</button></div>
        """
    }
}
