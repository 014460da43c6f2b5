import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport of the system's `URLSession`, the default on Apple platforms.
///
/// It brings what the system has: proxies, VPNs, App Transport Security, HTTP/2 and HTTP/3. What `URLSession` cannot do,
/// it refuses with ``NetworkError/invalidRequest(_:)``: addresses given for hosts, proxies other than the system's (on Linux
/// those of the environment, which it follows always), client certificates in files, key logs, trailers in requests, and
/// on Linux pins and certificate authorities other than the system's. It does not tell of trailers and the time of each
/// phase, and of informational responses on Linux only; the limits on resolving, connecting and TLS are left to the total.
/// ``TransportConfiguration/observer`` is told nothing of its connections, which are the system's.
/// A body that is a stream is first written to a temporary file.
///
/// Pins are compared when the system asks about a server's certificates, in the handshake. It need not ask about a
/// connection that resumes a TLS session of another client of the same process: if it has asked about none yet, the
/// response is refused with ``NetworkError/pinMismatch(_:)``, but the request has been sent then.
///
/// On Linux it is for development: a slow reader does not slow the server, bodies are sent from memory, and
/// FoundationNetworking ends the process on a response with trailers or a head that is cut short. Use the engine there.
///
/// ```swift
/// let transport = URLSessionTransport(configuration: TransportConfiguration())
/// let status = try await transport.send(request) { $0.head.status }
/// ```
public final class URLSessionTransport: Transport {
    private let sessions: Result<DelegatedSessions, NetworkError>
    private let exchanges = ExchangeRegistry()
    private let configuration: TransportConfiguration

    /// Makes a transport with sessions of its own.
    ///
    /// - Parameter configuration: What cannot be honoured, such as a file that is missing, fails every call.
    public init(configuration: TransportConfiguration) {
        self.configuration = configuration
        sessions = Result { () throws(NetworkError) in try DelegatedSessions(configuration) }
    }

    deinit {
        try? sessions.get().end()
    }

    /// Sends a request through the session; see ``Transport/send(_:in:)``.
    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        let exchange = URLSessionExchange(request: request, configuration: configuration)
        do throws(NetworkError) {
            return try await send(request, exchange, in: scope)
        } catch {
            exchange.fail(error)
            throw error.naming(request.head.summary)
        }
    }

    private func send(
        _ request: TransportRequest,
        _ exchange: URLSessionExchange,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        let outgoing = try SessionRequest(request, configuration: configuration)
        let sessions = try sessions.get()
        try exchanges.add(exchange)
        guard scope.onExit({ exchange.cancel() }) else { throw .cancelled("the scope of the exchange has ended") }

        let source = try await outgoing.source(for: exchange)
        if Task.isCancelled { throw .cancelled("the task was cancelled") }
        guard let task = sessions.makeTask(for: outgoing, from: source, in: exchange) else { throw .transportClosed }
        exchange.start(task)
        return try await exchange.response()
    }

    /// Ends at once; see ``Transport/close()``.
    public func close() {
        exchanges.close()
        try? sessions.get().end()
    }

    /// Lets the exchanges under way finish; see ``Transport/shutdown(grace:)``.
    public func shutdown(grace: Duration) async {
        await exchanges.drain(for: grace)
        exchanges.close()
        try? sessions.get().end(isGentle: true)
    }
}
