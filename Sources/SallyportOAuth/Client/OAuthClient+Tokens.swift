import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Requests tokens from the token endpoint and validates the response.
    ///
    /// - Throws: ``OAuthError``, with ``OAuthError/issuedRefreshToken`` if the response is refused; `NetworkError`.
    /// - Parameters:
    ///   - form: The grant.
    ///   - type: What for.
    ///   - scope: The scopes that hold if the answer names none.
    ///   - proofKey: The key that the tokens are bound to.
    ///   - expected: What an id_token has to agree with.
    ///   - isOther: Whether what is issued may be no access token.
    func askForTokens(
        _ form: [(String, String)],
        _ type: ActionType,
        scope: String?,
        proofKey: SigningKey?,
        expecting expected: IdTokenExpectations = IdTokenExpectations(),
        isOther: Bool = false
    ) async throws -> (tokens: OAuthTokens, answer: TokenAnswer) {
        let (tokens, answer) = try await grant(form, type, scope: scope, proofKey: proofKey, isOther: isOther)
        do {
            return (try await tokens.with(checkedIdTokenOf: answer, by: self, expected), answer)
        } catch var error as OAuthError {
            error.issuedRefreshToken = answer.refreshToken
            throw error
        }
    }

    /// Asks the token endpoint for tokens; an id_token is not among them, as it has yet to be validated.
    func grant(
        _ form: [(String, String)],
        _ type: ActionType,
        scope: String?,
        proofKey: SigningKey?,
        isOther: Bool = false
    ) async throws -> (tokens: OAuthTokens, answer: TokenAnswer) {
        let start = clock.now()
        let response = try await post(form, to: .token, type, proofKey: proofKey)
        let answer = try TokenAnswer(response, isBound: proofKey != nil, isOther: isOther)
        return (answer.tokens(askedAt: start, scope: scope, proofKey: proofKey), answer)
    }

    /// Scopes as they stand in a request; `nil` for none.
    func scope(_ scopes: [String]?) -> String? {
        let scopes = scopes ?? configuration.scopes
        return scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }
}

extension OAuthTokens {
    /// The tokens with the id_token that came with them, once it has been validated.
    func with(
        checkedIdTokenOf answer: TokenAnswer,
        by client: OAuthClient,
        _ expected: IdTokenExpectations
    ) async throws -> OAuthTokens {
        guard let idToken = answer.idToken,
            try await client.holds(idToken, accessToken: accessToken, expected)
        else { return self }
        var tokens = self
        tokens.idToken = idToken
        return tokens
    }
}

/// Fields of a form, of which those without a value are left out.
func fields(_ pairs: [(String, String?)]) -> [(String, String)] {
    pairs.compactMap { name, value in value.map { (name, $0) } }
}
