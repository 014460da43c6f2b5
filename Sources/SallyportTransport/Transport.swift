import HTTPTypes

/// A type that sends requests to servers and returns their responses.
///
/// Cookies, redirects, retries and authorization are implemented above transports, so that they are the same for every transport.
/// The SDK has three transports: the engine (`SallyportEngine`), `URLSessionTransport` (`SallyportURLSession`) and, for tests,
/// `MockTransport` (`SallyportTesting`).
///
/// ```swift
/// let request = TransportRequest(head: HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
/// let bytes = try await transport.send(request) { response in
///     try await response.body.collect(upTo: 1_000_000)
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and returns as soon as the response's head has been received.
    ///
    /// The body is read afterwards, chunk by chunk, until `scope` ends. The transport then releases the resources of the exchange: if the
    /// body was not read to its end, the connection is closed.
    ///
    /// - Parameters:
    ///   - request: The head, the body and the timeouts of the exchange.
    ///   - scope: The scope for reading the response's body; see ``withExchangeScope(isolation:_:)``.
    /// - Throws: ``NetworkError``, which states the phase that failed.
    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse

    /// Closes the transport immediately: running and later exchanges fail with ``NetworkError/clientClosed(_:)``.
    func close()

    /// Refuses new exchanges, waits for the running ones to finish, and returns when the last connection is closed.
    ///
    /// - Parameter grace: The time after which running exchanges are ended as by ``close()``.
    func shutdown(grace: Duration) async
}

extension Transport {
    /// Sends a request and passes its response to a closure, inside which its body can be read.
    ///
    /// - Parameters:
    ///   - request: The head, the body and the timeouts of the exchange.
    ///   - isolation: The isolation of the caller and the closure.
    ///   - handle: A closure that reads the response. The unread rest is discarded.
    /// - Returns: The value that `handle` returns.
    /// - Throws: ``NetworkError``, or the error that `handle` throws.
    public func send<Result>(
        _ request: TransportRequest,
        isolation: isolated (any Actor)? = #isolation,
        handle: (TransportResponse) async throws -> Result
    ) async throws -> Result {
        try await withExchangeScope { scope in
            try await handle(send(request, in: scope))
        }
    }
}

/// A transport to which pins can be added.
///
/// It is required if a client's configuration has both pins and a transport, and for a derived client with further pins.
public protocol PinningTransport: Transport {
    /// Returns a transport like this one that also requires servers to match some pins. It has its own connections, and is closed
    /// independently.
    ///
    /// - Parameter pins: The pins in addition to the pins of this transport.
    func adding(_ pins: CertificatePins) -> any PinningTransport
}

/// The response to a request: its head, its body, which is read within the scope of the exchange, and its connection.
public struct TransportResponse: Sendable {
    /// The status and header fields of the final response.
    public var head: HTTPResponse

    /// The body, read with back-pressure: the server cannot send faster than the reader reads.
    public var body: ResponseBody

    /// The properties of the connection that carried the exchange.
    public var connection: ConnectionFacts

    /// The informational responses (1xx) that preceded the final one.
    public var informational: [HTTPResponse]

    /// Creates a response.
    public init(
        head: HTTPResponse,
        body: ResponseBody = .empty,
        connection: ConnectionFacts = ConnectionFacts(),
        informational: [HTTPResponse] = []
    ) {
        self.head = head
        self.body = body
        self.connection = connection
        self.informational = informational
    }
}
