/// Asks whether a client may have what it asks for: the button's field `decision` is `allow` or `deny`, sent by POST to `action`.
struct ConsentPage: Page {
    let clientName: String
    let username: String
    /// What is asked for, each with words for it.
    let scopes: [(name: String, description: String)]
    let action: String
    let hidden: [(name: String, value: String)]

    var html: String { "" }
}
