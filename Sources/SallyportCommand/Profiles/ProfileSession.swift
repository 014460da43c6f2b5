import Foundation
import Sallyport
import SallyportOAuth

/// A profile at work: its client of the server, and its tokens.
struct ProfileSession: Sendable {
    let name: ProfileName
    let profile: Profile
    /// Calls the server.
    let httpClient: HttpClient
    let client: OAuthClient
    let session: OAuthSession

    /// - Parameter configure: Changes the client that calls the server.
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
            try profile.apply(to: &config.transportConfiguration)
            configure(&config)
        }
        client = try OAuthClient(profile, httpClient: httpClient)
        let refresher: any TokenRefresher =
            profile.flow == .clientCredentials ? ClientCredentialsRefresher(client) : client
        session = OAuthSession(refresher: refresher, store: try folder.store(of: name))
    }

    /// What the profile of a name has to work with.
    static func load(
        _ name: ProfileName,
        configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws -> ProfileSession {
        try ProfileSession(ProfileFolder().load(name), named: name, configure: configure)
    }

    /// The tokens as they are kept.
    ///
    /// - Throws: A failure that says how to get some.
    func keptTokens() async throws -> OAuthTokens {
        do {
            if let tokens = try await session.current() { return tokens }
        } catch {
            throw LoginNeeded.explaining(error, name)
        }
        throw LoginNeeded.failure(name)
    }

    /// Tokens that can be used now.
    ///
    /// - Throws: A failure that says how to get some.
    func tokens() async throws -> OAuthTokens { try await finishing { try await session.tokens() } }

    /// New tokens, though those there may still be good.
    ///
    /// - Throws: A failure that says how to get some.
    func refreshedTokens() async throws -> OAuthTokens { try await finishing { try await session.refresh() } }

    /// Waits in any case until tokens that are under way are kept.
    private func finishing(_ ask: () async throws -> OAuthTokens) async throws -> OAuthTokens {
        do {
            let tokens = try await ask()
            await session.finish()
            return tokens
        } catch {
            await session.finish()
            throw LoginNeeded.explaining(error, name)
        }
    }
}

/// What to say where tokens are missing.
enum LoginNeeded {
    static func failure(_ name: ProfileName) -> CommandFailure {
        failure(name, "nobody is logged in with the profile \(name)")
    }

    /// Returns the error, with the command to log in if that is what it calls for.
    static func explaining(_ error: any Error, _ name: ProfileName) -> any Error {
        switch error as? OAuthSessionError ?? (error as? NetworkError)?.failure.underlying as? OAuthSessionError {
        case .notLoggedIn: failure(name)
        case .expired(let reason), .ended(_, let reason), .answerLost(_, let reason): failure(name, reason.reason)
        case .otherClient(let owner, let expected):
            failure(
                name,
                "the tokens of the profile \(name) belong to the client \(owner), and this command began with the client "
                    + "\(expected); nothing was sent; begin it again, or log in again"
            )
        case .store(let reason) where reason.needsLogin: failure(name, reason.description)
        case .refused, .network, .store, nil: error
        }
    }

    private static func failure(_ name: ProfileName, _ reason: String) -> CommandFailure {
        let option = name == .standard ? "" : " --profile \(name)"
        return CommandFailure(.loginDenied, "\(reason): sallyport login\(option)")
    }
}

extension OAuthClient {
    /// A client as a profile describes it.
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

extension Profile {
    /// Whom to trust and which way to go.
    fileprivate func apply(to transport: inout TransportConfiguration) throws {
        var security = SecurityOptions()
        security.authorities = authorities
        security.certificate = nil
        security.key = nil
        security.keyLog = nil
        transport.security = try security.transportSecurity()
        var proxies = ProxyOptions()
        proxies.proxy = proxy
        proxies.exceptions = nil
        proxies.userFile = nil
        transport.proxy = try proxies.policy(for: proxy)
    }
}

extension ProfileFolder {
    /// Where the tokens of a profile are kept, encrypted if the environment has a key.
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
