import Foundation
import SallyportJOSE

/// A request for authorization that a browser shows to the person, with what only the client knows of it.
///
/// Keep it until the browser comes back. Printing it shows no secret.
public struct AuthorizationRequest: Sendable {
    /// Where the browser is sent to.
    public let url: String
    /// Where the browser is sent back to.
    public let redirectURI: String
    /// Ties the answer to this request.
    public let state: String
    /// Ties the id_token to this request; `nil` if none was asked for.
    public let nonce: String?
    /// Shows with the code that it was this client that asked (RFC 7636).
    public let codeChallenge: CodeChallenge
    /// The key that the tokens will be bound to (RFC 9449).
    public let proofKey: SigningKey?
    /// The scopes that are asked for.
    public let scope: String?
    /// How long ago the person may have signed in, in seconds, if that was asked for.
    let maxAge: Int?
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    /// What it is, and where it leads back to.
    public var description: String { "authorization request, back to \(redirectURI)" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
