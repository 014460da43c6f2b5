import Foundation
import SallyportJOSE

/// What an id_token says, after it was validated.
public struct IdTokenClaims: Sendable, Equatable {
    /// All claims, as they are in the token.
    public let members: [String: JsonValue]
    /// Who issued it (`iss`).
    public let issuer: String
    /// Who has signed in (`sub`): unique at the issuer, and never given to another person.
    public let subject: String
    /// Whom it is for (`aud`).
    public let audience: [String]
    /// When it ends (`exp`).
    public let expiresAt: Date
    /// When it was issued (`iat`).
    public let issuedAt: Date
    /// When the person signed in (`auth_time`), if it says so.
    public let authenticatedAt: Date?

    /// Any other claim, such as `email`.
    public subscript(_ name: String) -> JsonValue? { members[name] }

    /// Reads the claims that every id_token has.
    init(_ members: [String: JsonValue]) throws(IdTokenError) {
        self.members = members
        guard let issuer = members["iss"]?.string else { throw .missing("iss") }
        guard let subject = members["sub"]?.string, !subject.isEmpty else { throw .missing("sub") }
        self.issuer = issuer
        self.subject = subject
        switch members["aud"] {
        case .string(let one): audience = [one]
        case .array(let several):
            let names = several.compactMap(\.string)
            guard names.count == several.count, !names.isEmpty else { throw .missing("aud") }
            audience = names
        default: throw .missing("aud")
        }
        guard let expiresAt = members["exp"]?.number else { throw .missing("exp") }
        guard let issuedAt = members["iat"]?.number else { throw .missing("iat") }
        self.expiresAt = Date(timeIntervalSince1970: expiresAt)
        self.issuedAt = Date(timeIntervalSince1970: issuedAt)
        authenticatedAt = members["auth_time"]?.number.map { Date(timeIntervalSince1970: $0) }
    }
}
