import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// The tokens for one server, for callers that cannot wait: changes take effect at once, and are stored later.
final class ServiceTokens: Sendable {
    private struct Change: Sendable {
        var number: Int
        var client: OAuthClientIdentity
        var tokens: OAuthTokens?
        var task: Task<Void, Never>
    }

    /// The maximum time that a thread or a refresh waits for the store, in seconds.
    private static let storeLimit = 5.0

    let baseURL: String
    private let identity: OAuthClientIdentity
    private let origins: OriginSet
    private let session: OAuthSession
    private let authentication: OAuthAuthentication
    /// The last change, until it is stored.
    private let change = Locked<Change?>(nil)

    /// Creates the tokens for a server. Returns `nil` if tokens must not be sent to the URL, because it is invalid or others could
    /// read them on the network.
    ///
    /// - Parameters:
    ///   - baseURL: The URL of the server.
    ///   - store: The store of the tokens.
    ///   - previous: The tokens for the previous base URL. Their last change is stored before any change of these tokens.
    init?(baseURL: String, store: any TokenStore, after previous: ServiceTokens?) {
        guard EndpointAddress.problem(with: baseURL) == nil, let origin = try? HttpRequest(url: baseURL).origin(),
            let origins = try? OriginSet([baseURL])
        else { return nil }
        self.baseURL = baseURL
        self.origins = origins
        identity = OAuthClientIdentity(issuer: origin, clientID: "NetworkService")
        session = OAuthSession(
            refresher: ServiceTokenRefresher(identity: identity, baseURL: baseURL),
            store: OwnTokens(of: identity, in: store),
            logger: LogManager.warning
        )
        authentication = OAuthAuthentication(session, for: origins, whenSignedOut: .sendWithoutToken)
        if let change = previous?.change.withLock({ $0 }) {
            begin(change.tokens, of: change.client) { await change.task.value }
        }
    }

    /// Replaces the tokens, or removes them. Changes are stored in order.
    func set(_ tokens: OAuthTokens?) {
        begin(tokens, of: identity) { await self.store(tokens) }
    }

    /// Begins a change.
    ///
    /// - Parameter finish: A closure that is called after the previous change and returns when this one is stored.
    private func begin(
        _ tokens: OAuthTokens?,
        of client: OAuthClientIdentity,
        finish: @escaping @Sendable () async -> Void
    ) {
        change.withLock { change in
            let previous = change
            let number = (previous?.number ?? 0) + 1
            let task = Task {
                await previous?.task.value
                await finish()
                self.change.withLock { if $0?.number == number { $0 = nil } }
            }
            change = Change(number: number, client: client, tokens: tokens, task: task)
        }
    }

    /// Returns the tokens, expired or not. Blocks the calling thread while they are read from the store, if they are not in memory.
    func stored() -> OAuthTokens? {
        if let change = change.withLock({ $0 }) { return change.client == identity ? change.tokens : nil }
        if let tokens = session.cachedTokens { return tokens }
        let found = Locked<OAuthTokens?>(nil)
        let isRead = DispatchSemaphore(value: 0)
        Task.detached(priority: .userInitiated) { [session] in
            let tokens = try? await session.current()
            found.withLock { $0 = tokens }
            isRead.signal()
        }
        return isRead.wait(timeout: .now() + Self.storeLimit) == .success ? found.withLock { $0 } : nil
    }

    /// Refreshes the tokens.
    ///
    /// - Returns: `true` if there are new tokens.
    func refresh() async -> Bool {
        do {
            try await waitForChanges { try await Task.sleep(for: .seconds(Self.storeLimit)) }
            try await session.refresh()
            return true
        } catch {
            LogManager.warning.warning("The tokens were not refreshed: \(error)")
            return false
        }
    }

    /// Waits until the last change is stored. The wait ends early if the task is cancelled.
    ///
    /// - Parameter timeout: A closure that returns when the wait must end. It is cancelled when the change is stored.
    /// - Throws: ``NetworkError/timeout(_:)``, or the error of the closure.
    private func waitForChanges(until timeout: @escaping @Sendable () async throws -> Void) async throws {
        guard let change = change.withLock({ $0?.task }) else { return }
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        // It ends with the change, which cannot be cancelled.
        Task {
            await change.value
            continuation.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in end {} }
            group.addTask {
                try await timeout()
                throw NetworkError.timeout(
                    NetworkFailure("the new tokens could not be stored in time", advice: "check the token store")
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func store(_ tokens: OAuthTokens?) async {
        do throws(OAuthSessionError) {
            if let tokens {
                try await session.save(tokens, revokesReplaced: false)
            } else {
                try await session.reset()
            }
        } catch {
            LogManager.warning.warning("The tokens could not be stored or removed: \(error)")
        }
    }
}

extension ServiceTokens: Interceptor {
    /// Sends the request with the access token, if there is one.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // A change cannot be stored during a refresh. The requests of the refresh itself therefore do not wait for it.
        if request.carriesOwnCredentials { return try await next(request) }
        try await waitForChanges { try await next.wait(for: next.timeLeft(for: request) ?? .seconds(86_400)) }
        do {
            return try await authentication.intercept(await withoutHeaderForToken(request), next: next)
        } catch let error as NetworkError {
            guard let error = error.failure.underlying as? OAuthSessionError, error.isRefusal else { throw error }
            // The server's response describes the problem, as in the original library.
            return try await next(request)
        }
    }

    /// Returns the request without its header `Authorization` if a token replaces the header.
    private func withoutHeaderForToken(_ request: HttpRequest) async -> HttpRequest {
        guard request.getHeader(name: NetworkConstants.headerAuthorization) != nil, origins.contains(request),
            let tokens = try? await session.current(), tokens.isAvailable
        else { return request }
        var request = request
        request.removeHeader(name: NetworkConstants.headerAuthorization)
        return request
    }
}

extension OAuthSessionError {
    /// `true` if the server has refused to refresh the tokens, or they cannot be refreshed.
    fileprivate var isRefusal: Bool {
        switch self {
        case .expired, .ended, .responseLost, .refused: true
        case .notLoggedIn, .network, .store, .otherClient: false
        }
    }
}

/// The tokens of one client in a store, which may instead contain those for the server of an earlier base URL.
private struct OwnTokens: TokenStore {
    private let client: OAuthClientIdentity
    private let store: any TokenStore

    init(of client: OAuthClientIdentity, in store: any TokenStore) {
        self.client = client
        self.store = store
    }

    func load() async throws -> TokenRecord? {
        let record = try await store.load()
        return record?.client == client ? record : nil
    }

    func save(_ record: TokenRecord) async throws { try await store.save(record) }

    func delete() async throws { try await store.delete() }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await store.withExclusiveAccess(body)
    }
}
