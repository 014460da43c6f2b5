import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Creates a request for an authorization code, with PKCE, state and, for an id_token, a nonce.
    ///
    /// Interceptors receive the request as ``ActionType/authorize``. Only their changes to the query have an effect. If the
    /// server supports it, the request is then pushed to the server (RFC 9126).
    ///
    /// ```swift
    /// let request = try await client.authorizationRequest(parameters: ["prompt": "login", "login_hint": "ada"])
    /// ```
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI; by default the one in the configuration.
    ///   - scopes: The scopes to request; by default the scopes of the configuration.
    ///   - parameters: Further parameters, such as `prompt`, `login_hint`, `max_age`, `ui_locales` or `ForceAuth`.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func authorizationRequest(
        redirectURI: String? = nil,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> AuthorizationRequest {
        let draft = try await draftAuthorization(redirectURI: redirectURI, scopes: scopes, parameters: parameters)
        var request = draft.request
        request.url = try await preparedURL(draft.request.url, draft.parameters, .authorize)
        if draft.isPushed { request.url = try await pushedURL(replacing: request.url, of: draft) }
        return request
    }

    /// An authorization request that no interceptor has changed and that has not been sent.
    struct AuthorizationDraft: Sendable {
        /// The request. Its URL is the authorization endpoint without parameters.
        let request: AuthorizationRequest
        let parameters: [(String, String)]
        /// A Boolean value that indicates whether the request is pushed to the server (RFC 9126).
        let isPushed: Bool
    }

    /// Creates an authorization request. The only request that may be sent is one for the server's metadata.
    func draftAuthorization(
        redirectURI: String?,
        scopes: [String]?,
        parameters: [String: String]
    ) async throws -> AuthorizationDraft {
        guard let redirectURI = redirectURI ?? configuration.redirectURI else {
            throw OAuthError(
                failure: NetworkFailure("there is no redirect URI", advice: SettingAdvice.setRedirectURI.rawValue)
            )
        }
        let metadata = try await server.metadata()
        let endpoint = try metadata.url(of: .authorization)
        try checkChallengeMethods(metadata)
        let scope = scope(scopes)
        let isOpenID = scope?.split(separator: " ").contains("openid") ?? false
        let proofKey = try await newProofKey()
        let thumbprint = try await server.convertingErrors(of: "a new key for") {
            try proofKey?.publicJsonWebKey?.thumbprint()
        }
        let state = RandomText.make()
        let nonce = isOpenID ? RandomText.make() : nil
        let codeChallenge = CodeChallenge()
        let clientParameters: [(String, String)] =
            definedFields([
                ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", scope),
                ("state", state), ("nonce", nonce), ("code_challenge", codeChallenge.challenge),
                ("code_challenge_method", CodeChallenge.method),
                ("dpop_jkt", thumbprint),
            ]) + targetParameters
        if let name = parameters.keys.sorted().first(where: { name in clientParameters.contains { $0.0 == name } }) {
            throw OAuthError(
                failure: NetworkFailure(
                    "the parameter \(name) of the authorization request is set by the client and cannot be replaced"
                )
            )
        }
        let request = AuthorizationRequest(
            url: endpoint,
            redirectURI: redirectURI,
            state: state,
            nonce: nonce,
            codeChallenge: codeChallenge,
            proofKey: proofKey,
            scope: scope,
            maxAge: parameters["max_age"].flatMap { Int($0) }
        )
        return AuthorizationDraft(
            request: request,
            parameters: clientParameters + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            isPushed: isPushed(at: metadata)
        )
    }

    /// Exchanges the authorization code in a callback for tokens.
    ///
    /// Validates that the callback belongs to the request and comes from the server, and validates the id_token.
    ///
    /// - Parameters:
    ///   - callback: The complete URL that the server redirected the browser to.
    ///   - request: The request that the callback belongs to.
    /// - Throws: ``OAuthError``, such as `access_denied` if the user has refused; ``NetworkError``.
    public func tokens(from callback: String, for request: AuthorizationRequest) async throws -> OAuthTokens {
        let isIssuerRequired = try await server.metadata().authorizationResponseIssParameterSupported
        let callback = try AuthorizationCallback(callback, of: request)
        let code = try callback.code(
            for: request,
            issuer: issuer,
            template: configuration.issuerTemplate.flatMap(IssuerTemplate.init),
            isIssuerRequired: isIssuerRequired
        )
        let form: [(String, String)] =
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                ("code_verifier", request.codeChallenge.verifier),
            ] + configuration.resources.map { ("resource", $0) }
        let (tokens, _) = try await requestTokens(
            form,
            .exchangeToken,
            scope: request.scope,
            proofKey: request.proofKey,
            expecting: IdTokenExpectations(nonce: request.nonce, code: code, maxAge: request.maxAge)
        )
        if request.nonce != nil, tokens.idToken == nil, tokens.scope?.split(separator: " ").contains("openid") ?? true {
            throw OAuthError(failure: NetworkFailure("\(issuer) issued no id_token, although openid was requested"))
        }
        return tokens
    }

    /// Throws an error if the server supports PKCE, but not with the method `S256`.
    private func checkChallengeMethods(_ metadata: ServerMetadata) throws(OAuthError) {
        guard let methods = metadata.codeChallengeMethods, !methods.contains(CodeChallenge.method) else { return }
        throw OAuthError(
            failure: NetworkFailure(
                "\(issuer) does not offer PKCE with S256 (it offers \(SanitizedText.make(from: methods.joined(separator: ", "))))",
                advice: "anyone who sees the request could use its code; ask the server's operator to support S256"
            )
        )
    }

    /// Pushes the parameters of an authorization request to the server (RFC 9126).
    ///
    /// - Parameter url: The URL of the request, after interceptors have changed its query.
    /// - Returns: The URL with a reference (`request_uri`) in place of the parameters.
    func pushedURL(replacing url: String, of draft: AuthorizationDraft) async throws -> String {
        let endpoint = draft.request.url
        let parameters = Self.query(of: url, without: endpoint)
        let requestURI = try await push(parameters, proofKey: draft.request.proofKey)
        var request = HttpRequest(url: "\(url.prefix { $0 != "?" })\(endpoint.drop { $0 != "?" })")
        request.setParameter(name: "client_id", value: clientID)
        request.setParameter(name: "request_uri", value: requestURI)
        return try request.fullURL()
    }

    /// Returns the URL for a browser, after interceptors have changed it.
    func preparedURL(_ endpoint: String, _ parameters: [(String, String)], _ type: ActionType) async throws -> String {
        var request = HttpRequest(url: endpoint)
        request.action = Action(type)
        request.carriesOwnCredentials = true
        for (name, value) in parameters { request.addParameter(name: name, value: value) }
        return try await server.httpClient.prepareForBrowser(request).fullURL()
    }

    private func isPushed(at metadata: ServerMetadata) -> Bool {
        switch configuration.pushedAuthorization {
        case .always: true
        case .whenOffered: metadata.requiresPushedAuthorization || metadata[.pushedAuthorization] != nil
        case .never: metadata.requiresPushedAuthorization
        }
    }

    /// Pushes an authorization request to the server (RFC 9126).
    ///
    /// - Returns: The request URI.
    private func push(_ parameters: [(String, String)], proofKey: SigningKey?) async throws -> String {
        let form = parameters.filter { $0.0 != "client_id" || !configuration.authentication.addsClientIDToForm }
        let response = try await post(form, to: .pushedAuthorization, .pushedAuthorizationRequest, proofKey: proofKey)
        let members = try response.object(of: "the authorization request")
        guard let uri = members["request_uri"]?.string, !uri.isEmpty, uri.utf8.count <= 2048 else {
            throw response.invalid("the response has no request_uri")
        }
        return uri
    }

    /// Returns the parameters of a URL, without the parameters that are part of the endpoint's URL.
    private static func query(of url: String, without endpoint: String) -> [(String, String)] {
        var endpointPairs = pairs(of: endpoint)
        return pairs(of: url).filter { pair in
            guard let index = endpointPairs.firstIndex(where: { $0 == pair }) else { return true }
            endpointPairs.remove(at: index)
            return false
        }
    }

    private static func pairs(of url: String) -> [(String, String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return QueryText.pairs(of: url[url.index(after: mark)...]).map { ($0.name, $0.value) }
    }
}

extension HttpRequest {
    /// Returns the URL that is sent, with all parameters.
    func fullURL() throws(NetworkError) -> String {
        let head = try head()
        return "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
    }
}
