import Foundation
import SallyportJOSE

/// The claims of a validated id_token.
public struct IdTokenClaims: Sendable, Equatable {
    /// All claims except those that are `null`.
    public let members: [String: JsonValue]
    /// The issuer (`iss`).
    public let issuer: String
    /// The identifier of the signed-in user (`sub`), which is unique at the issuer and never reassigned.
    public let subject: String
    /// The identifiers of the clients that the token is for (`aud`).
    public let audience: [String]
    /// The time at which the token expires (`exp`).
    public let expiresAt: Date
    /// The time of issue (`iat`).
    public let issuedAt: Date
    /// The time at which the user signed in (`auth_time`), if the token states it.
    public let authenticatedAt: Date?

    /// Returns the value of a claim, such as `email`, or `nil`.
    public subscript(_ name: String) -> JsonValue? { members[name] }

    /// Parses the claims that every id_token must have.
    init(_ members: [String: JsonValue]) throws(IdTokenError) {
        let members = members.filter { $0.value != .null }
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
