/// Why a key, a signature or an encrypted text was refused. It holds no secret.
public struct JoseError: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// It is not what it should be: no compact form, no JSON, no such key.
        case malformed
        /// It is larger than is read.
        case tooLarge
        /// The algorithm is none, is not allowed here, or is not known.
        case algorithm
        /// The header demands an extension that is not known (`crit`).
        case critical
        /// The key is of another kind, for another use, or named otherwise.
        case key
        /// The signature is not that of the key.
        case signature
        /// It cannot be decrypted with the key.
        case decryption
    }

    /// What is wrong.
    public let reason: Reason
    /// What is wrong, in words.
    public let description: String

    /// Makes an error.
    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
