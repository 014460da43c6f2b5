import Sallyport

extension OAuthClient {
    /// Asks the server about a token (RFC 7662). Most servers tell only clients that have a secret.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``. That the token is not valid is no error.
    public func introspect(_ token: String, kind: TokenKind? = nil) async throws -> TokenIntrospection {
        let form = fields([("token", token), ("token_type_hint", kind?.rawValue)])
        let answer = try await post(form, to: .introspection, .introspectToken)
        let members = try answer.object(of: "to tell about the token")
        guard let isActive = members["active"]?.bool else {
            throw answer.invalid("the answer does not say whether the token is active")
        }
        return TokenIntrospection(isActive: isActive, members: members)
    }
}
