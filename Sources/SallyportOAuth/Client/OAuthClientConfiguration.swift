import Foundation
import Sallyport
import SallyportJOSE

/// What a client of an authorization server is told once, besides the issuer and its own name.
///
/// ```swift
/// let client = OAuthClient(issuer: "https://id.example.com", clientID: "service") { config in
///     config.authentication = .secretBasic(secret)
///     config.scopes = ["api"]
///     config.httpClient = client
/// }
/// ```
public struct OAuthClientConfiguration: Sendable {
    /// How it shows who it is.
    public var authentication = ClientAuthentication.none

    /// The scopes that it asks for; `openid` among them asks for an id_token.
    public var scopes: [String] = []

    /// Where the browser is sent back to; can be given for each request instead.
    public var redirectURI: String?

    /// The APIs that the tokens are for (RFC 8707).
    public var resources: [String] = []

    /// The API that the tokens are for, for servers that take an `audience`.
    public var audience: String?

    /// Whether the tokens are bound to a key (RFC 9449). A server that does not bind them is refused.
    public var usesDPoP = false

    /// When the authorization request is deposited with the server (RFC 9126).
    public var pushedAuthorization = PushedAuthorization.whenOffered

    /// The client that all calls are made with, so that its interceptors see them. By default one that keeps no cookies.
    public var httpClient: HttpClient?

    /// The server's endpoints, for one that does not publish them.
    public var metadata: ServerMetadata?

    /// Headers of every call, such as `accept-api-version`.
    public var headers: [String: String] = [:]

    /// How id_tokens and answers about the person are encrypted, if they are.
    public var decryption: IdTokenDecryption?

    /// How id_tokens may be signed. By default as the server's metadata says, without a symmetric key; else RS256.
    public var idTokenAlgorithms: Set<SignatureAlgorithm>?

    /// What time it is.
    package var clock = OAuthClock()

    /// Makes a configuration with the defaults.
    public init() {}
}

/// When an authorization request is deposited with the server, and only a reference to it goes through the browser.
public enum PushedAuthorization: Sendable, Equatable {
    /// If the server has an endpoint for it.
    case whenOffered
    /// Always: a server without an endpoint for it is an error.
    case always
    /// Only if the server demands it.
    case never
}

/// What time it is, and how to wait; tests have one that does not wait.
package struct OAuthClock: Sendable {
    /// What time it is.
    package var now: @Sendable () -> Date
    /// Waits; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Makes a clock.
    package init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.sleep = sleep
    }
}
