import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// The tokens for one server, for callers that cannot wait: changes take effect at once, and are stored later.
final class ServiceTokens: Sendable {
    private struct Change: Sendable {
        var number: Int
        var tokens: OAuthTokens?
        var task: Task<Void, Never>
    }

    /// The maximum time for which a thread waits for the store, in seconds.
    private static let readLimit = 5.0

    let baseURL: String
    private let session: OAuthSession
    private let authentication: OAuthAuthentication
    /// The last change, until it is stored.
    private let change = Locked<Change?>(nil)

    /// Returns `nil` if tokens must not be sent to the URL, because it is invalid or others could read them on the network.
    init?(baseURL: String, store: any TokenStore) {
        guard EndpointAddress.problem(with: baseURL) == nil, let origin = try? HttpRequest(url: baseURL).origin() else {
            return nil
        }
        self.baseURL = baseURL
        let identity = OAuthClientIdentity(issuer: origin, clientID: "NetworkService")
        session = OAuthSession(
            refresher: ServiceTokenRefresher(identity: identity, baseURL: baseURL),
            store: OwnTokens(of: identity, in: store),
            logger: LogManager.warning
        )
        authentication = OAuthAuthentication(session, for: [baseURL], whenSignedOut: .sendWithoutToken)
    }

    /// Replaces the tokens, or removes them. Changes are stored in order.
    func set(_ tokens: OAuthTokens?) {
        change.withLock { change in
            let previous = change
            let number = (previous?.number ?? 0) + 1
            let task = Task {
                await previous?.task.value
                await store(tokens)
                self.change.withLock { if $0?.number == number { $0 = nil } }
            }
            change = Change(number: number, tokens: tokens, task: task)
        }
    }

    /// Returns the tokens, expired or not. Blocks the calling thread while they are read from the store.
    func stored() -> OAuthTokens? {
        if let change = change.withLock({ $0 }) { return change.tokens }
        let found = Locked<OAuthTokens?>(nil)
        let isRead = DispatchSemaphore(value: 0)
        Task.detached(priority: .userInitiated) { [session] in
            let tokens = try? await session.current()
            found.withLock { $0 = tokens }
            isRead.signal()
        }
        return isRead.wait(timeout: .now() + Self.readLimit) == .success ? found.withLock { $0 } : nil
    }

    /// Refreshes the tokens.
    ///
    /// - Returns: `true` if there are new tokens.
    func refresh() async -> Bool {
        await finishChanges()
        return (try? await session.refresh()) != nil
    }

    private func finishChanges() async {
        await change.withLock { $0?.task }?.value
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
        // A change cannot be stored during a refresh, whose own requests therefore do not wait for it.
        if !request.carriesOwnCredentials { await finishChanges() }
        return try await authentication.intercept(request, next: next)
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
