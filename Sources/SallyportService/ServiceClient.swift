import Foundation
import Sallyport
import SallyportTransport

/// Calls the endpoints of one API, and returns their typed responses.
///
/// Any number of tasks can use a service concurrently.
///
/// ```swift
/// let service = try ServiceClient(baseURL: "https://api.example.com/v1", client: client)
/// let users = try await service.call(SearchUsers(name: "Ada"))
/// ```
public struct ServiceClient: Sendable {
    /// The configuration of all calls.
    public let configuration: ServiceClientConfiguration

    /// The client that performs the calls, with its credentials, cookies, retries and interceptors.
    public let client: HttpClient

    let reader: EndpointResponseReader

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of all calls.
    ///   - client: The client that performs the calls; a new one by default.
    public init(_ configuration: ServiceClientConfiguration, client: HttpClient = .createClient()) {
        self.configuration = configuration
        self.client = client
        reader = EndpointResponseReader(configuration)
    }

    /// Creates a service with the default configuration.
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` with the problem of the URL.
    public init(baseURL: String, client: HttpClient = .createClient()) throws(NetworkServiceError) {
        self.init(try ServiceClientConfiguration(baseURL: baseURL), client: client)
    }

    /// Calls an endpoint, and returns its typed response.
    ///
    /// ```swift
    /// let user = try await service.call(CreateUser(user: draft))
    /// ```
    ///
    /// - Throws: ``NetworkServiceError``, with the server's message if it responded.
    @discardableResult
    public func call<E: Endpoint>(_ endpoint: E) async throws(NetworkServiceError) -> E.Response {
        let request = try request(for: endpoint)
        let response: HttpResponse
        do throws(NetworkError) {
            response = try await client.request(request: request)
        } catch {
            throw .wrapping(error)
        }
        return try read(response, as: endpoint)
    }

    /// Returns the request that calls an endpoint, to inspect it or to send it in another way.
    ///
    /// ```swift
    /// let transfer = client.upload(try service.request(for: AddPhoto(photo: file)))
    /// transfer.pause()
    /// ```
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` with the problem of the endpoint.
    public func request(for endpoint: some Endpoint) throws(NetworkServiceError) -> HttpRequest {
        try EndpointRequestBuilder(configuration).request(for: endpoint, startingWith: client.request())
    }

    /// Returns the typed response of an endpoint from an HTTP response to its request.
    ///
    /// Use it to read the headers of a response too:
    ///
    /// ```swift
    /// let response = try await client.request(request: try service.request(for: endpoint))
    /// let users = try service.read(response, as: endpoint)
    /// print(response.getHeader(name: "Link") ?? "")
    /// ```
    ///
    /// - Throws: ``NetworkServiceError`` if the response is not a success or does not match the endpoint.
    public func read<E: Endpoint>(
        _ response: HttpResponse,
        as endpoint: E
    ) throws(NetworkServiceError) -> E.Response {
        try reader.read(response, as: endpoint)
    }
}
