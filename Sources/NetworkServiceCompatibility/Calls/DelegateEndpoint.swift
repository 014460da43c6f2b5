import Foundation
import Sallyport
import SallyportService

/// The request that a ``NetworkServiceDelegate`` declares, with the parameters of one call.
struct DelegateEndpoint: Endpoint {
    typealias Response = Envelope

    let path: EndpointPath
    let method: HttpMethod
    private let query: String?
    private let values: [String: JsonValue]?

    /// Creates a request.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` if a parameter is not JSON.
    init<T: NetworkServiceDelegate>(
        _ delegate: T.Type,
        parameters: [String: Any]?
    ) throws(NetworkServiceError) {
        (path, query) = EndpointPath(T.path).splitAtQuery()
        method = T.method.native
        values = try parameters.map { parameters throws(NetworkServiceError) in try Self.json(parameters, T.self) }
    }

    var parameters: EndpointParameters { sendsQuery ? .encoding(values ?? [:]) : .none }

    var body: EndpointBody {
        guard !sendsQuery, let values else { return .none }
        return .json(values)
    }

    private var sendsQuery: Bool { method == .get }

    func prepare(_ request: inout HttpRequest) {
        // The path may contain values, such as identifiers, so it is not a template.
        request.urlTemplate = nil
        if let query { request.url?.append("?\(query)") }
    }

    private static func json(
        _ parameters: [String: Any],
        _ delegate: Any.Type
    ) throws(NetworkServiceError) -> [String: JsonValue] {
        var request = HttpRequest()
        request.post(json: parameters)
        guard case .data(let body) = request.body,
            let values = try? JSONDecoder().decode([String: JsonValue].self, from: body)
        else {
            let problem = request.problems.first?.description ?? "the parameters are not JSON"
            throw .invalidEndpoint(NetworkServiceErrorInfo("\(delegate): \(problem)"))
        }
        return values
    }
}
