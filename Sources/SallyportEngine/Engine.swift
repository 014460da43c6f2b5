import HTTPTypes
import NIOCore
import NIOPosix
import SallyportTransport

/// An HTTP transport on SwiftNIO with its own connection pool, the default on Linux.
///
/// It keeps connections alive between exchanges, within the limits of its configuration. They are closed when the
/// engine is closed or deallocated.
///
/// ```swift
/// let engine = Engine()
/// let request = TransportRequest(head: HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
/// let status = try await engine.send(request) { response in response.head.status }
/// ```
public final class Engine: PinningTransport {
    private let configuration: TransportConfiguration
    private let eventLoopGroup: any EventLoopGroup
    private let codings: Result<ContentCodings, NetworkError>
    private let pool: ConnectionPool
    /// The connections on which the general client certificate is not presented; `nil` if there is none.
    private let poolWithoutIdentity: ConnectionPool?
    private let proxies: ProxyRules
    private let addresses: HostAddresses

    /// Creates an engine. No connection is opened and no file read before the first exchange.
    ///
    /// - Parameters:
    ///   - configuration: The settings of all connections.
    ///   - eventLoopGroup: The event loops that connections run on.
    public init(
        configuration: TransportConfiguration = TransportConfiguration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        proxies = ProxyRules(configuration)
        addresses = HostAddresses(configuration)
        codings = Result { () throws(NetworkError) in try ContentCodings(adding: configuration.contentCodings) }
        let loops = EventLoops(eventLoopGroup)
        pool = ConnectionPool(configuration, loops: loops)
        if configuration.security.clientIdentity == nil {
            poolWithoutIdentity = nil
        } else {
            var withoutIdentity = configuration
            withoutIdentity.security.clientIdentity = nil
            poolWithoutIdentity = ConnectionPool(withoutIdentity, loops: loops)
        }
    }

    deinit {
        close()
    }

    /// Returns an engine with the same settings, additional pins, and its own connections.
    public func adding(_ pins: CertificatePins) -> any PinningTransport {
        var configuration = configuration
        configuration.security.pins = configuration.security.pins.adding(pins)
        return Engine(configuration: configuration, eventLoopGroup: eventLoopGroup)
    }

    /// The number of connections that are open or being opened.
    public var connectionCount: Int { pool.connectionCount + (poolWithoutIdentity?.connectionCount ?? 0) }

    /// Sends a request over a connection of the pool, or over a new one if none is free and the limits allow it.
    ///
    /// - Throws: ``NetworkError``. ``NetworkError/invalidRequest(_:)`` is thrown before anything is sent.
    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        do throws(NetworkError) {
            if Task.isCancelled { throw .cancelled("the task was cancelled") }
            let exchange = try start(request, in: scope)
            await exchange.waitForHead()
            return try response(of: exchange)
        } catch {
            throw error.naming(request.head.summary)
        }
    }

    private var requestsCodings: Bool { configuration.decodesContent && configuration.requestsContentCodings }

    /// Submits an exchange that ends with its scope, and starts the task that uploads a produced body.
    // Not inlined: its local values would belong to the frame of `send`, which every waiting exchange keeps.
    @inline(never)
    private func start(_ request: TransportRequest, in scope: ExchangeScope) throws(NetworkError) -> Exchange {
        let codings = try codings.get()
        let outgoing = try OutgoingRequest(
            request,
            acceptEncoding: requestsCodings ? codings.acceptEncoding : nil,
            proxies: proxies
        )
        if request.requiresSecureTransport { try checkIsSecure(outgoing.origin) }
        try configuration.security.pins.checkCall(to: outgoing.origin)
        let exchange = Exchange(outgoing)
        if case .produced(let production) = outgoing.body {
            let upload = Task { await RequestUpload(exchange: exchange, production: production).run() }
            scope.onExit {
                upload.cancel()
                await upload.value
            }
        }
        let isOpen = scope.onExit { exchange.leaveScope() }
        if !isOpen {
            let error = NetworkError.cancelled("the scope of the exchange has ended")
            exchange.fail(error)
            throw error
        }
        let pool = request.withholdsClientIdentity ? poolWithoutIdentity ?? pool : pool
        pool.submit(exchange)
        return exchange
    }

    /// Checks that no third party can read a request in transit.
    ///
    /// Over plain HTTP, a request may only be sent to loopback addresses that were not resolved by DNS or to a Unix domain
    /// socket, and without a proxy.
    private func checkIsSecure(_ origin: Origin) throws(NetworkError) {
        guard origin.scheme == .http else { return }
        if let proxy = try proxies.proxy(for: origin) { throw .cleartext(to: origin, through: proxy) }
        guard try addresses.knownAddresses(for: origin)?.isLoopback == true else { throw .cleartext(to: origin) }
    }

    // Not inlined, for the same reason.
    @inline(never)
    private func response(of exchange: Exchange) throws(NetworkError) -> TransportResponse {
        let head = try exchange.head()
        var response = TransportResponse(
            head: head.response,
            body: ResponseBody(length: head.length, source: IncomingBody(exchange: exchange)),
            connection: head.connection,
            informational: exchange.informational
        )
        let request = exchange.request
        try decode(&response, passesUnsupported: request.acceptEncoding == nil, idleLimit: request.timeouts.idle)
        return response
    }

    /// Decodes the content codings of a response, and removes the fields that describe the encoded body from its head.
    ///
    /// - Parameters:
    ///   - passesUnsupported: `true` if the engine did not send `Accept-Encoding`. The app then decodes codings that the engine does not
    ///     support.
    ///   - idleLimit: The maximum time without decoded content while the encoded body arrives.
    private func decode(
        _ response: inout TransportResponse,
        passesUnsupported: Bool,
        idleLimit: Duration? = nil
    ) throws(NetworkError) {
        // Most responses end here. A range of an encoded body cannot be decoded.
        guard configuration.decodesContent, response.head.headerFields.contains(.contentEncoding),
            response.body.length != 0, response.head.status != .partialContent
        else { return }
        let limits = configuration.responses
        try response.decodeContent(
            by: codings.get(),
            passesUnsupported: passesUnsupported,
            limits: limits,
            idleLimit: idleLimit
        )
    }

    /// Closes all connections at once. Running exchanges fail with ``NetworkError/clientClosed(_:)``.
    public func close() {
        pool.close()
        poolWithoutIdentity?.close()
    }

    /// Lets the running exchanges finish, and closes each connection as soon as it is free.
    ///
    /// - Parameter grace: The time after which the remaining exchanges are ended as by ``close()``.
    public func shutdown(grace: Duration) async {
        async let other: Void? = poolWithoutIdentity?.shutdown(grace: grace)
        await pool.shutdown(grace: grace)
        _ = await other
    }
}

extension Engine: DecodingTransport {
    package var acceptEncoding: String? {
        requestsCodings ? (try? codings.get())?.acceptEncoding : nil
    }

    package func decode(
        _ response: TransportResponse,
        to request: HTTPFields
    ) throws(NetworkError) -> TransportResponse {
        var response = response
        let hasOwnCodings = !requestsCodings || request.contains(.acceptEncoding) || request.contains(.range)
        try decode(&response, passesUnsupported: hasOwnCodings)
        return response
    }
}

extension TransportResponse {
    /// Decodes the content codings of the body, and removes the fields that describe the encoded body from the head.
    fileprivate mutating func decodeContent(
        by codings: ContentCodings,
        passesUnsupported: Bool,
        limits: ResponseLimits,
        idleLimit: Duration?
    ) throws(NetworkError) {
        guard let field = head.headerFields[.contentEncoding] else { return }
        let applied: [ContentCoding]
        do throws(ContentDecodingError) {
            applied = try codings.applied(in: field, passesUnsupported: passesUnsupported)
        } catch {
            throw NetworkError(tooManyCodings: error, contentEncoding: field)
        }
        guard !applied.isEmpty else { return }
        var fields = HTTPFields()
        for name in [HTTPField.Name.contentEncoding, .contentLength] {
            fields[values: name] = head.headerFields[values: name]
            head.headerFields[name] = nil
        }
        let encoded = EncodedBody(body.source, fields: fields)
        let decoded = DecodedBody(encoded, codings: applied, limits: limits, idleLimit: idleLimit)
        body = ResponseBody(isDecoded: true, encoded: encoded, source: decoded)
    }
}
