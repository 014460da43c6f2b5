/// Tells something and asks nothing: "The device is connected. You can close this page."
struct MessagePage: Page {
    let title: String
    let message: String
    /// Whether something went wrong.
    var isProblem = false

    var html: String {
        let message: Markup =
            isProblem ? "\(PageProblem(text: message).markup)" : "<p class=\"lead\" role=\"status\">\(message)</p>"
        return PageLayout(title: title, content: "<h1>\(title)</h1>\n\(message)").html
    }
}
