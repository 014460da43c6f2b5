import SallyportTransport

/// The sessions with the servers that one pair of credentials is for, the latest first.
final class DigestSessions: Sendable {
    private static let most = 32

    private let sessions = Locked<[DigestSession]>([])

    /// The session for a request to somewhere, its count already that of this request; `nil` if there is none yet.
    func next(for target: RequestTarget) -> DigestSession? {
        sessions.withLock { sessions in
            guard let index = sessions.firstIndex(where: { $0.covers(target) && $0.count < .max }) else { return nil }
            sessions[index].count += 1
            return sessions[index]
        }
    }

    /// Keeps a new session in place of earlier ones, and gives it with the count of its first request.
    func begin(_ session: DigestSession) -> DigestSession {
        sessions.withLock { sessions in
            sessions.removeAll { $0.isSameSpace(as: session) }
            var session = session
            session.count = 1
            sessions = [session] + sessions.prefix(Self.most - 1)
            return session
        }
    }

    /// Goes on with another nonce, unless another request has brought one already.
    func renew(_ session: DigestSession, nonce: String) {
        sessions.withLock { sessions in
            guard let index = sessions.firstIndex(where: { $0.isSameSpace(as: session) && $0.nonce == session.nonce })
            else { return }
            sessions[index].nonce = nonce
            sessions[index].count = 0
        }
    }

    /// Forgets a session that the server no longer takes.
    func end(_ session: DigestSession) {
        sessions.withLock { sessions in
            sessions.removeAll { $0.isSameSpace(as: session) && $0.nonce == session.nonce }
        }
    }
}
