/// The reason why a key, a signature or an encrypted message was refused. It contains no secret.
public struct JoseError: Error, Equatable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Reason: Sendable, Equatable {
        /// The format of the serialization, the JSON or the key is invalid, or a claim does not match.
        case malformed
        /// The size exceeds the limit.
        case tooLarge
        /// The algorithm is `none`, not allowed, or not supported.
        case algorithm
        /// The header demands an unsupported extension (`crit`).
        case critical
        /// The key has another type, use or identifier.
        case key
        /// The signature is invalid.
        case signature
        /// The message cannot be decrypted with the key.
        case decryption
    }

    /// The kind of the error.
    public let reason: Reason
    /// A description of the problem.
    public let description: String

    /// Creates an error.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
