import Foundation
import Sallyport
import SallyportOAuth

/// The OAuth client and the session of a profile.
struct ProfileSession: Sendable {
    let name: ProfileName
    let profile: Profile
    /// The client that calls the authorization server.
    let httpClient: HttpClient
    let client: OAuthClient
    let session: OAuthSession

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
            config.cookieJar = nil
            config.maximumBodySize = 1 << 20
            config.transportConfiguration.security = try TransportSecurity(authorities: profile.authorities)
            config.transportConfiguration.proxy = try ProxyPolicy(argument: profile.proxy)
            configure(&config)
        }
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

    /// Returns valid tokens, refreshed if necessary.
    ///
    /// - Throws: A failure with the command to log in if there are none.
    func tokens() async throws -> OAuthTokens { try await finishing { try await session.tokens() } }

    /// Refreshes the tokens, even if they are still valid.
    ///
    /// - Throws: A failure with the command to log in if there are none.
    func refresh() async throws -> OAuthTokens { try await finishing { try await session.refresh() } }

    /// Runs a closure, then waits until the session has stored all tokens, also if the closure fails.
    private func finishing(_ request: () async throws -> OAuthTokens) async throws -> OAuthTokens {
        do {
            let tokens = try await request()
            await session.finish()
            return tokens
        } catch {
            await session.finish()
            throw LoginNeeded.explaining(error, name)
        }
    }
}

/// Refreshes tokens with the client's own credentials, but does not obtain the first tokens: after a logout, the user has to log
/// in again.
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
        let option = name == .standard ? "" : " --profile \(name)"
        return CommandFailure(.loginDenied, "\(reason): sallyport login\(option)")
    }
}

extension OAuthClient {
    /// Creates the client that a profile describes.
    fileprivate convenience init(_ profile: Profile, httpClient: HttpClient) throws {
        try self.init(issuer: profile.issuer, clientID: profile.clientID) { config in
            config.authentication = try profile.authentication.value()
            config.scopes = profile.scopes
            config.audience = profile.audience
            config.resources = profile.resources
            config.usesDPoP = profile.usesDPoP
            config.httpClient = httpClient
        }
    }
}

extension ProfileFolder {
    /// Returns the store for the tokens of a profile. It is encrypted if the environment has a key.
    func store(of name: ProfileName) throws -> FileTokenStore {
        let environment = ProcessInfo.processInfo.environment
        var key: TokenStoreKey?
        if environment["SALLYPORT_STORE_KEY"]?.isEmpty == false {
            key = try .environment("SALLYPORT_STORE_KEY")
        } else if let path = environment["SALLYPORT_STORE_KEY_FILE"], !path.isEmpty {
            key = try .file(URL(fileURLWithPath: path))
        }
        return FileTokenStore(at: tokens(of: name), key: key)
    }
}
