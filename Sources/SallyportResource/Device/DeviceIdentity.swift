import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTransport

/// The identity of this app installation at a server: its registration, and the tokens of the device and of its users.
///
/// Each installation registers once (RFC 7591), with a key that it generates and stores first, and authenticates with this key
/// (`private_key_jwt`). The registration is made once even if many tasks and processes need it, and survives the end of the process at any
/// point. `Docs/resource-server.md` describes all requests.
///
/// ```swift
/// let identity = DeviceIdentity(configuration, httpClient: pinnedClient, stores: .files(in: folder, key: key))
/// try await identity.authenticateDevice(scopes: ["catalog"])
/// let catalog = pinnedClient.authorized(by: identity.deviceSession, for: "https://api.example.com")
///
/// let user = try await identity.registerUser(with: BrowserSignIn(SystemBrowser()), scopes: ["accounts"])
/// let accounts = pinnedClient.authorized(by: identity.userSession, for: "https://api.example.com")
///
/// try await identity.implicitlyAuthenticate(user: user, scopes: ["greeting"])  // no interaction, also after a restart
/// ```
///
/// If the server has deregistered the device, the next request with the device's own credentials registers it again. Users must register
/// on it again.
public final class DeviceIdentity: Sendable {
    /// The maximum number of sessions of implicit users in memory.
    private static let maximumSessions = 64

    /// The settings.
    public let configuration: DeviceIdentityConfiguration

    /// The tokens of the device, for calls without a user; see ``authenticateDevice(scopes:)``.
    public let deviceSession: OAuthSession

    /// The tokens of the user who has signed in last; see ``registerUser(with:scopes:)``.
    public let userSession: OAuthSession

    /// The owner of the tokens of ``userSession``.
    let userOwner = TokenOwner()

    /// The owner of the tokens of ``deviceSession`` and of implicit users.
    let deviceOwner = TokenOwner()

    private let registrar: DeviceRegistrar
    private let stores: DeviceStores
    private let implicitSessions = Locked<[String: OAuthSession]>([:])

    /// Creates an identity. Nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - httpClient: The client that sends all requests to the server, which should check pins.
    ///   - stores: The stores of the identity and the tokens.
    public init(_ configuration: DeviceIdentityConfiguration, httpClient: HttpClient, stores: DeviceStores) {
        self.configuration = configuration
        self.stores = stores
        registrar = DeviceRegistrar(configuration, httpClient: httpClient, store: stores.device)
        deviceSession = OAuthSession(
            refresher: DeviceTokenRefresher(registrar: registrar),
            store: DeviceTokenStore(stores.deviceTokens, registrar: registrar),
            now: configuration.clock.date
        )
        userSession = OAuthSession(
            refresher: DeviceUserTokenRefresher(registrar: registrar),
            store: DeviceTokenStore(stores.userTokens, registrar: registrar),
            now: configuration.clock.date
        )
    }

    // MARK: Device

    /// Authenticates the device, which is registered first if it is not, and saves the tokens in ``deviceSession``.
    ///
    /// - Parameter scopes: The scopes to request.
    /// - Throws: ``DeviceIdentityError``. With ``DeviceIdentityError/notValid(_:)`` the server accepts neither the app nor the device.
    public func authenticateDevice(scopes: [String]) async throws(DeviceIdentityError) {
        try await converting { [self] in
            try Self.check(scopes)
            let tokens = try await registrar.withClient(registering: true) { client in
                try await client.clientCredentialsTokens(scopes: scopes)
            }
            try await deviceSession.save(tokens, revokesReplaced: false)
        }
    }

    /// Returns the registration of the device; `nil` if it is not registered. No request is sent.
    ///
    /// - Throws: ``DeviceIdentityError``.
    public func registration() async throws(DeviceIdentityError) -> DeviceRegistration? {
        try await converting { [self] in
            guard let record = try await registrar.record(), let registration = record.registration else { return nil }
            return DeviceRegistration(
                clientID: registration.client.clientID,
                keyThumbprint: try registrar.key(of: record).publicJsonWebKey?.thumbprint() ?? "",
                keyProvider: record.keyProvider,
                appVersion: registration.appVersion,
                date: registration.date,
                users: record.users
            )
        }
    }

    /// Deregisters the device at the server, and removes its key, its registration and all tokens.
    ///
    /// - Parameter locally: A Boolean value that indicates whether no request is sent, for a server that cannot be reached any more. The
    ///   registration and the tokens then remain valid there.
    /// - Throws: ``DeviceIdentityError``. The call can be repeated. If the server could not be reached, nothing has been removed.
    public func reset(locally: Bool = false) async throws(DeviceIdentityError) {
        try await converting { [self] in
            let users = try await registrar.unregister(locally: locally)
            let sessions = [deviceSession, userSession] + users.map { implicitSession(of: $0) }
            try await deviceOwner.changing {
                try await userOwner.changing { try await reset(sessions) }
            }
            try await registrar.removeRecord()
            implicitSessions.withLock { $0 = [:] }
        }
    }

    /// Removes the tokens of sessions: of all of them, even if one fails.
    private func reset(_ sessions: [OAuthSession]) async throws {
        var failure: (any Error)?
        for session in sessions {
            do { try await session.reset() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    // MARK: Users

    /// Signs a user in, which registers the user on this device, and saves the tokens in ``userSession``.
    ///
    /// The device is registered first if it is not. The tokens of another user who was signed in are revoked.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in, such as a ``BrowserSignIn``.
    ///   - scopes: The scopes to request, in addition to `openid`.
    /// - Returns: The subject identifier of the user, for ``implicitlyAuthenticate(user:scopes:)``.
    /// - Throws: ``DeviceIdentityError``, for example if there is no redirect URI in the configuration.
    @discardableResult
    public func registerUser(
        with signIn: some DeviceSignIn,
        scopes: [String]
    ) async throws(DeviceIdentityError) -> String {
        try await converting { [self] in
            try Self.check(scopes)
            guard configuration.redirectURI != nil else {
                throw DeviceIdentityError.invalidConfiguration(
                    NetworkFailure(
                        "users cannot sign in on this device without a redirect URI",
                        advice: "set redirectURI"
                    )
                )
            }
            let all = scopes.contains("openid") ? scopes : ["openid"] + scopes
            let (user, tokens, client) = try await registrar.withClient(registering: true) { client in
                let tokens: OAuthTokens
                do {
                    tokens = try await signIn.tokens(from: client, scopes: all)
                } catch {
                    throw DeviceIdentityError.ofSignIn(error)
                }
                guard let user = try tokens.idToken.flatMap(client.subject(of:)), !user.isEmpty else {
                    throw DeviceIdentityError.signIn(
                        NetworkFailure("the sign-in returned tokens without an id_token", advice: "request openid")
                    )
                }
                try await registrar.changeUsers(of: client.clientID) { users in
                    if !users.contains(user) { users.append(user) }
                }
                return (user, tokens, client)
            }
            try await save(tokens, of: user, issuedTo: client)
            return user
        }
    }

    /// Saves the tokens of a user who has signed in.
    ///
    /// - Throws: ``DeviceIdentityError/deregistered(_:)`` if another registration has replaced the client's registration. The tokens are
    ///   then removed, because the store would attribute them to the new one.
    private func save(_ tokens: OAuthTokens, of user: String, issuedTo client: OAuthClient) async throws {
        if (try? await signedInUser(client)) == user {
            try await userSession.save(tokens)
        } else {
            try await userOwner.changing { try await userSession.save(tokens) }
        }
        if try await registrar.record()?.registration?.client.clientID == client.clientID { return }
        try await userOwner.changing { try await userSession.reset() }
        throw DeviceIdentityError.deregistered(DeviceIdentityError.deregistration)
    }

    /// Returns the subject identifier of the user that the tokens in ``userSession`` belong to; `nil` if there are none.
    private func signedInUser(_ client: OAuthClient) async throws -> String? {
        try await userSession.current()?.idToken.flatMap(client.subject(of:))
    }

    /// Returns the subject identifiers of the users who have registered on this device, in the order of their registration. No request is
    /// sent.
    ///
    /// - Throws: ``DeviceIdentityError``.
    public func registeredUsers() async throws(DeviceIdentityError) -> [String] {
        try await converting { [self] in try await registrar.record()?.users ?? [] }
    }

    /// Deregisters a user from this device, at the server and in the store, and removes the tokens of the user.
    ///
    /// - Parameter user: The subject identifier of the user. A user who is not registered is not an error.
    /// - Throws: ``DeviceIdentityError``. The call can be repeated. If the server could not be reached, the user is still registered.
    public func deregisterUser(_ user: String) async throws(DeviceIdentityError) {
        try await converting { [self] in
            let isSignedIn = try await registrar.withClient(registering: false) { client in
                _ = try await client.post(
                    [("sub", user)],
                    toEndpoint: Self.usersEndpoint,
                    appending: "/deregister",
                    .deregisterUser,
                    for: "the deregistration of the user"
                )
                try await registrar.changeUsers(of: client.clientID) { $0.removeAll { $0 == user } }
                do {
                    return try await signedInUser(client) == user
                } catch {
                    // Tokens that cannot be read may belong to the user.
                    return true
                }
            }
            let implicit = implicitSession(of: user)
            if isSignedIn {
                try await userOwner.changing { try await reset([implicit, userSession]) }
            } else {
                try await reset([implicit])
            }
        }
    }

    private static let usersEndpoint = "device_users_endpoint"

    // MARK: Implicit authentication

    /// Authenticates a user who is registered on this device without interaction, and saves the tokens in ``implicitSession(of:)``.
    ///
    /// - Parameters:
    ///   - user: The subject identifier of the user; see ``registeredUsers()``.
    ///   - scopes: The scopes to request.
    /// - Throws: ``DeviceIdentityError``. With ``DeviceIdentityError/userNotRegistered(_:)`` the user must sign in on this device.
    public func implicitlyAuthenticate(user: String, scopes: [String]) async throws(DeviceIdentityError) {
        try await converting { [self] in
            try Self.check(scopes)
            guard let record = try await registrar.record(), record.registration != nil else {
                throw DeviceIdentityError.notRegistered(DeviceIdentityError.unregistered)
            }
            guard record.users.contains(user) else {
                throw DeviceIdentityError.userNotRegistered(DeviceIdentityError.unknownUser)
            }
            let refresher = ImplicitTokenRefresher(registrar: registrar, user: user)
            let tokens = try await refresher.requestTokens(scopes: scopes)
            try await implicitSession(of: user).save(tokens, revokesReplaced: false)
        }
    }

    /// Returns the session with the implicit tokens of a user. It has tokens after ``implicitlyAuthenticate(user:scopes:)``.
    ///
    /// - Parameter user: The subject identifier of the user.
    public func implicitSession(of user: String) -> OAuthSession {
        implicitSessions.withLock { sessions in
            if let session = sessions[user] { return session }
            // A session that is in use elsewhere shares its store with the next one for the same user.
            if sessions.count >= Self.maximumSessions { sessions = [:] }
            let session = OAuthSession(
                refresher: ImplicitTokenRefresher(registrar: registrar, user: user),
                store: DeviceTokenStore(stores.implicitTokens(user), registrar: registrar),
                now: configuration.clock.date
            )
            sessions[user] = session
            return session
        }
    }

    /// Refuses texts that are not names of scopes. With them, the server would receive other scopes or none.
    private static func check(_ scopes: [String]) throws(NetworkError) {
        guard let invalid = scopes.first(where: { !ScopeToken.isValid($0) }) else { return }
        throw .invalidRequest(
            NetworkFailure(
                "the scope \"\(VisibleText.line(invalid, longest: 100))\" is invalid",
                advice: "use printable ASCII characters without spaces, quotation marks and backslashes"
            )
        )
    }

    /// Waits until no session is refreshing its tokens, and tries for 30 seconds to store tokens that are only in memory. A failure is
    /// logged. Call it before the program ends.
    ///
    /// - Parameter limit: The maximum time to wait for responses; `nil` if only the limits of the refreshes apply.
    public func finish(within limit: Duration? = nil) async {
        let sessions = [deviceSession, userSession] + implicitSessions.withLock { Array($0.values) }
        await withTaskGroup { group in
            for session in sessions { group.addTask { try? await session.finish(within: limit) } }
        }
    }
}

/// Calls a closure, and converts its errors.
private func converting<Value: Sendable>(
    _ body: () async throws -> Value
) async throws(DeviceIdentityError) -> Value {
    do {
        return try await body()
    } catch {
        throw DeviceIdentityError(wrapping: error)
    }
}

extension DeviceIdentity: CustomStringConvertible {
    /// The app and the server.
    public var description: String { "device of \(configuration.appIdentifier) at \(configuration.issuer)" }
}
