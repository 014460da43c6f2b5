import Foundation
import SallyportJOSE

/// A client as a server has registered it (RFC 7591, section 3.2.1). Printing it shows no secret.
public struct RegisteredClient: Sendable, Equatable {
    /// What the client is called.
    public let clientID: String
    /// All that the server says of it, secrets included.
    public let members: [String: JsonValue]

    /// Its secret, if it was given one.
    public var clientSecret: String? { members["client_secret"]?.string }
    /// When the secret ends; `nil` if it does not.
    public var clientSecretExpiresAt: Date? {
        members["client_secret_expires_at"]?.number.flatMap { $0 > 0 ? Date(timeIntervalSince1970: $0) : nil }
    }
    /// Where the registration can be read and removed (RFC 7592).
    public var registrationURI: String? { members["registration_client_uri"]?.string }
    /// The token for that: a secret.
    public var registrationToken: String? { members["registration_access_token"]?.string }

    /// How the client shows who it is, where that needs no more than its secret.
    public var authentication: ClientAuthentication? {
        switch (members["token_endpoint_auth_method"]?.string ?? "client_secret_basic", clientSecret) {
        case ("none", _): ClientAuthentication.none
        case ("client_secret_basic", let secret?): .secretBasic(secret)
        case ("client_secret_post", let secret?): .secretPost(secret)
        default: nil
        }
    }
}

extension RegisteredClient: CustomStringConvertible, CustomReflectable {
    /// What the client is called.
    public var description: String { "client \(clientID)" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["client": description], displayStyle: .struct) }
}
