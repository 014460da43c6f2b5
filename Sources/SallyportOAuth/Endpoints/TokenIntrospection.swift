import Foundation
import Sallyport
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

extension OAuthClient {
    /// Asks the server about a token (RFC 7662). Most servers tell only clients that have a secret.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``. That the token is not valid is no error.
    public func introspect(_ token: String, kind: TokenKind? = nil) async throws -> TokenIntrospection {
        let form = fields([("token", token), ("token_type_hint", kind?.rawValue)])
        let response = try await post(form, to: .introspection, .introspectToken)
        let members = try response.object(of: "to tell about the token")
        guard let isActive = members["active"]?.bool else {
            throw response.invalid("the response does not say whether the token is active")
        }
        return TokenIntrospection(isActive: isActive, members: members)
    }
}
