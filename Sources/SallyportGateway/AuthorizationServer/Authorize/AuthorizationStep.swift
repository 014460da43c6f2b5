/// What a browser is to be shown next.
enum AuthorizationStep: Sendable {
    /// Where to go: back to the client.
    case redirect(String)
    /// Who is there?
    case login(AuthorizationForm, username: String, problem: String?)
    /// May the client?
    case consent(AuthorizationForm, username: String, scopes: [String])
    /// Something that the client is not told.
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
