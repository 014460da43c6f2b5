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
