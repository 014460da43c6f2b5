import Foundation
import Sallyport
import SallyportService

/// A request to a path below the base URL.
struct PathEndpoint<Response: Decodable & Sendable>: Endpoint {
    let path: EndpointPath
    let method: HttpMethod
    let body: EndpointBody
    let parameters: EndpointParameters
    private let query: String?

    /// Creates a request.
    ///
    /// - Parameter path: The path, possibly with a query, which precedes the parameters.
    init(
        _ path: String,
        method: HttpMethod = .get,
        parameters: EndpointParameters = .none,
        body: EndpointBody = .none
    ) {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.path = EndpointPath(parts.first.map(String.init) ?? "")
        query = parts.count == 2 ? String(parts[1]) : nil
        self.method = method
        self.parameters = parameters
        self.body = body
    }

    func prepare(_ request: inout HttpRequest) {
        // The path may contain values, such as identifiers, so it is not a template.
        request.urlTemplate = nil
        if let query { request.url?.append("?\(query)") }
    }
}

extension PathEndpoint<NoContent> {
    /// Creates the request of a file.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` if the query of the path contains a fragment or a name in braces.
    init(file path: String) throws(NetworkServiceError) {
        self.init(path)
        guard query?.contains(where: { "#{}".contains($0) }) == true else { return }
        let reason = "the query of the path \"\(path)\" contains #, { or }"
        throw .invalidEndpoint(NetworkServiceErrorInfo(reason, advice: "percent-encode them"))
    }
}

extension PathEndpoint<Envelope> {
    /// Creates the request that a ``NetworkServiceDelegate`` declares, with the parameters of one call.
    ///
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` if a parameter is not JSON.
    init<T: NetworkServiceDelegate>(
        _ delegate: T.Type,
        parameters: [String: Any]?
    ) throws(NetworkServiceError) {
        let values = try parameters.map { parameters throws(NetworkServiceError) in try Self.json(parameters, T.self) }
        switch T.method {
        case .get: self.init(T.path, method: .get, parameters: .encoding(values ?? [:]))
        case .post: self.init(T.path, method: .post, body: values.map { .json($0) } ?? .none)
        }
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
