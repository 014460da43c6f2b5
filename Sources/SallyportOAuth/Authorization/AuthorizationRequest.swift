import Foundation
import SallyportJOSE

/// An authorization request: the URL to show in a browser, and the values that validate the response.
///
/// Keep it until the server redirects the browser back, and pass it to ``OAuthClient/tokens(from:for:)``. Its
/// description contains no secret.
public struct AuthorizationRequest: Sendable {
    /// The URL to show in a browser.
    public internal(set) var url: String
    /// The URI that the server redirects the browser to afterwards.
    public let redirectURI: String
    /// The value that binds the callback to this request (RFC 6749, section 10.12).
    public let state: String
    /// The value that binds the id_token to this request; `nil` if none was requested.
    public let nonce: String?
    /// The PKCE challenge and its verifier (RFC 7636).
    public let codeChallenge: CodeChallenge
    /// The key that the tokens will be bound to (RFC 9449).
    public let proofKey: SigningKey?
    /// The requested scopes.
    public let scope: String?
    /// The maximum number of seconds since the user signed in, if that was requested.
    let maxAge: Int?

    /// Creates a request from a URL that was not created by ``OAuthClient/authorizationRequest(redirectURI:scopes:parameters:)``.
    ///
    /// ```swift
    /// let request = AuthorizationRequest(
    ///     url: "https://id.example.com/authorize?client_id=app&response_type=code&state=af0ifjsldkj",
    ///     redirectURI: "com.example.app:/callback",
    ///     state: "af0ifjsldkj"
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL to show in a browser.
    ///   - redirectURI: The redirect URI in it.
    ///   - state: The `state` of the request, which the callback must contain (RFC 6749, section 10.12).
    ///   - nonce: The `nonce` of the request, if an id_token was requested.
    ///   - codeChallenge: The PKCE challenge of the request (RFC 7636).
    ///   - proofKey: The key for `dpop_jkt` (RFC 9449), if the request has this parameter.
    ///   - scope: The requested scopes, separated by spaces.
    ///   - maxAge: The `max_age` of the request in seconds, if any.
    public init(
        url: String,
        redirectURI: String,
        state: String,
        nonce: String? = nil,
        codeChallenge: CodeChallenge = CodeChallenge(),
        proofKey: SigningKey? = nil,
        scope: String? = nil,
        maxAge: Int? = nil
    ) {
        self.url = url
        self.redirectURI = redirectURI
        self.state = state
        self.nonce = nonce
        self.codeChallenge = codeChallenge
        self.proofKey = proofKey
        self.scope = scope
        self.maxAge = maxAge
    }
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    /// The redirect URI, without any secret.
    public var description: String { "authorization request, back to \(redirectURI)" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
