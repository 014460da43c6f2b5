import HTTPTypes

/// Carries one request to a server and brings its response back.
///
/// A transport does no more than that: cookies, redirects, retries and authorization live above it,
/// so that every transport behaves the same under them. The engine (`SallyportEngine`) and
/// `URLSessionTransport` (`SallyportURLSession`) are transports; `MockTransport` in `SallyportTesting` is one for tests.
///
/// ```swift
/// let request = TransportRequest(head: HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
/// let bytes = try await transport.send(request) { response in
///     try await response.body.collect(upTo: 1_000_000)
/// }
/// ```
public protocol Transport: Sendable {
    /// Sends a request and returns as soon as the response's head is there.
    ///
    /// The response's body is read afterwards, chunk by chunk, while `scope` lasts. When the scope ends, the
    /// transport takes back what the exchange still holds: a connection whose body was not read to its end is closed.
    ///
    /// - Parameters:
    ///   - request: The head, the body and the limits of this one exchange.
    ///   - scope: How long the response's body may be read; see ``withExchangeScope(isolation:_:)``.
    /// - Throws: ``NetworkError`` saying how far the exchange got.
    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse

    /// Ends at once: exchanges under way fail with ``NetworkError/clientClosed(_:)``, and so does every later one.
    func close()

    /// Lets the exchanges under way finish, refuses new ones, and returns when the last connection is closed.
    ///
    /// - Parameter grace: How long the exchanges under way may take; afterwards they are ended as by ``close()``.
    func shutdown(grace: Duration) async
}

extension Transport {
    /// Sends a request and hands its response to a closure, which is the scope of the response's body.
    ///
    /// - Parameters:
    ///   - request: The head, the body and the limits of this one exchange.
    ///   - handle: Reads what it needs of the response. What it leaves unread is discarded.
    /// - Returns: What `handle` returns.
    /// - Throws: ``NetworkError``, or what `handle` throws.
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
