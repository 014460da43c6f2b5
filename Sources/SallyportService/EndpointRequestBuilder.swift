import Foundation
import Sallyport
import SallyportTransport

/// Creates the requests of endpoints.
struct EndpointRequestBuilder {
    private let configuration: ServiceClientConfiguration

    init(_ configuration: ServiceClientConfiguration) {
        self.configuration = configuration
    }

    /// Returns the request for an endpoint.
    ///
    /// - Parameter template: A new request of the client, with its default values.
    /// - Throws: ``NetworkServiceError/invalidEndpoint(_:)`` for the first problem.
    func request<E: Endpoint>(
        for endpoint: E,
        startingWith template: HttpRequest
    ) throws(NetworkServiceError) -> HttpRequest {
        var request = template
        let path: ResolvedPath
        do {
            let parameters = try endpoint.parameters.pairs(by: configuration.queryEncoder)
            path = try ResolvedPath(endpoint.path, parameters: parameters)
        } catch let error as InvalidPath {
            throw invalid(
                endpoint,
                "the path \"\(VisibleText.line("\(endpoint.path)"))\" cannot be called: \(error.reason)"
            )
        } catch {
            throw invalid(endpoint, "the parameters cannot be encoded at \(ParameterEncodingProblem(error))")
        }
        request.url = configuration.url(of: path)
        request.urlTemplate = configuration.template(of: endpoint.path)
        for parameter in path.parameters { request.addParameter(name: parameter.name, value: parameter.value) }
        request.timeout = configuration.timeout
        if readsJson(E.Response.self) {
            request.setHeader(name: NetworkConstants.headerAccept, value: NetworkConstants.contentTypeJSON)
        }
        for (name, value) in configuration.headers.sorted(by: { $0.key < $1.key }) {
            request.setHeader(name: name, value: value)
        }
        endpoint.body.write(to: &request, configuration)
        request.setMethod(endpoint.method)
        endpoint.prepare(&request)
        if let problem = request.problems.first { throw invalid(endpoint, problem.description) }
        return request
    }

    private func readsJson(_ type: Any.Type) -> Bool {
        !(type is NoContent.Type || type is Data.Type || type is String.Type)
    }

    private func invalid(_ endpoint: some Endpoint, _ reason: String) -> NetworkServiceError {
        .invalidEndpoint(NetworkServiceErrorInfo("\(type(of: endpoint)): \(reason)"))
    }
}
