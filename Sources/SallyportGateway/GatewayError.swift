/// An error of the gateway or of its configuration.
public enum GatewayError: Error, Equatable, CustomStringConvertible {
    /// The port is not between 0 and 65535.
    case invalidPort(Int)
    /// The address could not be bound.
    case cannotListen(host: String, port: Int, reason: String)
    /// The gateway was shut down before it was ready.
    case stoppedEarly
    /// A certificate cannot be issued, because its name is missing or contains spaces, control characters or non-ASCII
    /// characters.
    case invalidCertificateName(String)
    /// The configuration of the authorization server, the resources or the paths of payload encryption is invalid. The text contains the
    /// reason and no secret.
    case invalidIdentity(String)
    /// A key for payload encryption cannot be used, for the given reason.
    case invalidPayloadKey(String)

    /// The error in a sentence.
    public var description: String {
        switch self {
        case .invalidPort(let port):
            "The port \(port) is not between 0 and 65535."
        case .cannotListen(let host, let port, let reason):
            "The gateway cannot listen on \(host), port \(port): \(reason)"
        case .stoppedEarly:
            "The gateway was shut down before it was ready."
        case .invalidCertificateName(let name):
            "A certificate cannot be issued for the name \"\(name)\"."
        case .invalidIdentity(let reason):
            reason
        case .invalidPayloadKey(let reason):
            "A key for payload encryption cannot be used: \(reason)."
        }
    }
}
