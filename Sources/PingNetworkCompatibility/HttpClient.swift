import PingNetworkFactory
import Sallyport

/// The HTTP client of PingNetwork: a client of ``HttpClientFactory``, a mock, or your own implementation.
///
/// ```swift
/// let client = HttpClient.createClient()
/// let result = await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.get()
/// }
/// ```
public protocol HttpClient: Sendable {
    /// Returns a new request, which can be stored and sent several times.
    func request() -> any HttpRequest

    /// Sends a request.
    ///
    /// - Parameter request: A request that ``request()`` returned.
    /// - Returns: The response, whatever its status, or an error, which is a ``NetworkError`` unless a custom client returns another one.
    func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error>

    // Disfavored, so that `try await client.request { … }` selects the throwing method where PingNetworkThrowing is imported.
    /// Builds a request and sends it.
    ///
    /// - Parameter builder: A closure that configures the request.
    /// - Returns: The response, whatever its status, or an error; see ``request(request:)``.
    @_disfavoredOverload
    func request(builder: @escaping @Sendable (any HttpRequest) -> Void) async -> Result<any HttpResponse, any Error>

    /// Closes the client: running and later calls fail.
    func close()
}

extension HttpClientFactory {
    /// Creates a client with the settings of the factory.
    public func createClient() -> any HttpClient { createClient { _ in } }

    /// Creates a client with settings that a closure changes.
    ///
    /// ```swift
    /// let client = HttpClient.createClient { config in config.timeout = 30 }
    /// ```
    public func createClient(_ configure: (HttpClientConfig) -> Void) -> any HttpClient {
        let config = HttpClientConfig(configuration)
        configure(config)
        return SallyportClient(client: Sallyport.HttpClient(configuration: config.native))
    }
}

/// A client that sends its requests with a client of Sallyport.
private struct SallyportClient: HttpClient {
    let client: Sallyport.HttpClient

    func request() -> any HttpRequest { SallyportRequest(client.request()) }

    func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error> {
        guard let request = request as? SallyportRequest else {
            let reason = "the client cannot send a \(type(of: request)); create the request with client.request()"
            return .failure(NetworkError.invalidRequest(reason))
        }
        do throws(Sallyport.NetworkError) {
            return .success(SallyportResponse(try await client.request(request: request.native)))
        } catch {
            return .failure(NetworkError(error))
        }
    }

    func request(builder: @escaping @Sendable (any HttpRequest) -> Void) async -> Result<any HttpResponse, any Error> {
        let request = request()
        builder(request)
        return await self.request(request: request)
    }

    func close() { client.close() }
}
