import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Makes a request for authorization by a code, with PKCE, state and, for an id_token, a nonce.
    ///
    /// Its URL has passed the interceptors as ``ActionType/authorize``: they can change its query, and nothing else.
    /// Where the server takes it, the request is deposited there first (RFC 9126).
    ///
    /// ```swift
    /// let request = try await client.authorizationRequest(parameters: ["prompt": "login", "login_hint": "ada"])
    /// ```
    ///
    /// - Parameters:
    ///   - redirectURI: Where the browser is sent back to; else that of the configuration.
    ///   - scopes: What to ask for; else those of the configuration.
    ///   - parameters: Further parameters, such as `prompt`, `login_hint`, `max_age`, `ui_locales` or `ForceAuth`.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func authorizationRequest(
        redirectURI: String? = nil,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> AuthorizationRequest {
        guard let redirectURI = redirectURI ?? configuration.redirectURI else {
            throw OAuthError(failure: NetworkFailure("there is no redirect URI", advice: "set redirectURI"))
        }
        let metadata = try await server.metadata()
        let endpoint = try metadata.url(of: .authorization)
        try checkChallengeMethods(metadata)
        let scope = scope(scopes)
        let isOpenID = scope?.split(separator: " ").contains("openid") ?? false
        let proofKey = try await newProofKey()
        let thumbprint = try await refusing("a new key for") { try proofKey?.publicJsonWebKey?.thumbprint() }
        let state = RandomText.make()
        let nonce = isOpenID ? RandomText.make() : nil
        let codeChallenge = CodeChallenge()
        let own: [(String, String)] =
            fields([
                ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", scope),
                ("state", state), ("nonce", nonce), ("code_challenge", codeChallenge.challenge),
                ("code_challenge_method", CodeChallenge.method),
                ("dpop_jkt", thumbprint),
            ]) + targetParameters
        if let name = parameters.keys.sorted().first(where: { name in own.contains { $0.0 == name } }) {
            throw OAuthError(
                failure: NetworkFailure("the parameter \(name) of the authorization request is the client's own")
            )
        }
        let url = try await browserURL(
            endpoint,
            own + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            metadata,
            proofKey: proofKey
        )
        return AuthorizationRequest(
            url: url,
            redirectURI: redirectURI,
            state: state,
            nonce: nonce,
            codeChallenge: codeChallenge,
            proofKey: proofKey,
            scope: scope,
            maxAge: parameters["max_age"].flatMap { Int($0) }
        )
    }

    /// Exchanges the code that a browser came back with for tokens.
    ///
    /// The answer has to be for the request and of the server, and the id_token is validated in full.
    ///
    /// - Parameters:
    ///   - callback: The whole URL that the browser was sent back to.
    ///   - request: The request that it answers.
    /// - Throws: ``OAuthError``, such as `access_denied` where the person has said no; ``NetworkError``.
    public func tokens(from callback: String, for request: AuthorizationRequest) async throws -> OAuthTokens {
        let isIssuerRequired = try await server.metadata().namesItselfInAnswers
        let answer = try AuthorizationCallback(callback, of: request)
        let code = try answer.code(for: request, issuer: issuer, isIssuerRequired: isIssuerRequired)
        let form: [(String, String)] =
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                ("code_verifier", request.codeChallenge.verifier),
            ] + configuration.resources.map { ("resource", $0) }
        let (tokens, _) = try await askForTokens(
            form,
            .exchangeToken,
            scope: request.scope,
            proofKey: request.proofKey,
            expecting: IdTokenExpectations(nonce: request.nonce, code: code, maxAge: request.maxAge)
        )
        if request.nonce != nil, tokens.idToken == nil, tokens.scope?.split(separator: " ").contains("openid") ?? true {
            throw OAuthError(failure: NetworkFailure("\(issuer) gave no id_token, although openid was asked for"))
        }
        return tokens
    }

    /// Refuses a server that knows PKCE only by a challenge that is the verifier itself.
    private func checkChallengeMethods(_ metadata: ServerMetadata) throws(OAuthError) {
        guard let methods = metadata.codeChallengeMethods, !methods.contains(CodeChallenge.method) else { return }
        throw OAuthError(
            failure: NetworkFailure(
                "\(issuer) does not offer PKCE with S256 (it offers \(ServerWords.shown(methods.joined(separator: ", "))))",
                advice: "anyone who sees the request could use its code; ask the server's operator for S256"
            )
        )
    }
}
