import Foundation
import Sallyport
import SallyportStorage

/// Loads, saves and removes the record of a session, and keeps the cookies of the client consistent with it.
final class JourneySessions: Sendable {
    private let store: any JourneySessionStore
    private let owner: JourneySessionRecord.Owner
    private let jar: CookieJar
    /// The record of the session that the cookies in the jar belong to.
    private let known = Locked<JourneySessionRecord?>(nil)
    /// Held while the jar is made consistent with a record that was loaded or is being saved. A task that holds it takes no other lock.
    private let mutex = AsyncMutex()

    init(_ store: any JourneySessionStore, for configuration: JourneyConfiguration, jar: CookieJar) {
        self.store = store
        self.jar = jar
        owner = JourneySessionRecord.Owner(
            authenticateURL: configuration.authenticateURL,
            cookieName: configuration.cookieName
        )
    }

    /// Loads the stored session. If the cookies in the jar do not belong to it, replaces them by its cookies.
    ///
    /// - Returns: The session; `nil` if there is none.
    /// - Throws: ``JourneyError/store(_:)``, or ``JourneyError/otherServer(_:)``.
    func activate() async throws(JourneyError) -> JourneySession? {
        do {
            return try await mutex.withLock { [self] in
                let record = try await store.load()
                if let record, record.owner != owner {
                    throw JourneyError.otherServer(
                        NetworkFailure(
                            "the stored session belongs to \(record.owner.authenticateURL), not to "
                                + "\(owner.authenticateURL); it was not sent",
                            advice: "sign in again"
                        )
                    )
                }
                use(record)
                return record?.session
            }
        } catch {
            throw JourneyError(ofStore: error)
        }
    }

    /// Prepares for a sign-in: as ``activate()``, except that a session which a new one may replace is ignored.
    ///
    /// If there is no session, the session cookie of a sign-in that was cancelled or could not be stored is removed. Otherwise the next
    /// user would be signed in as the previous one.
    func prepareForSignIn() async throws(JourneyError) {
        do throws(JourneyError) {
            if try await activate() != nil { return }
        } catch {
            switch error {
            case .otherServer: break
            case .store(let problem) where problem.needsReplacement: break
            default: throw error
            }
        }
        removeSessionCookies { _ in true }
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
        // Until the record is saved, other tasks see that there is no session, and empty the jar.
        let cookies = jar.netscapeText
        do {
            try await store.withExclusiveAccess { [self] in
                let previous = try? await store.load()
                if previous?.owner != owner || previous?.session.token != session.token {
                    if previous != nil { try await store.delete() }
                    try await discardTokens()
                }
                try await mutex.withLock { [self] in
                    fillJar(with: cookies, of: session)
                    let record = JourneySessionRecord(session: session, cookies: jar.netscapeText, owner: owner)
                    try await store.save(record)
                    known.withLock { $0 = record }
                }
            }
        } catch {
            removeSessionCookies { _ in true }
            known.withLock { $0 = nil }
            throw JourneyError(ofStore: error)
        }
    }

    /// Calls a closure while no other session can replace this one.
    ///
    /// - Returns: `false`, without calling the closure, if the session has been replaced or removed.
    func whileStored(
        _ session: JourneySession,
        _ body: @Sendable () async throws -> Void
    ) async throws(JourneyError) -> Bool {
        do {
            return try await store.withExclusiveAccess { [self] in
                guard try await store.load()?.session.token == session.token else { return false }
                try await body()
                return true
            }
        } catch {
            throw JourneyError(ofStore: error)
        }
    }

    /// Removes a session and its cookies, unless another one has replaced it.
    func remove(_ session: JourneySession) async throws(JourneyError) {
        _ = try await whileStored(session) { [self] in
            try await mutex.withLock { [self] in
                try await store.delete()
                jar.removeAll()
                known.withLock { $0 = nil }
            }
        }
    }

    /// Replaces the cookies in the jar if another process has changed the record. The session cookie is replaced in any case: it may
    /// belong to a sign-in that was cancelled.
    private func use(_ record: JourneySessionRecord?) {
        let isKnown = known.withLock { known in
            defer { known = record }
            return known == record
        }
        guard let record else { return isKnown ? () : jar.removeAll() }
        if isKnown { storeCookie(of: record.session) } else { fillJar(with: record.cookies, of: record.session) }
    }

    /// Replaces the cookies in the jar.
    private func fillJar(with cookies: String, of session: JourneySession) {
        jar.removeAll()
        // Cookies that cannot be read are not sent. The session token is stored separately.
        try? jar.load(netscapeText: cookies)
        storeCookie(of: session)
    }

    /// Stores the token as a cookie if the server has not set it itself, so that requests of trees carry the session, and no other one.
    private func storeCookie(of session: JourneySession) {
        removeSessionCookies { $0 != session.token }
        guard let url = URL(string: owner.authenticateURL) else { return }
        if jar.cookies(for: url).contains(where: { $0.name == owner.cookieName }) { return }
        let security = url.scheme?.lowercased() == "https" ? "; Secure" : ""
        jar.store(setCookie: ["\(owner.cookieName)=\(session.token); Path=/; HttpOnly\(security)"], from: url)
    }

    /// Removes the session cookies with a value that meets a condition. Other cookies, such as a load balancer's, remain.
    private func removeSessionCookies(where isUnwanted: (String) -> Bool) {
        for cookie in jar.allCookies where cookie.name == owner.cookieName && isUnwanted(cookie.value) {
            jar.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
        }
    }
}
