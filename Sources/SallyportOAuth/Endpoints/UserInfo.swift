import SallyportJOSE

/// What a provider knows of the person who has signed in (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Equatable {
    /// All claims.
    public let claims: [String: JsonValue]
    /// Who it is; the same as in the id_token.
    public let subject: String

    /// The name, to be shown.
    public var name: String? { claims["name"]?.string }
    /// The address, which is verified only if `email_verified` says so.
    public var email: String? { claims["email"]?.string }
}
