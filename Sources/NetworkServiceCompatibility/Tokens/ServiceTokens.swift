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
    let session: OAuthSession
    /// The last change, until it is stored.
    private let change = Locked<Change?>(nil)

    /// Returns `nil` if the URL is invalid.
    init?(baseURL: String, store: any TokenStore) {
        guard let origin = try? HttpRequest(url: baseURL).origin() else { return nil }
        self.baseURL = baseURL
        let identity = OAuthClientIdentity(issuer: origin, clientID: "NetworkService")
        let refresher = ServiceTokenRefresher(identity: identity, baseURL: baseURL)
        session = OAuthSession(refresher: refresher, store: store, logger: LogManager.warning)
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

    /// Returns a Boolean value that indicates whether there are tokens for the server.
    ///
    /// - Throws: ``OAuthSessionError`` if they cannot be read.
    func exist() async throws(OAuthSessionError) -> Bool {
        await finishChanges()
        do throws(OAuthSessionError) {
            return try await session.current() != nil
        } catch .otherClient {
            // They belong to the server of an earlier base URL.
            return false
        }
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
