/// The next response to a browser.
enum AuthorizationStep: Sendable {
    /// A redirect back to the client.
    case redirect(String)
    /// The login page.
    case login(AuthorizationForm, username: String, problem: String?)
    /// The consent page.
    case consent(AuthorizationForm, username: String, scopes: [String])
    /// The page that asks a user whether to sign out; the fields are sent along with the answer.
    case endSession(AuthorizationForm, username: String, fields: [String: String])
    /// A message that the client does not get.
    case message(title: String, text: String, isProblem: Bool = true)
}

/// What a form is about.
struct AuthorizationForm: Sendable {
    /// What is asked about: it comes back with the answer.
    let subject: String
    let clientName: String
    /// Where the answer may lead to, for the content security policy.
    var destination: String?
}
