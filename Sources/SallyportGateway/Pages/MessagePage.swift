/// Tells something and asks nothing: "The device is connected. You can close this page."
struct MessagePage: Page {
    let title: String
    let message: String
    /// Whether something went wrong.
    var isProblem = false

    var html: String { "" }
}
