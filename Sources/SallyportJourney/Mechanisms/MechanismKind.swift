/// A kind of mechanism that a URI enrolls.
///
/// ```swift
/// let kinds = try MechanismKind.kinds(in: uri)
/// if kinds.contains(.push) { try await push.enroll(uri, device: device) }
/// if kinds.contains(.oneTimePassword) { try await passwords.add(uri) }
/// ```
public enum MechanismKind: Sendable, Hashable {
    /// Push messages; see ``PushClient/enroll(_:device:)``.
    case push
    /// One-time passwords; see ``OneTimePasswords/add(_:)``.
    case oneTimePassword

    /// Returns the kinds of mechanisms that a URI enrolls. A URI with the scheme `mfauth` may enroll both.
    ///
    /// - Parameter uri: The content of a QR code.
    /// - Throws: ``MechanismError`` if the text is not such a URI.
    public static func kinds(in uri: String) throws(MechanismError) -> Set<MechanismKind> {
        let uri = try MechanismURI(uri) { scheme, type in
            switch scheme {
            case "pushauth": type == "push"
            case "otpauth": ["totp", "hotp"].contains(type)
            case "mfauth": ["push", "totp", "hotp"].contains(type)
            default: false
            }
        }
        switch uri.scheme {
        case "pushauth": return [.push]
        case "otpauth": return [.oneTimePassword]
        default:
            let hasPassword = uri.type != "push" && uri["secret"] != nil
            let hasPush = uri.type == "push" || uri["r"] != nil
            return Set((hasPush ? [.push] : []) + (hasPassword ? [.oneTimePassword] : []))
        }
    }
}
