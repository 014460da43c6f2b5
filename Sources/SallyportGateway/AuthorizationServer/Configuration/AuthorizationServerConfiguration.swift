import Foundation
import SallyportJOSE

/// The users, clients and settings of the gateway's authorization server.
public struct AuthorizationServerConfiguration: Sendable {
    /// The users who can sign in.
    public var users: [GatewayUser]
    /// The configured clients. Other clients can register themselves if ``allowsRegistration`` is `true`.
    public var clients: [GatewayClient]
    /// The lifetimes of tokens, codes and sessions.
    public var lifetimes = GatewayLifetimes()
    /// The issuer identifier in tokens and metadata; `nil` for the address that the gateway listens on.
    public var issuer: String?
    /// The signature algorithms of tokens. The first one is used unless a client is registered for another one.
    public var signatureAlgorithms: [SignatureAlgorithm] = [.es256, .rs256]
    /// A Boolean value that indicates whether a refresh token can be used only once. A second use revokes its grant, unless it
    /// happens within ``GatewayLifetimes/refreshTokenReuse``.
    public var rotatesRefreshTokens = true
    /// A Boolean value that indicates whether DPoP proofs must contain a nonce of the server (RFC 9449, section 8).
    public var demandsProofNonces = false
    /// A Boolean value that indicates whether anyone may register a client for a day (RFC 7591). For development only.
    public var allowsRegistration = false
    /// The scopes that clients can register for: by default the scopes for user data, but not the scope of the API.
    public var registrationScopes = ["openid", "profile", "email", "offline_access"]
    /// A Boolean value that indicates whether there are routes that rotate keys and end tokens. For development only.
    public var allowsDevelopmentCalls = false
    /// The path of the introspection endpoint (RFC 7662), such as `/api/v1/token/introspect`. It must end in `/introspect`.
    public var introspectionPath = "/introspect"

    /// The apps whose installations can register as devices, even if ``allowsRegistration`` is `false`; see `Docs/resource-server.md`.
    public var applications: [GatewayApplication] = []
    /// The scopes that the resources below `/resources` need. Without policies, the server has no such resources.
    public var resourcePolicies: [ResourcePolicy] = []
    /// The oldest versions of apps and operating systems that are accepted.
    public var minimumVersions: [MinimumVersions] = []

    /// The trees by which users sign in without a browser.
    public var trees = JourneyTrees()
    /// The tree that protected resources require in addition to a login; `nil` for no such resources.
    public var stepUpTree: String?
    /// The realms below the root, such as `alpha`. All realms have the same users, clients and trees, but sessions of their own.
    public var realms: [String] = []
    /// The name of the header field and the cookie with the token of a session. Over TLS, the cookie also has the prefix `__Host-`, so that
    /// no other service of the host can set it.
    public var sessionCookie = "iPlanetDirectoryPro"
    /// The number of wrong passwords after which an account is locked for ``GatewayLifetimes/lockout``.
    public var lockoutFailures = 10

    /// The users and clients to show on the page at `/`, with their passwords and secrets.
    var developmentAccounts: [DevelopmentAccount] = []

    /// Creates a configuration.
    public init(users: [GatewayUser], clients: [GatewayClient]) {
        self.users = users
        self.clients = clients
    }

    /// All realms, with the root.
    var gatewayRealms: [GatewayRealm] { [.root] + realms.uniqued.compactMap(GatewayRealm.init) }

    /// The scopes that at least one client may request.
    var knownScopes: [String] {
        (["openid", "profile", "email", "offline_access", "api"] + registrationScopes + clients.flatMap(\.scopes)
            + applications.flatMap(\.scopes)).uniqued
    }
}

extension AuthorizationServerConfiguration {
    /// Creates a configuration from JSON.
    ///
    /// ```json
    /// {
    ///   "users": [{"username": "alice", "password": "scrypt$ln=14,r=8,p=1$…$…", "claims": {"name": "Alice"}}],
    ///   "clients": [{
    ///     "client_id": "app", "token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1/cb"],
    ///     "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile api"
    ///   }],
    ///   "lifetimes": {"access_token": 60, "refresh_token_reuse": 5},
    ///   "demands_proof_nonces": true
    /// }
    /// ```
    ///
    /// Clients have the members of RFC 7591. A `client_secret` is a hash like a user's `password`. For `token_exchange_clients`
    /// and `token_claims` see ``GatewayClient/tokenExchangeClients`` and ``GatewayClient/tokenClaims``. Lifetimes are in seconds
    /// and have the names of ``GatewayLifetimes`` in snake case; with `refresh_token_reuse` 0, any second use of a refresh
    /// token revokes its grant. `trees` has the format of `Docs/trees.md`; for `applications`, `resource_policies` and
    /// `minimum_versions` see ``GatewayApplication``, ``ResourcePolicy`` and ``MinimumVersions``.
    ///
    /// - Parameters:
    ///   - json: The configuration.
    ///   - trees: The trees, in place of those in the configuration.
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` with the path and the kind of the error, without secrets.
    public init(json: Data, trees: JourneyTrees? = nil) throws(GatewayError) {
        self = try Self.decoded(from: json)
        if let trees { self.trees = trees }
        try validate()
    }

    /// The names of the cookies that the server sets in browsers.
    var cookieNames: Set<String> { [cookieName(isSecure: false), cookieName(isSecure: true)] }

    /// Returns the name of the cookie with the token of a browser's session.
    ///
    /// Over TLS it has the prefix `__Host-`: browsers accept such a cookie only from this server itself, and not from another service of
    /// the host without TLS (RFC 6265bis, section 4.1.3.2).
    func cookieName(isSecure: Bool) -> String {
        isSecure && !sessionCookie.hasPrefix("__Host-") ? "__Host-" + sessionCookie : sessionCookie
    }

    /// Checks the configuration.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if names repeat, or the metadata of a client contradict each other.
    func validate() throws(GatewayError) {
        guard Set(users.map(\.username)).count == users.count, Set(users.map(\.subject)).count == users.count else {
            throw .invalidIdentity("Two users have the same name or subject.")
        }
        guard Set(clients.map(\.id)).count == clients.count else {
            throw .invalidIdentity("Two clients have the same client_id.")
        }
        guard !signatureAlgorithms.isEmpty, !signatureAlgorithms.contains(where: \.isSymmetric) else {
            throw .invalidIdentity("The signature algorithms of tokens must use a private key, such as ES256 or RS256.")
        }
        guard introspectionPath.wholeMatch(of: /(\/[A-Za-z0-9._~\-]+)*\/introspect/) != nil else {
            throw .invalidIdentity("The introspection_path must be a path that ends in /introspect.")
        }
        if let realm = realms.first(where: { GatewayRealm($0) == nil }) {
            throw .invalidIdentity(
                "The realm \"\(realm)\" must consist of letters, digits, - and _, such as alpha, and cannot be root or realms (realms)."
            )
        }
        guard sessionCookie.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil else {
            throw .invalidIdentity("The session_cookie must consist of letters, digits, - and _.")
        }
        guard (1...1_000_000).contains(lockoutFailures) else {
            throw .invalidIdentity("The lockout_failures must be from 1 to 1000000.")
        }
        guard Set(applications.map(\.identifier)).count == applications.count else {
            throw .invalidIdentity("Two apps have the same app_identifier (applications).")
        }
        if let mistake = applications.lazy.compactMap(\.mistake).first { throw .invalidIdentity(mistake) }
        if let mistake = resourcePolicies.mistake ?? minimumVersions.mistake { throw .invalidIdentity(mistake) }
        if let stepUpTree, trees[stepUpTree] == nil {
            throw .invalidIdentity("There is no tree \(stepUpTree) (step_up_tree).")
        }
        for client in clients {
            if let unknown = client.tokenExchangeClients.first(where: { id in !clients.contains { $0.id == id } }) {
                throw .invalidIdentity(
                    "The client \(client.id): there is no client \(unknown) (token_exchange_clients)."
                )
            }
            if let reserved = client.tokenClaims.keys.sorted().first(where: GatewayClient.reservedClaims.contains) {
                throw .invalidIdentity(
                    "The client \(client.id): the gateway sets the claim \(reserved) (token_claims)."
                )
            }
            if let mistake = client.metadata.mistake(among: signatureAlgorithms) {
                throw .invalidIdentity("The client \(client.id): \(mistake.description)")
            }
            let needsSecret = [.clientSecretBasic, .clientSecretPost].contains(client.metadata.authenticationMethod)
            guard needsSecret == (client.secret != nil) else {
                throw .invalidIdentity(
                    needsSecret
                        ? "The client \(client.id) has no client_secret to authenticate with."
                        : "The client \(client.id) has a client_secret, but does not authenticate with one."
                )
            }
        }
    }
}

extension AuthorizationServerConfiguration: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case users, clients, lifetimes, issuer
        case signatureAlgorithms = "signature_algorithms"
        case rotatesRefreshTokens = "rotates_refresh_tokens"
        case demandsProofNonces = "demands_proof_nonces"
        case allowsRegistration = "allows_registration"
        case registrationScopes = "registration_scopes"
        case allowsDevelopmentCalls = "allows_development_calls"
        case introspectionPath = "introspection_path"
        case trees, realms, applications
        case resourcePolicies = "resource_policies"
        case minimumVersions = "minimum_versions"
        case stepUpTree = "step_up_tree"
        case sessionCookie = "session_cookie"
        case lockoutFailures = "lockout_failures"
    }

    /// Decodes a configuration in the format of ``init(json:trees:)``.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            users: try container.decodeIfPresent([GatewayUser].self, forKey: .users) ?? [],
            clients: try container.decodeIfPresent([GatewayClient].self, forKey: .clients) ?? []
        )
        lifetimes = try container.decodeIfPresent(GatewayLifetimes.self, forKey: .lifetimes) ?? lifetimes
        issuer = try container.decodeIfPresent(String.self, forKey: .issuer)
        signatureAlgorithms =
            try container.decodeIfPresent([SignatureAlgorithm].self, forKey: .signatureAlgorithms)
            ?? signatureAlgorithms
        func read(_ key: CodingKeys, into value: inout Bool) throws {
            value = try container.decodeIfPresent(Bool.self, forKey: key) ?? value
        }
        registrationScopes =
            try container.decodeIfPresent([String].self, forKey: .registrationScopes) ?? registrationScopes
        introspectionPath = try container.decodeIfPresent(String.self, forKey: .introspectionPath) ?? introspectionPath
        applications = try container.decodeIfPresent([GatewayApplication].self, forKey: .applications) ?? []
        resourcePolicies = try container.decodeIfPresent([ResourcePolicy].self, forKey: .resourcePolicies) ?? []
        minimumVersions = try container.decodeIfPresent([MinimumVersions].self, forKey: .minimumVersions) ?? []
        trees = try container.decodeIfPresent(JourneyTrees.self, forKey: .trees) ?? trees
        stepUpTree = try container.decodeIfPresent(String.self, forKey: .stepUpTree)
        realms = try container.decodeIfPresent([String].self, forKey: .realms) ?? realms
        sessionCookie = try container.decodeIfPresent(String.self, forKey: .sessionCookie) ?? sessionCookie
        lockoutFailures = try container.decodeIfPresent(Int.self, forKey: .lockoutFailures) ?? lockoutFailures
        try read(.rotatesRefreshTokens, into: &rotatesRefreshTokens)
        try read(.demandsProofNonces, into: &demandsProofNonces)
        try read(.allowsRegistration, into: &allowsRegistration)
        try read(.allowsDevelopmentCalls, into: &allowsDevelopmentCalls)
    }
}
