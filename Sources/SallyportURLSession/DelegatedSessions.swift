import Foundation
import SallyportStorage
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sessions of a transport: one for hosts without pins, and one for each group of hosts with the same pins.
///
/// The system may reuse a connection to another host without calling the delegate, if the certificate of that connection is valid for both
/// hosts (RFC 9113, section 9.1.1). Sessions do not share connections. Requests to a host therefore use a connection only if its chain has
/// been compared with the host's pins.
final class DelegatedSessions: Sendable {
    private let configuration: TransportConfiguration
    private let protocolClasses: [URLProtocol.Type]
    private let security: SessionSecurity
    /// The sessions by the indices of the pins; `nil` after they have ended.
    private let sessions = Locked<[[Int]: DelegatedSession]?>([:])

    /// Creates the sessions.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a setting that `URLSession` does not support.
    init(_ configuration: TransportConfiguration, _ protocolClasses: [URLProtocol.Type] = []) throws(NetworkError) {
        self.configuration = configuration
        self.protocolClasses = protocolClasses
        security = try SessionSecurity(configuration.security)
    }

    /// Creates the task for a request in the session for its server, which is created on first use.
    ///
    /// - Returns: The task; `nil` after the sessions have ended.
    func makeTask(
        for request: SessionRequest,
        from source: SessionRequest.Source,
        in exchange: URLSessionExchange
    ) -> URLSessionTask? {
        let key = key(for: request.origin)
        return sessions.withLock { sessions in
            guard sessions != nil else { return nil }
            let session = sessions?[key] ?? DelegatedSession(configuration, protocolClasses, security)
            sessions?[key] = session
            return session.makeTask(for: request, from: source, in: exchange)
        }
    }

    /// Returns the key of the session for a server: the indices of its pins.
    func key(for origin: Origin) -> [Int] {
        origin.scheme == .https ? configuration.security.pins.positions(for: origin.host) : []
    }

    /// Ends and releases all sessions, as only the end of a session closes its idle connections.
    func end(isGentle: Bool = false) {
        let ended = sessions.withLock { sessions in
            defer { sessions = nil }
            return sessions
        }
        for session in (ended ?? [:]).values { session.end(isGentle: isGentle) }
    }
}

/// A `URLSession` with its own delegate.
struct DelegatedSession: Sendable {
    private let session: URLSession
    private let events: URLSessionEvents

    init(
        _ configuration: TransportConfiguration,
        _ protocolClasses: [URLProtocol.Type],
        _ security: SessionSecurity
    ) {
        events = URLSessionEvents(security)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(
            configuration: .sallyport(configuration, protocolClasses),
            delegate: events,
            delegateQueue: queue
        )
    }

    /// Creates the task for a request. Its events are passed to an exchange.
    func makeTask(
        for request: SessionRequest,
        from source: SessionRequest.Source,
        in exchange: URLSessionExchange
    ) -> URLSessionTask {
        let task = request.makeTask(from: source, in: session)
        events.watch(task, for: exchange)
        return task
    }

    /// Ends the session.
    ///
    /// - Parameter isGentle: A Boolean value that indicates whether running tasks may finish.
    func end(isGentle: Bool) {
        if isGentle { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
    }
}
