/// Whether what an endpoint gives stands in an envelope.
public enum AnswerFormat: String, Sendable, Codable {
    /// The whole body is the answer.
    case plain
    /// The answer is one member of the body, beside a status; see ``EnvelopeKeys``.
    case enveloped
}
