import SallyportTransport

/// Makes requests and sends them once they are built.
public protocol HttpSender: Sendable {
    /// A new request, to be built, kept and sent with ``request(request:)``.
    func request() -> HttpRequest

    /// Sends a request and waits for its whole response.
    ///
    /// - Parameter request: The request, which may be kept and sent again.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError`` saying what was asked, how far it got and what to do.
    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse
}

/// What an app asks of an HTTP client: ``HttpClient``, a mock, or one of its own.
///
/// A client of one's own implements ``HttpSender/request(request:)`` and ``close()``; the rest follows from them.
///
/// ```swift
/// struct CannedClient: HttpClientProtocol {
///     func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
///         HttpResponse(status: .ok, request: request)
///     }
///     func close() {}
/// }
/// ```
public protocol HttpClientProtocol: HttpSender {
    /// Builds a request, sends it and waits for its whole response.
    ///
    /// ```swift
    /// let response = try await client.request { request in
    ///     request.url = "https://api.example.com/users"
    ///     request.get()
    /// }
    /// ```
    ///
    /// - Parameter builder: Builds the request, on the actor of the caller.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError`` saying what was asked, how far it got and what to do.
    nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async throws(NetworkError) -> HttpResponse

    /// Ends the client: calls under way and all later ones fail with ``NetworkError/clientClosed(_:)``.
    func close()
}

extension HttpSender {
    /// A new request with nothing set.
    public func request() -> HttpRequest { HttpRequest() }
}

extension HttpClientProtocol {
    /// Builds a request, sends it and waits for its whole response.
    public nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async throws(NetworkError) -> HttpResponse {
        var request = request()
        builder(&request)
        return try await self.request(request: request)
    }
}
