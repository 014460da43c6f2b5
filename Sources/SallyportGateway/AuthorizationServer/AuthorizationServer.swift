import Foundation
import SallyportJOSE

/// The gateway's own authorization server (OAuth 2 and OpenID Connect): for development and tests, all in memory.
///
/// It can be asked what it has served, and told to do what a real one does sooner or later.
///
/// ```swift
/// let server = try AuthorizationServer(.development())
/// try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
///     // … sign in at address.baseURL …
///     await server.expireAccessTokens()
///     // … call /protected from many tasks …
///     print(await server.statistics.grants["refresh_token"] ?? 0)
/// }
/// ```
public actor AuthorizationServer {
    /// Its users and clients, and how it deals with them.
    public nonisolated let configuration: AuthorizationServerConfiguration
    nonisolated let now: @Sendable () -> Date
    nonisolated let formKey = FormKey()
    nonisolated let passwords = PasswordCheck()

    /// The address that it has in tokens.
    public internal(set) var issuer: String
    /// What it has served and refused so far.
    public internal(set) var statistics = GatewayStatistics()

    var keys: SigningKeys
    var nonces: GatewayProofNonces
    let clients: [String: GatewayClient]
    let users: [String: GatewayUser]
    var registered = ExpiringTable<String, ClientRegistration>(limit: 1000)
    var transactions = ExpiringTable<String, AuthorizationTransaction>(limit: 4096) { $1.request.client.id }
    var pushed = ExpiringTable<SecretHash, PushedRequest>(limit: 4096) { $1.clientID }
    var sessions = ExpiringTable<SecretHash, BrowserSession>(limit: 4096) { $1.user.username }
    var consents = ExpiringTable<ConsentKey, Set<String>>(limit: 4096) { key, _ in key.username }
    var codes = ExpiringTable<SecretHash, AuthorizationCode>(limit: 16_384) { $1.grant.owner }
    var devices = ExpiringTable<SecretHash, DeviceAuthorization>(limit: 4096) { $1.client.id }
    var userCodes = ExpiringTable<String, PendingUserCode>(limit: 4096) { $1.clientID }
    /// The grants that have not been revoked, by their ids.
    var grants = ExpiringTable<String, Grant>(limit: 65_536) { $1.owner }
    var refreshTokens = ExpiringTable<SecretHash, RefreshToken>(limit: 131_072) { $1.grant.owner }
    /// The responses that may be repeated, by the refresh tokens that were spent for them.
    var refreshResponses = ExpiringTable<SecretHash, RefreshResponse>(limit: 4096) { $1.grant.owner }
    var accessTokens = ExpiringTable<SecretHash, AccessToken>(limit: 131_072) { $1.owner }
    /// The proofs that have been used, with the clients that have sent them.
    var seenProofs = ExpiringTable<SecretHash, String>(limit: 262_144, share: 65_536) { $1 }
    /// The assertions that have been used, with the clients that have sent them.
    var seenAssertions = ExpiringTable<SecretHash, String>(limit: 16_384, share: 4096) { $1 }
    var logins: AttemptLimit
    var guesses: AttemptLimit

    /// Makes a server with new keys.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the configuration contradicts itself.
    public init(_ configuration: AuthorizationServerConfiguration) throws(GatewayError) {
        try self.init(configuration, now: { Date() })
    }

    /// Makes a server with a clock of its own.
    package init(
        _ configuration: AuthorizationServerConfiguration,
        now: @escaping @Sendable () -> Date
    ) throws(GatewayError) {
        try configuration.validate()
        self.configuration = configuration
        self.now = now
        issuer = configuration.issuer ?? "http://127.0.0.1"
        clients = Dictionary(configuration.clients.map { ($0.id, $0) }) { first, _ in first }
        users = Dictionary(configuration.users.map { ($0.username, $0) }) { first, _ in first }
        nonces = GatewayProofNonces(lifetime: configuration.lifetimes.proofNonce)
        logins = AttemptLimit(limit: 10, period: 300, users: users.keys)
        guesses = AttemptLimit(limit: 10, period: 600, users: users.keys)
        do {
            keys = try SigningKeys(configuration.signatureAlgorithms, now: now())
        } catch {
            throw .invalidIdentity("No signing key can be made: \(error)")
        }
    }

    /// Takes the gateway's address as the issuer, unless the configuration says another.
    func serve(at address: String) {
        if configuration.issuer == nil { issuer = address }
    }

    /// Whether browsers come over TLS.
    var isSecure: Bool { issuer.hasPrefix("https:") }

    func client(_ id: String) -> GatewayClient? {
        clients[id] ?? registered.value(for: id, now: now())?.client
    }
}
