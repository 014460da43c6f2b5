import Foundation
import SallyportTransport

/// Calls the endpoints of one API, and gives their typed answers.
///
/// Make one and share it; it may be used from any number of tasks at once.
///
/// ```swift
/// let service = try NetworkService(baseURL: "https://api.example.com/v1")
/// let users = try await service.call(SearchUsers(name: "Ada"))
/// ```
public final class NetworkService: Sendable {
    /// What it was told for all its calls.
    public let configuration: NetworkServiceConfiguration

    /// The client that carries its calls, made of the given one by ``HttpClient/derived(_:)``. It ends with the service.
    public let client: HttpClient

    private let given: HttpClient?
    let reader: EndpointResponseReader
    private let headers = Locked<[(name: String, value: String)]>([])
    let calls = ServiceCalls()

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - configuration: What it is told for all its calls.
    ///   - client: The client that it stands on, with its connections, interceptors and credentials; one of the
    ///     service's own unless given.
    public init(_ configuration: NetworkServiceConfiguration, client: HttpClient? = nil) {
        self.configuration = configuration
        given = client
        reader = EndpointResponseReader(configuration)
        self.client =
            client.map { client in
                client.derived { config in
                    if configuration.sessionType == .ephemeral { config.cookieJar = CookieJar() }
                }
            } ?? HttpClient.createClient()
    }

    /// Makes a service with the defaults.
    ///
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` saying what is wrong with the URL.
    public convenience init(baseURL: String, client: HttpClient? = nil) throws(NetworkServiceError) {
        self.init(try NetworkServiceConfiguration(baseURL: baseURL), client: client)
    }

    /// Calls an endpoint, and gives its typed answer.
    ///
    /// ```swift
    /// let user = try await service.call(CreateUser(user: draft))
    /// ```
    ///
    /// - Throws: ``NetworkServiceError`` with what the server said, if it answered.
    @discardableResult
    public func call<E: Endpoint>(_ endpoint: E) async throws(NetworkServiceError) -> E.Response {
        try await answer(to: endpoint).value
    }

    /// Calls an endpoint, and gives its typed answer with the response that it was read from.
    ///
    /// - Throws: ``NetworkServiceError`` with what the server said, if it answered.
    public func answer<E: Endpoint>(
        to endpoint: E
    ) async throws(NetworkServiceError) -> ServiceAnswer<E.Response> {
        try await calls.run { await self.result(of: endpoint) }.get()
    }

    /// The request that calls an endpoint, to be looked at or sent by other means.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` saying what is wrong with the endpoint.
    public func request(for endpoint: some Endpoint) throws(NetworkServiceError) -> HttpRequest {
        try EndpointRequestBuilder(configuration, headers: headers.withLock { $0 }).request(for: endpoint)
    }

    /// Sets a header of all later requests, in place of the configuration's of that name and of one set here before.
    public func addRequestHeader(key: String, value: String) {
        let name = key.lowercased()
        headers.withLock { headers in
            headers.removeAll { $0.name.lowercased() == name }
            headers.append((key, value))
        }
    }

    /// Cancels the calls that are under way, in whichever form they were made. Later ones are not affected.
    public func cancelCurrentRequest() {
        calls.cancelAll()
    }

    /// Ends this service: what is under way is cancelled, and later calls fail.
    ///
    /// A client that was given goes on, and so do its connections and other services that stand on it.
    public func invalidate() {
        calls.cancelAll()
        client.close()
    }

    /// Ends this service, the client that it was given, and so every other service that stands on that one.
    public func invalidateAll() {
        invalidate()
        given?.close()
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
    /// Calls an endpoint, and gives its typed answer or the error to a closure.
    ///
    /// The closure is called once, whatever happens, on no particular thread. The call keeps the service until then;
    /// ``cancelCurrentRequest()`` and ``invalidate()`` cancel it.
    ///
    /// ```swift
    /// service.call(SearchUsers(name: "Ada")) { result in
    ///     Task { @MainActor in show(result) }
    /// }
    /// ```
    ///
    /// - Returns: The call's task, to cancel it alone.
    @discardableResult
    public func call<E: Endpoint>(
        _ endpoint: E,
        completion: @escaping @Sendable (Result<E.Response, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        calls.start { completion(await self.result(of: endpoint).map(\.value)) }
    }
}

/// A typed answer with the response that it was read from, for its headers and its status.
public struct ServiceAnswer<Value: Sendable>: Sendable {
    /// The typed answer.
    public var value: Value

    /// The response, with its body.
    public var response: HttpResponse

    /// Makes an answer.
    public init(value: Value, response: HttpResponse) {
        self.value = value
        self.response = response
    }
}
