import Foundation
import SallyportJOSE

/// What a device shows to the person, who approves it on another (RFC 8628). Printing it shows no secret.
public struct DeviceAuthorization: Sendable {
    /// What the person types in.
    public let userCode: String
    /// Where the person types it in.
    public let verificationURI: String
    /// The same with the code in it, for a QR code.
    public let verificationURIComplete: String?
    /// When the code ends.
    public let expiresAt: Date
    /// How long to wait between two questions.
    public let interval: Duration
    /// What the device asks with: a secret.
    package let deviceCode: String
    /// The key that the tokens will be bound to.
    let proofKey: SigningKey?
    /// The scopes that are asked for.
    let scope: String?
}

extension DeviceAuthorization: CustomStringConvertible, CustomReflectable {
    /// Where to go, and until when.
    public var description: String { "device authorization at \(verificationURI), until \(expiresAt)" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["device": description], displayStyle: .struct) }
}
