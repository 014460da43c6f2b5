/// A page that a person reads and answers.
protocol Page {
    /// The whole document, with what came from outside escaped.
    var html: String { get }
}
