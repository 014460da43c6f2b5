import SallyportTransport

/// A type that creates and sends requests.
public protocol HttpSender: Sendable {
    /// Returns a new request, which can be built, stored and sent with ``request(request:)``.
    func request() -> HttpRequest

    /// Sends a request and returns its complete response.
    ///
    /// - Parameter request: The request, which can be stored and sent again.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse
}

/// An HTTP client: ``HttpClient``, a mock, or an implementation of the app.
///
/// An implementation provides ``HttpSender/request(request:)`` and ``close()``. The other methods have default implementations.
///
/// ```swift
/// struct CannedClient: HttpClientProtocol {
///     func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
///         HttpResponse(status: .ok, request: request)
///     }
///     func close() {}
/// }
/// ```
///
/// Every part of the SDK accepts any client: services, logins and sessions, downloads, uploads, queues, event streams and pages. For
/// what they need beyond single requests, such as retries and derived clients, they use ``asHttpClient()``.
///
/// An implementation sends exactly one request to the server of the request's URL, and returns the response whatever its status. In
/// particular:
///
/// - It does not follow redirects: requests of the SDK contain secrets for one server.
/// - It adds no token of a user to a request with ``HttpRequest/carriesOwnCredentials``, and sends a request with
///   ``HttpRequest/requiresSecureTransport`` over TLS or to a loopback address only.
/// - Its calls end soon after their task is cancelled, and each wait has a limit. ``HttpRequest/timeout`` is the time that is left; if it
///   is `nil`, the SDK waits an hour for the response of ``HttpSender/request(request:)`` or ``send(_:in:)``, and then throws
///   ``NetworkError/timeout(_:)``.
/// - It throws the error that describes the failure, as retries depend on its case.
///
/// It may send requests with an ``HttpClient``. The interceptors of ``RequestInterceptorRegistry/shared`` and the ``HttpRequest/retry`` of
/// a request are then not applied a second time.
public protocol HttpClientProtocol: HttpSender {
    /// Builds a request, sends it and returns its complete response.
    ///
    /// ```swift
    /// let response = try await client.request { request in
    ///     request.url = "https://api.example.com/users"
    ///     request.get()
    /// }
    /// ```
    ///
    /// - Parameter builder: A closure that builds the request, on the actor of the caller.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async throws(NetworkError) -> HttpResponse

    /// Sends a request, and returns its response as soon as its head has been received.
    ///
    /// The default implementation returns the complete response of ``HttpSender/request(request:)``, so that all of it is in memory.
    /// Implement this method to receive large downloads, and event streams, which do not end: set the
    /// ``HttpResponse/bodyStream`` of the response, and release its connection at the end of the scope.
    ///
    /// ```swift
    /// func send(_ request: HttpRequest, in scope: ExchangeScope) async throws(NetworkError) -> HttpResponse {
    ///     let exchange = try await connection.begin(request)
    ///     scope.onExit { exchange.close() }
    ///     var response = HttpResponse(status: exchange.status, headers: exchange.headers, request: request)
    ///     response.bodyStream = ResponseBody(source: exchange)
    ///     return response
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request. Without a timeout, its total duration is not limited, but the SDK waits at most an hour for the response.
    ///   - scope: The scope in which the body of the response is read; see ``withExchangeScope(isolation:_:)``.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    func send(_ request: HttpRequest, in scope: ExchangeScope) async throws(NetworkError) -> HttpResponse

    /// Returns a client that sends its requests with this one, and that has the further features of ``HttpClient``: retries with a
    /// budget, interceptors, derived clients, timeouts and logs.
    ///
    /// Services, logins, transfers and event streams call it once and send their requests with the result. An ``HttpClient`` returns
    /// itself. The default implementation returns a new client of ``HttpClient/createClient(sendingWith:_:)`` with its default
    /// settings: each service or transfer then has its own budget of retries. To use one client with other settings, create it with
    /// ``HttpClient/createClient(sendingWith:_:)`` and pass it instead of this one. Do not store it in this object: the clients would
    /// retain each other.
    func asHttpClient() -> HttpClient

    /// Closes the client: running and later calls fail with ``NetworkError/clientClosed(_:)``.
    func close()
}

extension HttpSender {
    /// Returns a request with default values.
    public func request() -> HttpRequest { HttpRequest() }
}

extension HttpClientProtocol {
    /// Builds a request, sends it and returns its complete response.
    public nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async throws(NetworkError) -> HttpResponse {
        var request = request()
        builder(&request)
        return try await self.request(request: request)
    }

    /// Sends a request, and returns its complete response.
    public func send(_ request: HttpRequest, in scope: ExchangeScope) async throws(NetworkError) -> HttpResponse {
        try await self.request(request: request)
    }

    /// Returns a new client that sends its requests with this one, with the default settings.
    public func asHttpClient() -> HttpClient { HttpClient.createClient(sendingWith: self) }
}

extension HttpSender {
    /// Sends a request and returns its response or error as a `Result`. State the result's type to select this method.
    ///
    /// ```swift
    /// let result: Result<HttpResponse, NetworkError> = await client.request(request: request)
    /// ```
    public func request(request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        do throws(NetworkError) {
            let response: HttpResponse = try await self.request(request: request)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Builds a request, sends it and returns its response or error as a `Result`. State the result's type to select this method.
    ///
    /// ```swift
    /// let result: Result<HttpResponse, NetworkError> = await client.request { request in
    ///     request.url = "https://api.example.com/users"
    /// }
    /// ```
    public nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async -> Result<HttpResponse, NetworkError> {
        var request = request()
        builder(&request)
        return await self.request(request: request)
    }
}
