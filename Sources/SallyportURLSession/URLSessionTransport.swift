import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that uses `URLSession`, the default on Apple platforms.
///
/// It supports the system's proxies, VPNs, App Transport Security, HTTP/2 and HTTP/3. Settings and requests that `URLSession` does not
/// support fail with ``NetworkError/invalidRequest(_:)``: address overrides, proxies other than the system's (on Linux the proxies of the
/// environment, which always apply), client certificates in files, key logs, trailers in requests, an observer of connections, and on Linux
/// pins and trust roots other than the system's. It does not report trailers and the durations of phases, and reports informational
/// responses on Linux only. A stream is written to a temporary file before it is sent.
///
/// The timeouts for waiting, resolving, connecting and TLS are replaced by those for the head and the total, which include these phases.
/// A call is refused if one of them is shorter and not the default.
///
/// Pins are compared in the handshake, when the system calls the delegate with a server's certificates. The system may not call it for a
/// connection that resumes a TLS session of another client of the same process. If it has never called it, the response is refused with
/// ``NetworkError/pinMismatch(_:)``, but the request has been sent.
///
/// On Linux it is for development only: there is no back-pressure, bodies are sent from memory, and FoundationNetworking terminates the
/// process on a response with trailers or a truncated head. Use the engine there.
///
/// ```swift
/// let transport = URLSessionTransport(configuration: TransportConfiguration())
/// let status = try await transport.send(request) { $0.head.status }
/// ```
public final class URLSessionTransport: PinningTransport {
    private let sessions: Result<DelegatedSessions, NetworkError>
    private let exchanges = ExchangeRegistry()
    private let configuration: TransportConfiguration
    private let protocolClasses: [URLProtocol.Type]

    /// Creates a transport with its own sessions.
    ///
    /// Tests can answer requests without a network with a `URLProtocol`:
    ///
    /// ```swift
    /// config.transport = URLSessionTransport(configuration: TransportConfiguration(), protocolClasses: [MockURLProtocol.self])
    /// ```
    ///
    /// Classes that are registered with `URLProtocol.registerClass` are not used, as in any session with its own configuration. On Linux,
    /// the request that a `URLProtocol` receives has no body.
    ///
    /// - Parameters:
    ///   - configuration: The settings. If one cannot be applied, for example because a file is missing, every call fails.
    ///   - protocolClasses: The classes that are asked whether they handle a request, in order and before the system's classes.
    public init(configuration: TransportConfiguration, protocolClasses: [URLProtocol.Type] = []) {
        self.configuration = configuration
        self.protocolClasses = protocolClasses
        sessions = Result { () throws(NetworkError) in try DelegatedSessions(configuration, protocolClasses) }
    }

    deinit {
        try? sessions.get().end()
    }

    /// Returns a transport with the same settings and further pins, which has its own sessions.
    public func adding(_ pins: CertificatePins) -> any PinningTransport {
        var configuration = configuration
        configuration.security.pins = configuration.security.pins.adding(pins)
        return URLSessionTransport(configuration: configuration, protocolClasses: protocolClasses)
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

    /// Closes the transport immediately; see ``Transport/close()``.
    public func close() {
        exchanges.close()
        try? sessions.get().end()
    }

    /// Closes the transport after running exchanges have finished; see ``Transport/shutdown(grace:)``.
    public func shutdown(grace: Duration) async {
        await exchanges.drain(for: grace)
        exchanges.close()
        try? sessions.get().end(isGentle: true)
    }
}
