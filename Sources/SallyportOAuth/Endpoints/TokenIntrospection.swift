import Foundation
import SallyportJOSE

/// What a server says of a token (RFC 7662).
public struct TokenIntrospection: Sendable, Equatable {
    /// Whether the token is valid now.
    public let isActive: Bool
    /// All that the server says.
    public let members: [String: JsonValue]

    /// The scopes of the token.
    public var scope: String? { members["scope"]?.string }
    /// The client that it was given to.
    public var clientID: String? { members["client_id"]?.string }
    /// The name of the person, to be shown.
    public var username: String? { members["username"]?.string }
    /// Whom it is about.
    public var subject: String? { members["sub"]?.string }
    /// When it ends.
    public var expiresAt: Date? { members["exp"]?.number.map { Date(timeIntervalSince1970: $0) } }
}
