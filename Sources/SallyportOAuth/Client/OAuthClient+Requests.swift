import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Requests tokens from the token endpoint and validates the response, including the id_token.
    ///
    /// - Parameters:
    ///   - form: The fields of the grant.
    ///   - type: The action type of the request.
    ///   - scope: The requested scopes, which are granted if the response states none.
    ///   - proofKey: The key that the tokens are bound to.
    ///   - expected: The values that an id_token must match.
    ///   - allowsOtherTokens: A Boolean value that indicates whether the issued token may be something other than an access
    ///     token.
    /// - Throws: ``OAuthError``, with ``OAuthError/issuedRefreshToken`` if the response is refused; `NetworkError`.
    func requestTokens(
        _ form: [(String, String)],
        _ type: ActionType,
        scope: String?,
        proofKey: SigningKey?,
        expecting expected: IdTokenExpectations = IdTokenExpectations(),
        allowsOtherTokens: Bool = false
    ) async throws -> (tokens: OAuthTokens, response: TokenResponse) {
        let (tokens, response) = try await sendGrant(
            form,
            type,
            scope: scope,
            proofKey: proofKey,
            allowsOtherTokens: allowsOtherTokens
        )
        do {
            return (try await addIdToken(of: response, to: tokens, expected), response)
        } catch var error as OAuthError {
            error.issuedRefreshToken = response.refreshToken
            throw error
        }
    }

    /// Requests tokens from the token endpoint. The result does not include the id_token, which has not been validated yet.
    func sendGrant(
        _ form: [(String, String)],
        _ type: ActionType,
        scope: String?,
        proofKey: SigningKey?,
        allowsOtherTokens: Bool = false
    ) async throws -> (tokens: OAuthTokens, response: TokenResponse) {
        let start = clock.date()
        let response = try TokenResponse(
            await post(form, to: .token, type, proofKey: proofKey),
            for: configuration,
            isBound: proofKey != nil,
            allowsOtherTokens: allowsOtherTokens
        )
        return (response.tokens(requestedAt: start, scope: scope, proofKey: proofKey), response)
    }

    /// Validates the id_token of a response and adds it to the tokens. See also ``IdTokenExpectations/isOptional``.
    func addIdToken(
        of response: TokenResponse,
        to tokens: OAuthTokens,
        _ expected: IdTokenExpectations
    ) async throws -> OAuthTokens {
        guard let idToken = response.idToken else { return tokens }
        do {
            try await validate(idToken, accessToken: tokens.accessToken, expected)
        } catch {
            let problem = (error as? OAuthError)?.failure.underlying as? IdTokenError
            guard expected.isOptional, problem?.mayBeWrongClock ?? true else { throw error }
            return tokens
        }
        var tokens = tokens
        tokens.idToken = idToken
        return tokens
    }

    /// Returns the `scope` parameter for the given scopes, or for the scopes of the configuration; `nil` if there are none.
    func scope(_ scopes: [String]?) -> String? {
        let scopes = scopes ?? configuration.scopes
        return scopes.isEmpty ? nil : scopes.joined(separator: " ")
    }
}

/// Returns the form fields that have a value.
func definedFields(_ pairs: [(String, String?)]) -> [(String, String)] {
    pairs.compactMap { name, value in value.map { (name, $0) } }
}

extension OAuthClient {
    /// Posts a form to an endpoint of the server, with the authentication of this client.
    ///
    /// - Parameters:
    ///   - form: The fields, without the fields of the client authentication.
    ///   - endpoint: The endpoint.
    ///   - type: The action type of the request.
    ///   - proofKey: The key for a proof of possession, if one is needed.
    func post(
        _ form: [(String, String)],
        to endpoint: ServerEndpoint,
        _ type: ActionType,
        proofKey: SigningKey? = nil
    ) async throws -> OAuthResponse {
        try await post(form, to: try await server.url(of: endpoint), type, proofKey: proofKey)
    }

    private func post(
        _ form: [(String, String)],
        to url: String,
        _ type: ActionType,
        proofKey: SigningKey?
    ) async throws -> OAuthResponse {
        try await server.sendWithProof(by: proofKey, to: url) { maker in
            var request = self.server.request(url, type)
            var fields = form
            try await self.server.convertingErrors(of: "the client's key for") {
                try await self.configuration.authentication.add(
                    clientID: self.clientID,
                    issuer: self.issuer,
                    at: self.clock.date(),
                    to: &fields,
                    of: &request
                )
            }
            request.form(parameters: fields)
            self.server.disableRetries(of: &request)
            try await self.server.addProof(by: maker, to: &request, url: url)
            let ownSecret = [self.configuration.authentication.secret].compactMap(\.self)
            let secrets = fields.filter { Self.isConfidential($0.0) }.map(\.1) + ownSecret
            return try OAuthResponse(try await self.server.httpClient.request(request: request), secrets: secrets)
        }
    }

    /// Posts a form to an endpoint that this module does not define, with the authentication of this client.
    ///
    /// - Parameters:
    ///   - form: The fields, without the fields of the client authentication.
    ///   - name: The member of the server's metadata with the URL of the endpoint.
    ///   - path: A path to append to the path of the URL.
    ///   - type: The action type of the request.
    ///   - purpose: The purpose of the request, for errors.
    /// - Returns: The JSON object in the response.
    /// - Throws: ``OAuthError``, for example if the metadata has no such endpoint; `NetworkError`.
    package func post(
        _ form: [(String, String)],
        toEndpoint name: String,
        appending path: String = "",
        _ type: ActionType,
        for purpose: String
    ) async throws -> [String: JsonValue] {
        let url = try await server.metadata().url(ofEndpoint: name)
        let query = url.firstIndex { "?#".contains($0) } ?? url.endIndex
        let target = "\(url[..<query])\(path)\(url[query...])"
        return try await post(form, to: target, type, proofKey: nil).object(of: purpose)
    }

    private static func isConfidential(_ name: String) -> Bool {
        ["code", "password"].contains(name)
            || ["token", "secret", "assertion", "verifier", "device_code"].contains { name.contains($0) }
                && !name.hasSuffix("_type") && name != "token_type_hint"
    }
}
