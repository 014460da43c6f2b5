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

    var html: String { "" }
}
