import Foundation
import Sallyport
import SallyportStorage

/// Loads, saves and removes the record of a session, and keeps the cookies of the client consistent with it.
final class JourneySessions: Sendable {
    private let store: any JourneySessionStore
    private let owner: JourneySessionRecord.Owner
    private let jar: CookieJar
    /// The record whose cookies are in the jar.
    private let known = Locked<JourneySessionRecord?>(nil)

    init(_ store: any JourneySessionStore, for configuration: JourneyConfiguration, jar: CookieJar) {
        self.store = store
        self.jar = jar
        owner = JourneySessionRecord.Owner(
            authenticateURL: configuration.authenticateURL,
            cookieName: configuration.cookieName
        )
    }

    /// Returns the stored session; `nil` if there is none. Its cookies are then in the jar.
    ///
    /// - Throws: ``JourneyError/store(_:)``, or ``JourneyError/otherServer(_:)``.
    func current() async throws(JourneyError) -> JourneySession? {
        let record: JourneySessionRecord?
        do { record = try await store.load() } catch { throw JourneyError(ofStore: error) }
        if let record, record.owner != owner {
            throw .otherServer(
                NetworkFailure(
                    "the stored session belongs to \(record.owner.authenticateURL), not to \(owner.authenticateURL); "
                        + "it was not sent",
                    advice: "sign in again"
                )
            )
        }
        use(record)
        return record?.session
    }

    /// Prepares for a sign-in: as ``current()``, except that a session which a new one may replace is ignored.
    func prepareForSignIn() async throws(JourneyError) {
        do throws(JourneyError) {
            _ = try await current()
        } catch {
            switch error {
            case .otherServer: return
            case .store(let problem) where problem.needsReplacement: return
            default: throw error
            }
        }
    }

    /// Replaces the stored session.
    ///
    /// While the session changes, the store contains none, so that a crash leaves neither two sessions nor tokens of another one.
    ///
    /// - Parameters:
    ///   - session: The new session.
    ///   - discardTokens: A closure that revokes and removes the tokens of the previous session. It is not called if the session
    ///     is the same.
    func replace(
        with session: JourneySession,
        discardTokens: @Sendable () async throws -> Void
    ) async throws(JourneyError) {
        do {
            try await store.withExclusiveAccess { [self] in
                let previous = try? await store.load()
                if previous?.owner != owner || previous?.session.token != session.token {
                    if previous != nil { try await store.delete() }
                    try await discardTokens()
                }
                storeCookie(of: session)
                let record = JourneySessionRecord(session: session, cookies: jar.netscapeText, owner: owner)
                try await store.save(record)
                known.withLock { $0 = record }
            }
        } catch {
            throw JourneyError(ofStore: error)
        }
    }

    /// Removes the stored session and the cookies.
    func remove() async throws(JourneyError) {
        do {
            try await store.withExclusiveAccess { [store] in try await store.delete() }
        } catch {
            throw JourneyError(ofStore: error)
        }
        jar.removeAll()
        known.withLock { $0 = nil }
    }

    /// Replaces the cookies in the jar if another process has changed the record.
    private func use(_ record: JourneySessionRecord?) {
        let isKnown = known.withLock { known in
            defer { known = record }
            return known == record
        }
        if isKnown { return }
        jar.removeAll()
        guard let record else { return }
        // Cookies that cannot be read are not sent. The session token is stored separately.
        try? jar.load(netscapeText: record.cookies)
        storeCookie(of: record.session)
    }

    /// Stores the token as a cookie if the server has not set it itself, so that requests of trees carry the session.
    private func storeCookie(of session: JourneySession) {
        guard let url = URL(string: owner.authenticateURL) else { return }
        let isStored = jar.cookies(for: url).contains { $0.name == owner.cookieName && $0.value == session.token }
        if isStored { return }
        let security = url.scheme == "https" ? "; Secure" : ""
        jar.store(setCookie: ["\(owner.cookieName)=\(session.token); Path=/; HttpOnly\(security)"], from: url)
    }
}
