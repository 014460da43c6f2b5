import Foundation
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sessions of one transport: one for the hosts without pins, and one for all that have the same pins.
///
/// The system may send a request over a connection that was opened for another host, if its certificate is for both
/// (RFC 9113, section 9.1.1), and asks nobody then. Connections are never shared between sessions, so one whose chain
/// was not compared with the pins of a host does not carry its requests.
final class DelegatedSessions: Sendable {
    private let configuration: TransportConfiguration
    private let security: SessionSecurity
    /// By the positions of the pins; `nil` once they have ended.
    private let sessions = Locked<[[Int]: DelegatedSession]?>([:])

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what the session cannot honour.
    init(_ configuration: TransportConfiguration) throws(NetworkError) {
        self.configuration = configuration
        security = try SessionSecurity(configuration.security)
    }

    /// Makes the task that sends a request, in the session for its server, which is made if there is none yet.
    ///
    /// - Returns: `nil` once they have ended, as one that has takes no tasks.
    func makeTask(
        for request: SessionRequest,
        from source: SessionRequest.Source,
        in exchange: URLSessionExchange
    ) -> URLSessionTask? {
        let key = key(for: request.origin)
        return sessions.withLock { sessions in
            guard sessions != nil else { return nil }
            let session = sessions?[key] ?? DelegatedSession(configuration, security)
            sessions?[key] = session
            return session.makeTask(for: request, from: source, in: exchange)
        }
    }

    /// What the servers of one session have in common.
    func key(for origin: Origin) -> [Int] {
        origin.scheme == .https ? configuration.security.pins.positions(for: origin.host) : []
    }

    /// Lets go of all of them too, as only the end of a session closes its idle connections.
    func end(isGentle: Bool = false) {
        let ended = sessions.withLock { sessions in
            defer { sessions = nil }
            return sessions
        }
        for session in (ended ?? [:]).values { session.end(isGentle: isGentle) }
    }
}
