import Foundation
import Sallyport

/// The settings of an app whose users sign in at a PingAM server, in one value, as in `Config.set` of the Ping SDK for JavaScript.
///
/// ```swift
/// let settings = try PingAMConfiguration(
///     clientID: "sdkPublicClient",
///     redirectURI: "https://localhost:8443/callback.html",
///     scope: "openid profile email address",
///     realmPath: "alpha",
///     tree: "UsernamePassword",
///     baseURL: "https://am.example.com/am",
///     timeout: .milliseconds(30_000)
/// )
/// let http = HttpClient.createClient(settings) { config in config.addMiddleware(forceAuthMiddleware) }
/// let client = OAuthClient(settings) { config in config.httpClient = http }
/// ```
public struct PingAMConfiguration: Sendable, Hashable {
    /// The client identifier.
    public let clientID: String

    /// The URI to which the server redirects the browser after a login.
    public let redirectURI: String

    /// The scopes to request, separated by spaces.
    public let scope: String

    /// The names of the realm and its parents, separated by slashes, such as `alpha`. `root` is the top-level realm.
    public let realmPath: String

    /// The authentication tree with which users sign in; `nil` for the default of the realm. An ``OAuthClient`` does not use it.
    public let tree: String?

    /// The URL of the server.
    public let baseURL: String

    /// The maximum duration of a call.
    public let timeout: Duration

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - redirectURI: The URI to which the server redirects the browser after a login: an absolute URI without a fragment
    ///     (RFC 6749, section 3.1.2).
    ///   - scope: The scopes to request, separated by spaces (RFC 6749, section 3.3).
    ///   - realmPath: The names of the realm and its parents, separated by slashes.
    ///   - tree: The authentication tree with which users sign in; `nil` for the default of the realm.
    ///   - baseURL: The URL of the server, such as `https://am.example.com/am`. Plain http is allowed for loopback addresses only.
    ///   - timeout: The maximum duration of a call.
    /// - Throws: ``OAuthError``, which states the first setting that is invalid.
    public init(
        clientID: String,
        redirectURI: String,
        scope: String,
        realmPath: String = "root",
        tree: String? = nil,
        baseURL: String,
        timeout: Duration = .seconds(NetworkConstants.defaultTimeout)
    ) throws(OAuthError) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.realmPath = realmPath
        self.tree = tree
        self.baseURL = baseURL
        self.timeout = timeout
        if let problem { throw OAuthError(failure: problem) }
    }

    private var problem: NetworkFailure? {
        func invalid(_ setting: String, _ value: String, _ problem: String, _ advice: String) -> NetworkFailure {
            let value = SanitizedText.make(from: value)
            return NetworkFailure("the \(setting) \"\(value)\" is invalid: \(problem)", advice: advice)
        }
        if clientID.isEmpty {
            return invalid("clientID", clientID, "it is empty", "use the ID under which the server knows the app")
        }
        if URL(string: redirectURI)?.scheme == nil || redirectURI.contains("#") {
            return invalid(
                "redirectURI",
                redirectURI,
                "it is not an absolute URI without a fragment",
                "use one that is registered for the client, such as https://app.example.com/callback"
            )
        }
        if let character = scope.unicodeScalars.first(where: { !Self.isAllowedInScope($0) }) {
            let name = "U+\(String(character.value, radix: 16, uppercase: true))"
            return invalid("scope", scope, "it contains \(name)", "separate the names of scopes by spaces")
        }
        if let name = realmNames.first(where: { [".", "..", "realms"].contains($0) }) {
            return invalid("realmPath", realmPath, "\"\(name)\" is not a realm", "list only realms, as in alpha/beta")
        }
        if tree?.isEmpty == true {
            return invalid("tree", "", "it is empty", "use the name of a tree, or nil for the default of the realm")
        }
        if let problem = OAuthServer.problem(with: baseURL) {
            return invalid("baseURL", baseURL, problem, "use an https URL such as https://am.example.com/am")
        }
        if timeout <= .zero {
            return invalid("timeout", "\(timeout)", "it is not greater than zero", "use one such as .seconds(30)")
        }
        return nil
    }

    /// The characters of scope tokens (RFC 6749, section 3.3), and the space that separates them.
    private static func isAllowedInScope(_ character: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(character.value) && character != "\"" && character != "\\"
    }

    private var realmNames: [Substring] { realmPath.split(separator: "/") }

    /// The metadata of the server for the realm.
    fileprivate var metadata: ServerMetadata {
        let names = realmNames.first == "root" ? realmNames : ["root"] + realmNames
        return .pingAM(base: baseURL, realm: names.joined(separator: "/realms/"))
    }
}

extension OAuthClient {
    /// Creates a client of a PingAM server.
    ///
    /// ```swift
    /// let client = OAuthClient(settings) { config in config.usesDPoP = true }
    /// ```
    ///
    /// - Parameters:
    ///   - settings: The settings of the app.
    ///   - configure: A closure that changes the settings of the client. It receives the redirect URI, the scopes, and the endpoints of
    ///     the realm as metadata; if the server's tokens have another issuer, set
    ///     ``ServerMetadata/pingAM(base:realm:issuer:)`` with it. If it sets no HTTP client, the timeout of the settings applies.
    public convenience init(
        _ settings: PingAMConfiguration,
        configure: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) {
        var configuration = OAuthClientConfiguration()
        configuration.redirectURI = settings.redirectURI
        configuration.scopes = settings.scope.split(separator: " ").map(String.init)
        configuration.metadata = settings.metadata
        configure(&configuration)
        if configuration.httpClient == nil {
            configuration.httpClient = HttpClient.createClient(settings) { config in
                config.cookieJar = nil
                config.maximumBodySize = OAuthResponse.maximumBodySize
            }
        }
        let issuer = (configuration.metadata ?? settings.metadata).issuer
        self.init(issuer: issuer, clientID: settings.clientID, configuration: configuration)
    }
}

extension HttpClient {
    /// Creates a client whose calls have the timeout of an app's settings.
    ///
    /// - Parameters:
    ///   - settings: The settings of the app.
    ///   - configure: A closure that changes the settings of the client.
    /// - Throws: The error that the closure throws.
    public static func createClient(
        _ settings: PingAMConfiguration,
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        try createClient { config in
            config.timeouts.total = settings.timeout
            try configure(&config)
        }
    }
}
