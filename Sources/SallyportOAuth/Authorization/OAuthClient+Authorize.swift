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
        let thumbprint = try await convertingErrors(of: "a new key for") {
            try proofKey?.publicJsonWebKey?.thumbprint()
        }
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
    /// The response has to be for the request and of the server, and the id_token is validated in full.
    ///
    /// - Parameters:
    ///   - callback: The whole URL that the browser was sent back to.
    ///   - request: The request that it responses.
    /// - Throws: ``OAuthError``, such as `access_denied` where the person has said no; ``NetworkError``.
    public func tokens(from callback: String, for request: AuthorizationRequest) async throws -> OAuthTokens {
        let isIssuerRequired = try await server.metadata().namesItselfInAnswers
        let response = try AuthorizationCallback(callback, of: request)
        let code = try response.code(for: request, issuer: issuer, isIssuerRequired: isIssuerRequired)
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
            throw OAuthError(failure: NetworkFailure("\(issuer) gave no id_token, although openid was asked for"))
        }
        return tokens
    }

    /// Refuses a server that knows PKCE only by a challenge that is the verifier itself.
    private func checkChallengeMethods(_ metadata: ServerMetadata) throws(OAuthError) {
        guard let methods = metadata.codeChallengeMethods, !methods.contains(CodeChallenge.method) else { return }
        throw OAuthError(
            failure: NetworkFailure(
                "\(issuer) does not offer PKCE with S256 (it offers \(SanitizedText.make(from: methods.joined(separator: ", "))))",
                advice: "anyone who sees the request could use its code; ask the server's operator for S256"
            )
        )
    }
}

extension OAuthClient {
    /// The URL of an authorization request, which names the request deposited with the server if there is one.
    func browserURL(
        _ endpoint: String,
        _ parameters: [(String, String)],
        _ metadata: ServerMetadata,
        proofKey: SigningKey?
    ) async throws -> String {
        let url = try await preparedURL(endpoint, parameters, .authorize)
        guard pushes(at: metadata) else { return url }
        let deposited = try await deposit(Self.query(of: url, without: endpoint), proofKey: proofKey)
        var request = HttpRequest(url: endpoint)
        request.setParameter(name: "client_id", value: clientID)
        request.setParameter(name: "request_uri", value: deposited)
        return try request.fullURL()
    }

    /// A URL for a browser, after the interceptors.
    func preparedURL(_ endpoint: String, _ parameters: [(String, String)], _ type: ActionType) async throws -> String {
        var request = HttpRequest(url: endpoint)
        request.action = Action(type)
        for (name, value) in parameters { request.setParameter(name: name, value: value) }
        return try await server.httpClient.prepared(request).fullURL()
    }

    private func pushes(at metadata: ServerMetadata) -> Bool {
        switch configuration.pushedAuthorization {
        case .always: true
        case .whenOffered: metadata.requiresPushedAuthorization || metadata[.pushedAuthorization] != nil
        case .never: metadata.requiresPushedAuthorization
        }
    }

    /// Deposits a request with the server (RFC 9126).
    ///
    /// - Returns: Its name there.
    private func deposit(_ parameters: [(String, String)], proofKey: SigningKey?) async throws -> String {
        let form = parameters.filter { $0.0 != "client_id" || !configuration.authentication.namesClientInForm }
        let response = try await post(form, to: .pushedAuthorization, .pushAuthorization, proofKey: proofKey)
        let members = try response.object(of: "the authorization request")
        guard let name = members["request_uri"]?.string, !name.isEmpty, name.utf8.count <= 2048 else {
            throw response.invalid("the response has no request_uri")
        }
        return name
    }

    /// The parameters of a URL, without those that its endpoint has anyway.
    private static func query(of url: String, without endpoint: String) -> [(String, String)] {
        var own = pairs(of: endpoint)
        return pairs(of: url).filter { pair in
            guard let place = own.firstIndex(where: { $0 == pair }) else { return true }
            own.remove(at: place)
            return false
        }
    }

    private static func pairs(of url: String) -> [(String, String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return QueryText.pairs(of: url[url.index(after: mark)...]).map { ($0.name, $0.value) }
    }
}

extension HttpRequest {
    /// The URL as it goes out, with all parameters.
    func fullURL() throws(NetworkError) -> String {
        let head = try head()
        return "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
    }
}
