/// A page that a person reads and answers.
protocol Page: Sendable {
    /// The whole document, with what came from outside escaped.
    var html: String { get }
}
