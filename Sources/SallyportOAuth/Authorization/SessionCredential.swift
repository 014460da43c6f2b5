import Foundation
import Sallyport

/// A credential of a session at the authorization server. It authenticates an authorization request that is sent without a
/// browser.
///
/// Its description contains no secret.
///
/// ```swift
/// let tokens = try await client.tokens(authorizedBy: .cookie(name: "iPlanetDirectoryPro", value: sessionToken))
/// ```
public enum SessionCredential: Sendable {
    /// A session cookie.
    case cookie(name: String, value: String)
    /// A header field with a session token.
    case header(name: String, value: String)
    /// The cookies in the jar of the client that sends the requests (``OAuthClientConfiguration/httpClient``).
    case cookieJar
}

extension SessionCredential {
    /// Adds the credential to a request.
    func add(to request: inout HttpRequest) {
        switch self {
        case .cookie(let name, let value): request.setCookie(cookie: "\(name)=\(value)")
        case .header(let name, let value): request.setHeader(name: name, value: value, isSensitive: true)
        case .cookieJar: break
        }
    }

    /// The value to mask in errors, if there is one.
    var secret: String? {
        switch self {
        case .cookie(_, let value), .header(_, let value): value
        case .cookieJar: nil
        }
    }
}

extension SessionCredential: CustomStringConvertible, CustomReflectable {
    /// The kind and name of the credential, without its value.
    public var description: String {
        switch self {
        case .cookie(let name, _): "session cookie \(name)"
        case .header(let name, _): "session header \(name)"
        case .cookieJar: "cookie jar of the client"
        }
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description], displayStyle: .enum) }
}

extension OAuthClient {
    /// Sends an authorization request without a browser, authenticated by an existing session at the server, and exchanges the
    /// authorization code for tokens.
    ///
    /// Use it after the app has signed the user in without a browser. The request is sent once as
    /// ``ActionType/authorize``, and interceptors may change any part of it. If the server supports it, its parameters
    /// are pushed first (RFC 9126). No redirect is followed: the response is in the URL that the server redirects to,
    /// and is validated as in ``tokens(from:for:)``.
    ///
    /// A server that asks for the user's consent returns a page, which is an error here. The server of `sallyport serve` asks for it at
    /// each request of its client `pub`, and of `conf` until the user has allowed the scopes in a browser.
    ///
    /// ```swift
    /// let tokens = try await client.tokens(
    ///     authorizedBy: .cookie(name: "iPlanetDirectoryPro", value: sessionToken),
    ///     parameters: ["prompt": "none"]
    /// )
    /// try await session.save(tokens)
    /// ```
    ///
    /// - Parameters:
    ///   - credential: The credential of the session.
    ///   - redirectURI: The redirect URI, which is not called; by default the one in the configuration.
    ///   - scopes: The scopes to request; by default the scopes of the configuration.
    ///   - parameters: Further parameters. With `prompt` set to `none`, OpenID Connect servers refuse with `login_required` or
    ///     `consent_required` instead of showing a page.
    /// - Throws: ``NetworkError``; ``OAuthError``, for example if the server returns a page instead of a redirect. It may do so
    ///   because the session has ended.
    public func tokens(
        authorizedBy credential: SessionCredential,
        redirectURI: String? = nil,
        scopes: [String]? = nil,
        parameters: [String: String] = [:]
    ) async throws -> OAuthTokens {
        let draft = try await draftAuthorization(redirectURI: redirectURI, scopes: scopes, parameters: parameters)
        var request = server.request(draft.request.url, .authorize)
        for (name, value) in draft.parameters { request.addParameter(name: name, value: value) }
        credential.add(to: &request)
        server.disableRetries(of: &request)
        var httpClient = server.httpClient
        if draft.isPushed {
            let push = PushedRequestInterceptor(client: self, draft: draft)
            httpClient = httpClient.derived { $0.authentication.insert(push, at: 0) }
        }
        let response: HttpResponse
        do {
            response = try await httpClient.request(request: request)
        } catch {
            // The pipeline wraps the error of the interceptor that pushes.
            if let refusal = error.failure.underlying as? OAuthError { throw refusal }
            throw error
        }
        let secrets = [credential.secret].compactMap(\.self)
        let callback = try callback(in: OAuthResponse(response, secrets: secrets), to: draft.request)
        return try await tokens(from: callback, for: draft.request)
    }

    /// Returns the URL that a response redirects to.
    private func callback(in response: OAuthResponse, to request: AuthorizationRequest) throws(OAuthError) -> String {
        let location = response.headers[NetworkConstants.headerLocation]?.first
        if response.status.isRedirect(), let location,
            AuthorizationCallback.isCallback(location, to: request.redirectURI)
        {
            return location
        }
        guard response.status.isSuccess() || response.status.isRedirect() else {
            // The server does not redirect to a URI that is not registered for the client (RFC 6749, section 4.1.2.1).
            let advice = "check that the client \(clientID) is registered with the redirect URI \(request.redirectURI)"
            throw response.refusal(
                of: "the authorization request",
                advice: response.status.code == 400 ? advice : nil
            )
        }
        var error = response.invalid(
            "the server shows a page instead of redirecting to \(request.redirectURI)",
            advice: SettingAdvice.signInWithBrowser.rawValue
        )
        error.showsPage = true
        throw error
    }
}

/// Pushes an authorization request after the interceptors have changed it, and sends only a reference to it (RFC 9126).
private struct PushedRequestInterceptor: Interceptor {
    let client: OAuthClient
    let draft: OAuthClient.AuthorizationDraft

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.url = try await client.pushedURL(replacing: request.fullURL(), of: draft)
        request.parameters = []
        return try await next(request)
    }
}
