import SallyportTransport

/// One operation of an API, declared as a small type: what is sent, and what comes back.
///
/// Only ``path`` has to be there.
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
    /// What comes back: JSON, unless it is `Data`, `String` or ``NoContent``. A ``BaseResponse`` is the whole envelope.
    associatedtype Response: Decodable & Sendable = NoContent

    /// Where it is, below the service's base URL.
    var path: EndpointPath { get }

    /// GET unless set, or POST if there is a body.
    var method: HttpMethod { get }

    /// What stands in the query, but for what ``path`` takes of it; nothing unless set.
    var parameters: EndpointParameters { get }

    /// What is sent after the head; nothing unless set.
    var body: EndpointBody { get }

    /// Whether what comes back stands in an envelope; `nil` as the service is configured.
    var answerFormat: AnswerFormat? { get }

    /// Which answers are successes; `nil` as the service is configured.
    var validation: ResponseValidation? { get }

    /// Changes what else there is to change of the request, such as a header or its timeout.
    func prepare(_ request: inout HttpRequest)
}

extension Endpoint {
    /// GET, or POST if there is a body.
    public var method: HttpMethod { body.isNone ? .get : .post }

    /// Nothing.
    public var parameters: EndpointParameters { .none }

    /// Nothing.
    public var body: EndpointBody { .none }

    /// As the service is configured.
    public var answerFormat: AnswerFormat? { nil }

    /// As the service is configured.
    public var validation: ResponseValidation? { nil }

    /// Changes nothing.
    public func prepare(_ request: inout HttpRequest) {}
}

/// What comes back from an endpoint of which only success counts. A body, if there is one, is not looked at.
public struct NoContent: Decodable, Sendable, Hashable {
    /// Makes one.
    public init() {}

    /// Reads nothing.
    public init(from decoder: any Decoder) {}
}
