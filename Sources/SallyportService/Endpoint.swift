import Sallyport
import SallyportTransport

/// An operation of an API, declared as a small type that describes its request and its response.
///
/// Only ``path`` is required.
///
/// ```swift
/// struct SearchUsers: Endpoint {
///     typealias Response = [User]
///     var name: String
///     var page = 1
///     var path: EndpointPath { "/users" }
///     var parameters: EndpointParameters { ["name": name, "page": page] }
/// }
///
/// struct CreateUser: Endpoint {
///     typealias Response = User
///     var user: NewUser
///     var path: EndpointPath { "/users" }
///     var body: EndpointBody { .json(user) }
/// }
///
/// struct DeleteUser: Endpoint {
///     var id: Int
///     var path: EndpointPath { "/users/\(id)" }
///     var method: HttpMethod { .delete }
/// }
///
/// let users = try await service.call(SearchUsers(name: "Ada"))
/// let user = try await service.call(CreateUser(user: draft))
/// try await service.call(DeleteUser(id: user.id))
/// ```
public protocol Endpoint: Sendable {
    /// The type of the response. It is decoded from JSON, unless it is `Data`, `String` or ``NoContent``.
    associatedtype Response: Decodable & Sendable = NoContent

    /// The path below the service's base URL.
    var path: EndpointPath { get }

    /// The method; by default GET, or POST if there is a body.
    var method: HttpMethod { get }

    /// The parameters: values for the names in ``path``, and the query parameters; none by default.
    var parameters: EndpointParameters { get }

    /// The body of the request; none by default.
    var body: EndpointBody { get }

    /// The format of the response; by default the one in the service's configuration.
    var responseFormat: ResponseFormat? { get }

    /// The criteria for a successful response; by default the ones in the service's configuration.
    var validation: ResponseValidation? { get }

    /// Modifies the request, for example its headers or timeout.
    func prepare(_ request: inout HttpRequest)
}

extension Endpoint {
    /// GET, or POST if there is a body.
    public var method: HttpMethod { body.isNone ? .get : .post }

    /// No parameters.
    public var parameters: EndpointParameters { .none }

    /// No body.
    public var body: EndpointBody { .none }

    /// The format in the service's configuration.
    public var responseFormat: ResponseFormat? { nil }

    /// The criteria in the service's configuration.
    public var validation: ResponseValidation? { nil }

    /// Does nothing.
    public func prepare(_ request: inout HttpRequest) {}
}

/// The response of an endpoint without a result. A body is ignored.
public struct NoContent: Decodable, Sendable, Hashable {
    /// Creates an instance.
    public init() {}

    /// Creates an instance without decoding anything.
    public init(from decoder: any Decoder) {}
}
