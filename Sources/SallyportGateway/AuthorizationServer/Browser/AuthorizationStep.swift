/// The next response to a browser.
enum AuthorizationStep: Sendable {
    /// A redirect back to the client.
    case redirect(String)
    /// The login page.
    case login(AuthorizationForm, username: String, problem: String?)
    /// The consent page.
    case consent(AuthorizationForm, username: String, scopes: [String])
    /// The page that asks the user whether to sign out, with the hidden fields of its form.
    case endSession(AuthorizationForm, username: String, fields: [String: String])
    /// A message for the user. The client does not receive it.
    case message(title: String, text: String, isProblem: Bool = true)
}

/// The context of a form on a page.
struct AuthorizationForm: Sendable {
    /// The value that the form's token is valid for, such as the identifier of an authorization.
    let subject: String
    let clientName: String
    /// The origin that the response to the form may redirect to, for the content security policy.
    var destination: String?
}

/// Descriptions of scopes for the consent page.
enum ScopeText {
    static func described(_ scope: String) -> (name: String, description: String) {
        (scope, texts[scope] ?? "Use \(scope)")
    }

    private static let texts = [
        "openid": "Know who you are",
        "profile": "See your name",
        "email": "See your e-mail address",
        "offline_access": "Stay connected while you are away",
        "api": "Call the protected API for you",
        "accounts": "See your accounts",
        "greeting": "Greet you, also when you are not signed in",
    ]
}
