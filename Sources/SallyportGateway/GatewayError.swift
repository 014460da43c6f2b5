/// Why a gateway could not do what it was asked.
public enum GatewayError: Error, Equatable, CustomStringConvertible {
    /// The port is not between 0 and 65535.
    case invalidPort(Int)
    /// The address could not be bound.
    case cannotListen(host: String, port: Int, reason: String)
    /// The gateway was shut down before it was ready.
    case stoppedEarly
    /// A certificate was asked for without a name, or for a name that is neither ASCII nor an address.
    case invalidCertificateName(String)
    /// The configuration of the authorization server is not one; the text says why, and quotes no secret.
    case invalidIdentity(String)

    /// A sentence saying what went wrong.
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
        }
    }
}
