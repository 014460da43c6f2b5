import Foundation
import Sallyport
import SallyportJOSE
import SallyportJourney
import SallyportOAuth
import SallyportPostgres
import SallyportResource
import SallyportStorage

/// The OAuth client and the session of a profile.
struct ProfileSession: Sendable {
    let name: ProfileName
    let profile: Profile
    /// The client that calls the authorization server.
    let httpClient: HttpClient
    let client: OAuthClient
    let session: OAuthSession
    /// The session at the server, from which the tokens are obtained; `nil` for other flows than ``Profile/Flow/journey``.
    let journey: Journey?

    /// - Parameter configure: Changes the configuration of the client that calls the authorization server.
    init(
        _ profile: Profile,
        named name: ProfileName,
        in folder: ProfileFolder = ProfileFolder(),
        configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws {
        self.name = name
        self.profile = profile
        httpClient = try HttpClient.createClient { config in
            try config.reachServer(authorities: profile.authorities, proxy: profile.proxy)
            configure(&config)
        }
        if let journey = try Journey(profile, named: name, in: folder, httpClient: httpClient) {
            (self.journey, client, session) = (journey, journey.oauthClient, journey.oauthSession)
            return
        }
        journey = nil
        client = try OAuthClient(profile, httpClient: httpClient)
        let refresher: any TokenRefresher =
            profile.flow == .clientCredentials ? ClientLoginRefresher(ClientCredentialsRefresher(client)) : client
        session = OAuthSession(refresher: refresher, store: try folder.store(of: name))
    }

    /// Returns the session of a stored profile.
    static func load(
        _ name: ProfileName,
        configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws -> ProfileSession {
        try ProfileSession(ProfileFolder().load(name), named: name, configure: configure)
    }

    /// Returns the stored tokens, which may have expired.
    ///
    /// - Throws: A failure with the command to log in if there are none.
    func storedTokens() async throws -> OAuthTokens {
        do {
            if let tokens = try await session.current() { return tokens }
        } catch {
            throw LoginNeeded.explaining(error, name)
        }
        throw LoginNeeded.failure(name)
    }

    /// The maximum time that a command, after its output, waits for a refresh in the background.
    static let refreshWait: Duration = .seconds(2)

    /// Returns valid tokens, refreshed if necessary. Tokens that expire soon are returned if their refresh takes too long.
    ///
    /// - Throws: A failure with the command to log in if there are none.
    func tokens() async throws -> OAuthTokens {
        _ = try await explainingFailure { try await session.tokens() }
        try await name.finish(session, within: Self.refreshWait)
        return try await explainingFailure { try await session.tokens() }
    }

    /// Refreshes the tokens, even if they are still valid.
    ///
    /// - Throws: A failure with the command to log in if there are none.
    func refresh() async throws -> OAuthTokens {
        let tokens = try await explainingFailure { try await session.refresh() }
        try await name.finish(session)
        return tokens
    }

    /// Runs a closure. If it fails, waits until the session has stored all tokens, and throws a failure with the command to log in if a
    /// login is missing.
    private func explainingFailure(_ request: () async throws -> OAuthTokens) async throws -> OAuthTokens {
        do {
            return try await request()
        } catch {
            await name.finishReporting(session)
            throw LoginNeeded.explaining(error, name)
        }
    }
}

/// Refreshes tokens with the client's own credentials, but does not obtain the first tokens: after a logout, the user must log in again.
private struct ClientLoginRefresher: TokenRefresher {
    private let refresher: ClientCredentialsRefresher

    init(_ refresher: ClientCredentialsRefresher) { self.refresher = refresher }

    var identity: OAuthClientIdentity { refresher.identity }
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens { try await refresher.refresh(tokens) }
    func canRefresh(_ tokens: OAuthTokens) -> Bool { refresher.canRefresh(tokens) }
    func revoke(_ tokens: OAuthTokens) async throws { try await refresher.revoke(tokens) }
}

/// The failures of commands that need a login.
enum LoginNeeded {
    static func failure(_ name: ProfileName) -> CommandFailure {
        failure(name, "nobody is logged in with the profile \(name)")
    }

    /// Returns an error, or a failure with the command to log in if a login is missing.
    static func explaining(_ error: any Error, _ name: ProfileName) -> any Error {
        switch (error as? any ReportableError)?.sessionError {
        case .notLoggedIn: failure(name)
        case .expired(let reason), .ended(_, let reason), .responseLost(_, let reason): failure(name, reason.reason)
        case .otherClient(let owner, let expected):
            failure(
                name,
                "the tokens of the profile \(name) belong to the client \(owner), but this command uses the client "
                    + "\(expected); nothing was sent; run the command again, or log in again"
            )
        case .store(let reason) where reason.needsReplacement: failure(name, reason.description)
        case .refused, .network, .store, nil: error
        }
    }

    private static func failure(_ name: ProfileName, _ reason: String) -> CommandFailure {
        CommandFailure(.loginDenied, "\(reason): sallyport login\(name.option)")
    }
}

extension ProfileName {
    /// Waits until a session has stored its tokens; see `OAuthSession.finish(within:)`.
    ///
    /// - Throws: A failure that tells how to continue if they cannot be stored.
    func finish(_ session: OAuthSession, within limit: Duration? = nil) async throws {
        do throws(OAuthSessionError) {
            try await session.finish(within: limit)
        } catch {
            let failure = error.commandFailure
            throw CommandFailure(
                failure.status,
                "new tokens of the profile \(self) could not be stored, and are lost: \(failure.message); if the server does not accept "
                    + "the old ones again, log in with sallyport login\(option)"
            )
        }
    }

    /// Waits until a session has stored its tokens, and prints a warning if they cannot be stored.
    func finishReporting(_ session: OAuthSession) async {
        do {
            try await finish(session)
        } catch {
            StandardError.print("Warning: \((error as? CommandFailure)?.message ?? "\(error)")")
        }
    }
}

extension HttpClientConfiguration {
    /// Applies the settings of clients that call an identity server.
    ///
    /// - Parameters:
    ///   - authorities: The file with the only certificate authorities to trust.
    ///   - proxy: The proxy, as in the option `--proxy`.
    mutating func reachServer(authorities: String?, proxy: String?) throws {
        cookieJar = nil
        maximumBodySize = 1 << 20
        transportConfiguration.security = try TransportSecurity(authorities: authorities)
        transportConfiguration.proxy = try ProxyPolicy(argument: proxy)
    }
}

extension OAuthClient {
    /// Creates the client that a profile describes.
    fileprivate convenience init(_ profile: Profile, httpClient: HttpClient) throws {
        let authentication = try profile.authentication.value()
        self.init(issuer: profile.issuer, clientID: profile.clientID) { config in
            config.scopes = profile.scopes
            config.apply(profile, authentication)
            config.httpClient = httpClient
        }
    }
}

extension Journey {
    /// Creates the journey that a profile describes; returns `nil` for other flows than ``Profile/Flow/journey``.
    fileprivate convenience init?(
        _ profile: Profile,
        named name: ProfileName,
        in folder: ProfileFolder,
        httpClient: HttpClient
    ) throws {
        guard profile.flow == .journey, let journey = profile.journey else { return nil }
        var configuration = try journey.configuration(clientID: profile.clientID, scopes: profile.scopes)
        configuration.issuer = profile.issuer
        let authentication = try profile.authentication.value()
        self.init(
            configuration,
            sessionStore: try folder.sessionStore(of: name),
            tokenStore: try folder.store(of: name),
            httpClient: httpClient
        ) { config in
            config.apply(profile, authentication)
            // The endpoints are known without the server's metadata, which would state its algorithms.
            config.idTokenAlgorithms = Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
        }
    }
}

extension OAuthClientConfiguration {
    /// Applies the settings of a profile, except its scopes.
    fileprivate mutating func apply(_ profile: Profile, _ authentication: ClientAuthentication) {
        self.authentication = authentication
        audience = profile.audience
        resources = profile.resources
        usesDPoP = profile.usesDPoP
        acceptedTokenTypes = Set(profile.tokenTypes ?? [])
        acceptsMissingTokenType = acceptedTokenTypes.remove(Profile.missingTokenType) != nil
        allowedClockSkew = profile.clockSkew.map { .seconds($0) } ?? allowedClockSkew
        issuerTemplate = profile.issuerTemplate
    }
}

extension ProfileFolder {
    /// Returns the store for the tokens of a profile.
    func store(of name: ProfileName) throws -> ProfileStore<TokenRecord> { try recordStore("tokens", of: name) }

    /// Returns the store for the session of a profile.
    func sessionStore(of name: ProfileName) throws -> ProfileStore<JourneySessionRecord> {
        try recordStore("session", of: name)
    }

    /// Returns the store for the passkeys and device keys of a profile.
    func authenticatorStore(of name: ProfileName) throws -> ProfileStore<AuthenticatorRecord> {
        try recordStore("passkeys", of: name)
    }

    /// Returns the store for the push mechanisms and one-time passwords of a profile.
    func mechanismStore(of name: ProfileName) throws -> ProfileStore<MechanismRecord> {
        try recordStore("mechanisms", of: name)
    }

    /// Returns the store for the identifiers of this device, which is always a file.
    func deviceStore(of name: ProfileName) throws -> FileRecordStore<DeviceRecord> {
        FileRecordStore(at: file("device", of: name), key: try storeKey())
    }

    /// Checks before a sign-in that its tokens can be saved, and that they would not replace an encrypted file by one in plain text.
    func checkSavable(_ name: ProfileName) async throws {
        let (tokens, session) = (try store(of: name), try sessionStore(of: name))
        do {
            try await tokens.checkReplaceable()
            try await session.checkReplaceable()
            try await tokens.checkWritable()
        } catch let error as RecordStoreError {
            throw OAuthSessionError.store(error)
        }
    }

    /// Returns the settings for resource calls; `nil` if there are none.
    func loadResourceSettings(_ name: ProfileName) throws(CommandFailure) -> ResourceSettings? {
        try read(file("resource.json", of: name), recovery: "register the device again with --config to replace it")
    }

    /// Stores the settings for resource calls.
    func saveResourceSettings(_ settings: ResourceSettings, as name: ProfileName) throws(CommandFailure) {
        try write(settings, to: file("resource.json", of: name))
    }

    /// Returns the stores for the identity of this device, its tokens and its users' tokens.
    func identityStores(of name: ProfileName) throws -> DeviceStores {
        .files(in: file("resource", of: name), key: try storeKey())
    }

    /// Returns a store in the folder of a profile, or in the database. A file is encrypted if the environment has a key.
    private func recordStore<Record>(_ file: String, of name: ProfileName) throws -> ProfileStore<Record> {
        #if PostgreSQL && os(Linux)
        if let row: PostgresRecordStore<Record> = try ProfileDatabase.store(of: name, key: storeKey) {
            return ProfileStore(row)
        }
        #else
        _ = try ProfileDatabase.url()
        #endif
        return ProfileStore(FileRecordStore(at: self.file(file, of: name), key: try storeKey()))
    }

    /// Returns the key in the environment; `nil` if there is none.
    func storeKey() throws(CommandFailure) -> RecordStoreKey? {
        let environment = ProcessInfo.processInfo.environment
        let variable = "SALLYPORT_STORE_KEY"
        do throws(RecordStoreError) {
            if environment[variable]?.isEmpty == false { return try .environment(variable) }
            guard let path = environment["\(variable)_FILE"], !path.isEmpty else { return nil }
            return try .file(URL(fileURLWithPath: path))
        } catch {
            let name = environment[variable]?.isEmpty == false ? variable : "\(variable)_FILE"
            let problem = error.reason == .key ? "the key in \(name) cannot be used: \(error)" : error.description
            throw CommandFailure(.unreadableInput, problem)
        }
    }
}
