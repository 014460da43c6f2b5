import Foundation
import Sallyport
import SallyportJOSE

/// The server's information about a token (RFC 7662).
public struct TokenIntrospection: Sendable, Equatable {
    /// A Boolean value that indicates whether the token is valid now.
    public let isActive: Bool
    /// All members of the response.
    public let members: [String: JsonValue]

    /// The scopes of the token.
    public var scope: String? { members["scope"]?.string }
    /// The identifier of the client that the token was issued to.
    public var clientID: String? { members["client_id"]?.string }
    /// The display name of the user.
    public var username: String? { members["username"]?.string }
    /// The subject of the token.
    public var subject: String? { members["sub"]?.string }
    /// The expiry of the token.
    public var expiresAt: Date? { members["exp"]?.numberOrText.map { Date(timeIntervalSince1970: $0) } }
}

extension OAuthClient {
    /// Requests information about a token (RFC 7662). Most servers require a client with a secret.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``. An invalid token is not an error.
    public func introspect(_ token: String, kind: TokenKind? = nil) async throws -> TokenIntrospection {
        let form = definedFields([("token", token), ("token_type_hint", kind?.rawValue)])
        let response = try await post(form, to: .introspection, .introspectToken)
        // Some servers add an error to the response about an invalid token.
        guard response.status.isSuccess(), let members = response.object, let isActive = members["active"]?.bool else {
            _ = try response.object(of: "the introspection of the token")
            throw response.invalid("the response has no member named active")
        }
        return TokenIntrospection(isActive: isActive, members: members)
    }
}
