import Foundation
import Sallyport
import SallyportOAuth
import SallyportService
import SallyportStorage
import SallyportTransfers

/// The state of the process that the original API makes global: the static configuration, the sessions and the tokens.
struct SharedState: Sendable {
    static let shared = Locked(SharedState())

    /// The maximum number of redirects of a call.
    private static let redirectLimit = 20

    var baseUrl = "http://domain/api"
    var timeoutValue = TimeInterval(10)
    var allowsPlainHTTP = false
    var headers: [String: String] = [:]
    var urlIsValid = false
    var refreshPath = "/auth/refresh"
    var tokenStore = SharedState.makeTokenStore() {
        didSet { tokens = nil }
    }

    /// The folders for background transfers and for downloaded files, in tests; `nil` for the usual ones.
    var folders: (transfers: URL, documents: URL)?

    let backgroundSessions = BackgroundSessions()
    /// The sessions in use.
    private var clients: [NetworkServiceSessionType: HttpClient] = [:]
    private var tokens: ServiceTokens?

    /// Returns the client of a session type, which is created if there is none.
    private mutating func client(for type: NetworkServiceSessionType) -> HttpClient {
        // A background request has a service of its own, which ends with it. It shares the cookies of the default session.
        let type = type == .background ? .defaultService : type
        if let client = clients[type] { return client }
        let client = HttpClient.createClient { config in
            // The original library does not identify itself.
            config.standardHeaders = StandardHeaders(requestedWith: nil, requestedPlatform: nil)
        }
        clients[type] = client
        return client
    }

    /// Removes the session of a type. Its requests in progress finish, and later requests use a new session.
    mutating func removeSession(_ type: NetworkServiceSessionType) {
        clients[type] = nil
    }

    /// Removes all sessions; see ``removeSession(_:)``.
    mutating func removeSessions() {
        clients = [:]
    }

    /// Returns a service with the current settings.
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` with the problem of the base URL.
    mutating func makeService(
        _ configuration: NetworkServiceConfiguration,
        baseURL: String
    ) throws(NetworkServiceError) -> ServiceClient {
        var native = try ServiceClientConfiguration(baseURL: baseURL)
        native.timeout = timeoutValue
        native.headers = headers
        // The call keeps the tokens of its own base URL if another one is set meanwhile.
        let tokens = currentTokens()
        let client = client(for: configuration.serviceSessionType).derived { [allowsPlainHTTP] config in
            config.allowsPlainHTTP = allowsPlainHTTP
            config.redirects = .follow(limit: Self.redirectLimit)
            if let tokens { config.authentication = [tokens] }
        }
        return ServiceClient(native, client: client)
    }

    /// Returns the tokens for the server of the base URL; `nil` if tokens must not be sent to it.
    mutating func currentTokens() -> ServiceTokens? {
        if let tokens, tokens.baseURL == baseUrl { return tokens }
        guard let current = ServiceTokens(baseURL: baseUrl, store: tokenStore, after: tokens) else { return nil }
        tokens = current
        return current
    }

    private static func makeTokenStore() -> any TokenStore {
        #if canImport(Security)
        KeychainTokenStore(service: "com.networkservice.api")
        #else
        FileTokenStore(
            at: URL.homeDirectory
                .appending(path: ".config/\(ProcessInfo.processInfo.processName)/network-service-tokens.json")
        )
        #endif
    }
}

extension NetworkServiceConfiguration {
    /// Returns a service with the current settings.
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` with the problem of ``baseUrl``.
    func makeService() throws(NetworkServiceError) -> ServiceClient {
        Self.validateServiceURL()
        return try SharedState.shared.withLock { state throws(NetworkServiceError) in
            try state.makeService(self, baseURL: state.baseUrl)
        }
    }
}
