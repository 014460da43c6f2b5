import ClientTestSupport
import Foundation
import Sallyport
import SallyportService
import SallyportTesting

struct User: Codable, Sendable, Equatable {
    var id: Int
    var name: String
}

struct SearchUsers: Endpoint {
    typealias Response = [User]
    var name: String?
    var page = 1
    var path: EndpointPath { "/users" }
    var parameters: EndpointParameters { ["name": name, "page": page] }
}

struct CreateUser: Endpoint {
    typealias Response = User
    var user: User
    var path: EndpointPath { "/users" }
    var body: EndpointBody { .json(user) }
}

struct DeleteUser: Endpoint {
    var id: Int
    var path: EndpointPath { "/users/\(id)" }
    var method: HttpMethod { .delete }
}

/// An endpoint with any path, of which only the request is checked.
struct PathOnly: Endpoint {
    var path: EndpointPath
    var parameters = EndpointParameters.none
}

/// An endpoint with any response type.
struct Get<Response: Decodable & Sendable>: Endpoint {
    var path: EndpointPath = "/thing"
    var responseFormat: ResponseFormat?
    var validation: ResponseValidation?

    init(
        _ type: Response.Type = Response.self,
        _ responseFormat: ResponseFormat? = nil,
        path: EndpointPath = "/thing",
        validation: ResponseValidation? = nil
    ) {
        self.path = path
        self.responseFormat = responseFormat
        self.validation = validation
    }
}

/// Returns a service with a mock transport.
func service(
    _ server: MockTransport,
    baseURL: String = "https://api.example.com/v1",
    _ configure: (inout ServiceClientConfiguration) -> Void = { _ in }
) throws -> ServiceClient {
    var configuration = try ServiceClientConfiguration(baseURL: baseURL)
    configure(&configuration)
    return ServiceClient(configuration, client: makeClient(server).client)
}

/// Returns a service with a mock that responds to every call in the same manner.
func service(
    _ response: MockResponse = .status(204),
    _ configure: (inout ServiceClientConfiguration) -> Void = { _ in }
) throws -> (service: ServiceClient, server: MockTransport) {
    let server = MockTransport { _ in response }
    return (try service(server, configure), server)
}

/// Returns the error that a call throws.
func failure<E: Endpoint>(of endpoint: E, by service: ServiceClient) async -> NetworkServiceError? {
    do throws(NetworkServiceError) {
        try await service.call(endpoint)
        return nil
    } catch {
        return error
    }
}
