import Foundation
import Sallyport
import SallyportTransfers
import SallyportStorage
import SallyportTransport

/// Calls the endpoints of one API, and returns their typed responses.
///
/// Create one instance and share it. Any number of tasks can use it concurrently.
///
/// ```swift
/// let service = try NetworkService(baseURL: "https://api.example.com/v1")
/// let users = try await service.call(SearchUsers(name: "Ada"))
/// ```
public final class NetworkService: Sendable {
    /// The configuration of all calls.
    public let configuration: NetworkServiceConfiguration

    /// The client that performs the calls. It is derived from the client that was passed to the initializer, if any; see
    /// ``HttpClient/derived(_:)``. It closes with the service.
    public let client: HttpClient

    private let parent: HttpClient?
    let reader: EndpointResponseReader
    private let headers = Locked<[(name: String, value: String)]>([])
    let calls = ServiceCalls()
    let sessions: BackgroundSessions

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of all calls.
    ///   - client: The client whose connections, interceptors and credentials the service uses, which may be a client
    ///     of the app; by default the service has its own.
    public convenience init(_ configuration: NetworkServiceConfiguration, client: HttpClient? = nil) {
        self.init(configuration, client: client, sessions: BackgroundSessions())
    }

    /// - Parameter sessions: The background sessions, which services with the same transfers share.
    package init(
        _ configuration: NetworkServiceConfiguration,
        client: HttpClient?,
        sessions: BackgroundSessions
    ) {
        self.configuration = configuration
        self.sessions = sessions
        parent = client
        reader = EndpointResponseReader(configuration)
        let configure: (inout HttpClientConfiguration) -> Void = { config in
            if configuration.sessionType == .ephemeral { config.cookieJar = CookieJar() }
            if let redirects = configuration.redirects { config.redirects = redirects }
        }
        self.client = parent.map { $0.derived(configure) } ?? HttpClient.createClient(configure)
    }

    /// Creates a service with the default configuration.
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` with the problem of the URL.
    public convenience init(
        baseURL: String,
        client: HttpClient? = nil
    ) throws(NetworkServiceError) {
        self.init(try NetworkServiceConfiguration(baseURL: baseURL), client: client)
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
        try await answer(to: endpoint).value
    }

    /// Calls an endpoint, and returns its typed response together with the HTTP response.
    ///
    /// - Throws: ``NetworkServiceError``, with the server's message if it responded.
    public func answer<E: Endpoint>(
        to endpoint: E
    ) async throws(NetworkServiceError) -> ServiceAnswer<E.Response> {
        try await calls.run { await self.result(of: endpoint) }.get()
    }

    /// Returns the request that calls an endpoint, to be inspected or sent by other means.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` with the problem of the endpoint.
    public func request(for endpoint: some Endpoint) throws(NetworkServiceError) -> HttpRequest {
        let builder = EndpointRequestBuilder(configuration, headers: headers.withLock { $0 })
        return try builder.request(for: endpoint, startingWith: client.request())
    }

    /// Sets a header of all later requests. It replaces a header with that name in the configuration or from an earlier call.
    public func addRequestHeader(key: String, value: String) {
        let name = key.lowercased()
        headers.withLock { headers in
            headers.removeAll { $0.name.lowercased() == name }
            headers.append((key, value))
        }
    }

    /// Cancels all calls in progress. Later calls are not affected.
    public func cancelCurrentRequest() {
        calls.cancelAll()
    }

    /// Closes this service: calls in progress are cancelled, and later calls fail.
    ///
    /// A client that was passed to the initializer stays open, and so do its connections and other services that use
    /// it.
    public func invalidate() {
        calls.cancelAll()
        client.close()
    }

    /// Closes this service and the client that was passed to the initializer, and therefore every other service that
    /// uses that client.
    public func invalidateAll() {
        invalidate()
        parent?.close()
    }

    func result<E: Endpoint>(of endpoint: E) async -> Result<ServiceAnswer<E.Response>, NetworkServiceError> {
        do throws(NetworkServiceError) {
            let response = try await response(to: try request(for: endpoint))
            return .success(ServiceAnswer(value: try reader.read(response, as: endpoint), response: response))
        } catch {
            return .failure(error)
        }
    }

    private func response(to request: HttpRequest) async throws(NetworkServiceError) -> HttpResponse {
        do throws(NetworkError) {
            return try await client.request(request: request)
        } catch {
            throw .wrapping(error)
        }
    }
}

extension NetworkService {
    /// Calls an endpoint, and passes its typed response or the error to a closure.
    ///
    /// The closure is called exactly once, on the main actor, so that it can use the properties of a view or a view model. The call
    /// retains the service until then. Cancel it with ``cancelCurrentRequest()`` or ``invalidate()``.
    ///
    /// ```swift
    /// @MainActor final class UserList {
    ///     private(set) var users: [User] = []
    ///
    ///     func load(from service: NetworkService) {
    ///         service.call(SearchUsers(name: "Ada")) { result in self.users = (try? result.get()) ?? [] }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - completion: The closure.
    /// - Returns: The task of the call, with which it can be cancelled.
    @discardableResult
    public func call<E: Endpoint>(
        _ endpoint: E,
        completion: @escaping @MainActor (Result<E.Response, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        calls.start { await completion(self.result(of: endpoint).map(\.value)) }
    }
}

/// A typed response together with the HTTP response that it was decoded from.
public struct ServiceAnswer<Value: Sendable>: Sendable {
    /// The typed response.
    public var value: Value

    /// The HTTP response with its body.
    public var response: HttpResponse

    /// Creates a value from its parts.
    public init(value: Value, response: HttpResponse) {
        self.value = value
        self.response = response
    }
}
