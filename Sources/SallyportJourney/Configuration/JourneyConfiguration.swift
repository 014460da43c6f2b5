import Foundation
import Sallyport
import SallyportOAuth

/// The settings of your app for sign-ins at a PingAM server, as in `Config.set` of the Ping SDK for JavaScript. One value
/// creates a ``Journey`` and an `OAuthClient`.
///
/// ```swift
/// let settings = try JourneyConfiguration(
///     clientID: "sdkPublicClient",
///     redirectURI: "https://localhost:8443/callback.html",
///     scope: "openid profile email address",
///     realmPath: "alpha",
///     tree: "UsernamePassword",
///     baseURL: "https://am.example.com/am",
///     timeout: .milliseconds(30_000)
/// )
/// let http = HttpClient.createClient { config in config.timeout = 30 }
/// let journey = Journey(settings, httpClient: http)
/// let client = OAuthClient(settings) { config in config.httpClient = http }
/// ```
public struct JourneyConfiguration: Sendable, Hashable {
    /// The client identifier.
    public let clientID: String

    /// The URI to which the server redirects the browser after a login.
    public let redirectURI: String

    /// The scopes to request, separated by spaces.
    public let scope: String

    /// The names of the realm and its parents, separated by slashes, such as `alpha`. `root` is the top-level realm.
    public let realmPath: String

    /// The authentication tree with which users sign in; `nil` if it is passed to ``Journey/start(_:forceAuth:noSession:)``.
    public let tree: String?

    /// The URL of the server.
    public let baseURL: String

    /// The maximum duration of a call.
    public let timeout: Duration

    /// The name of the server's session cookie, which is also the name of the header with the session token.
    public var cookieName = "iPlanetDirectoryPro"

    /// The issuer of the server's tokens; `nil` if it is the URL of the realm's OAuth endpoints, as in
    /// `https://am.example.com/am/oauth2/realms/root/realms/alpha`.
    public var issuer: String?

    /// The paths of endpoints, if they differ from PingAM's paths.
    public var paths = JourneyPaths()

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - redirectURI: The URI to which the server redirects the browser after a login: an absolute URI without a fragment
    ///     (RFC 6749, section 3.1.2).
    ///   - scope: The scopes to request, separated by spaces (RFC 6749, section 3.3).
    ///   - realmPath: The names of the realm and its parents, separated by slashes. The complete form, such as
    ///     `root/realms/alpha`, is accepted as well.
    ///   - tree: The authentication tree with which users sign in, if it is the same for all sign-ins.
    ///   - baseURL: The URL of the server, such as `https://am.example.com/am`. Plain http is allowed for loopback addresses only.
    ///   - timeout: The maximum duration of a call.
    /// - Throws: ``JourneyError/invalidConfiguration(_:)``, which states the first setting that is invalid.
    public init(
        clientID: String,
        redirectURI: String,
        scope: String,
        realmPath: String = "root",
        tree: String? = nil,
        baseURL: String,
        timeout: Duration = .milliseconds(30_000)
    ) throws(JourneyError) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.realmPath = realmPath
        self.tree = tree
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        self.timeout = timeout
        try check()
    }

    /// Checks all settings. Some may have been changed since the value was created.
    ///
    /// - Throws: ``JourneyError/invalidConfiguration(_:)``, which states the first setting that is invalid.
    func check() throws(JourneyError) {
        if let problem { throw .invalidConfiguration(problem) }
    }

    private var problem: NetworkFailure? {
        func invalid(_ setting: String, _ value: String, _ problem: String, _ advice: String) -> NetworkFailure {
            NetworkFailure(
                "the \(setting) \"\(SanitizedText.make(from: value))\" is invalid: \(problem)",
                advice: advice
            )
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
            return invalid(
                "realmPath",
                realmPath,
                "\"\(name)\" is not a realm",
                "name the realms only, as in alpha/beta"
            )
        }
        if tree?.isEmpty == true {
            return invalid("tree", "", "it is empty", "use the name of a tree, or nil")
        }
        if baseURL.contains(where: { "?#".contains($0) }) {
            return invalid("baseURL", baseURL, "it has a query or a fragment", "use a URL without them")
        }
        if let problem = EndpointAddress.problem(with: baseURL) {
            return invalid(
                "baseURL",
                baseURL,
                problem,
                "use the https URL of the server, such as https://am.example.com/am"
            )
        }
        if cookieName.isEmpty || !cookieName.utf8.allSatisfy(Self.isAllowedInCookieName) {
            return invalid(
                "cookieName",
                cookieName,
                "it is not the name of a header and a cookie",
                "use letters, digits and hyphens"
            )
        }
        if timeout <= .zero {
            return invalid(
                "timeout",
                "\(timeout)",
                "it is not greater than zero",
                "30,000 ms are .milliseconds(30_000)"
            )
        }
        return nil
    }

    /// The characters of scope tokens (RFC 6749, section 3.3), and the space that separates them.
    private static func isAllowedInScope(_ character: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(character.value) && character != "\"" && character != "\\"
    }

    /// The characters of names of headers and cookies (RFC 9110, section 5.6.2).
    private static func isAllowedInCookieName(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// The names of the realm and its parents, below `root`.
    private var realmNames: [Substring] {
        let segments = realmPath.split(separator: "/")
        guard segments.first == "root" else { return segments }
        let rest = Array(segments.dropFirst())
        // In the complete form, `realms` precedes each name. In any other form, it is refused as a name.
        let isComplete =
            rest.count.isMultiple(of: 2) && stride(from: 0, to: rest.count, by: 2).allSatisfy { rest[$0] == "realms" }
        return isComplete ? stride(from: 1, to: rest.count, by: 2).map { rest[$0] } : rest
    }
}

/// The paths of a server's endpoints, below its base URL, if they differ from PingAM's paths. `nil` is PingAM's path.
///
/// ```swift
/// settings.paths.authenticate = "sso/json/authenticate"
/// ```
public struct JourneyPaths: Sendable, Hashable {
    /// The path for authentication trees, by default `json/realms/{realm}/authenticate`.
    public var authenticate: String?
    /// The path for sessions, by default `json/realms/{realm}/sessions`.
    public var sessions: String?
    /// The path of the authorization endpoint, by default `oauth2/realms/{realm}/authorize`.
    public var authorize: String?
    /// The path of the token endpoint, by default `oauth2/realms/{realm}/access_token`.
    public var accessToken: String?
    /// The path of the revocation endpoint, by default `oauth2/realms/{realm}/token/revoke`.
    public var revoke: String?
    /// The path of the UserInfo endpoint, by default `oauth2/realms/{realm}/userinfo`.
    public var userInfo: String?
    /// The path that ends the session at the provider, by default `oauth2/realms/{realm}/connect/endSession`.
    public var endSession: String?
    /// The path of the server's keys, by default `oauth2/realms/{realm}/connect/jwk_uri`.
    public var keys: String?

    /// Creates the paths of PingAM.
    public init() {}
}

extension JourneyConfiguration {
    /// The URL for authentication trees.
    var authenticateURL: String { url(paths.authenticate, "\(realmURL)/authenticate") }

    /// The URL for sessions.
    var sessionsURL: String { url(paths.sessions, "\(realmURL)/sessions") }

    private var realmURL: String {
        let names = realmNames.map { "/realms/\(PercentEncoding.query(String($0)))" }
        return "\(baseURL)/json/realms/root\(names.joined())"
    }

    private func url(_ path: String?, _ standard: String) -> String {
        path.map { "\(baseURL)/\($0.drop { $0 == "/" })" } ?? standard
    }

    /// The endpoints of the realm as metadata of an authorization server.
    fileprivate var metadata: ServerMetadata {
        let realm = (["root"] + realmNames).joined(separator: "/realms/")
        var metadata = ServerMetadata.pingAM(base: baseURL, realm: realm, issuer: issuer)
        let overrides = [
            ("authorization_endpoint", paths.authorize), ("token_endpoint", paths.accessToken),
            ("revocation_endpoint", paths.revoke), ("userinfo_endpoint", paths.userInfo),
            ("end_session_endpoint", paths.endSession), ("jwks_uri", paths.keys),
        ]
        for case (let name, let path?) in overrides { metadata.members[name] = .string(url(path, "")) }
        return metadata
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
    ///   - settings: The settings of your app.
    ///   - configure: A closure that changes the settings of the client. It receives the redirect URI, the scopes, the API version as a
    ///     header, and the endpoints of the realm as metadata. If it sets no HTTP client, the timeout of the settings applies.
    public convenience init(
        _ settings: JourneyConfiguration,
        configure: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) {
        var configuration = OAuthClientConfiguration()
        configuration.redirectURI = settings.redirectURI
        configuration.scopes = settings.scope.split(separator: " ").map(String.init)
        configuration.metadata = settings.metadata
        configuration.headers = [ApiVersion.header: ApiVersion.authentication]
        configure(&configuration)
        if configuration.httpClient == nil {
            configuration.httpClient = HttpClient.createClient { config in
                config.cookieJar = nil
                config.timeouts.total = settings.timeout
                config.maximumBodySize = JourneyResponse.maximumSize
            }
        }
        let issuer = (configuration.metadata ?? settings.metadata).issuer
        self.init(issuer: issuer, clientID: settings.clientID, configuration: configuration)
    }
}

/// The header that selects the version of PingAM's API, and its values.
enum ApiVersion {
    static let header = "accept-api-version"
    static let authentication = "resource=2.1, protocol=1.0"
    static let sessions = "resource=3.1"
}
