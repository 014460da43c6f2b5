import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Asks the token endpoint for tokens, and checks all that comes.
    ///
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
        let start = clock.now()
        let answer = try await post(form, to: .token, type, proofKey: proofKey)
        let checked = try TokenAnswer(answer, isBound: proofKey != nil, isOther: isOther)
        var tokens = checked.tokens(askedAt: start, scope: scope, proofKey: proofKey)
        if let idToken = checked.idToken, try await holds(idToken, accessToken: tokens.accessToken, expected) {
            tokens.idToken = idToken
        }
        return (tokens, checked)
    }

    /// Scopes as they stand in a request; `nil` for none.
    func scope(_ scopes: [String]?) -> String? {
        let scopes = scopes ?? configuration.scopes
        return scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }
}

/// Fields of a form, of which those without a value are left out.
func fields(_ pairs: [(String, String?)]) -> [(String, String)] {
    pairs.compactMap { name, value in value.map { (name, $0) } }
}
