import SallyportTransport

extension HttpClient {
    /// Passes a request that a browser will send through the client's interceptors of calls.
    ///
    /// They can change only its query. The browser sets headers, cookies, method and body, so changes to them are discarded.
    /// The interceptors receive no response.
    ///
    /// - Parameter request: The request, with its action.
    /// - Returns: The request with the changed query. Its URL contains all parameters.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL without its query was changed, or if an interceptor answered the request
    ///   itself; the error of an interceptor.
    package func prepareForBrowser(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        do throws(NetworkError) {
            let target = try RequestTarget(url: request.url, parameters: request.parameters)
            let changed = try await intercepted(request)
            if let problem = changed.problems.first { throw .invalidRequest(problem) }
            let destination = try RequestTarget(url: changed.url, parameters: changed.parameters)
            if destination.urlWithoutQuery != target.urlWithoutQuery {
                throw changedDestination(from: target, to: destination)
            }
            var prepared = request
            prepared.url = destination.url
            prepared.parameters = []
            return prepared
        } catch {
            throw error.naming(request.description)
        }
    }

    private func changedDestination(from target: RequestTarget, to destination: RequestTarget) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "an interceptor changed the URL that a browser opens, from "
                    + "\(Redaction.shortUrl(target.urlWithoutQuery)) to \(Redaction.shortUrl(destination.urlWithoutQuery))",
                advice: "it can change only the query of this request; change the URL in the configuration"
            )
        )
    }
}

extension RequestTarget {
    /// The URL without its query.
    var urlWithoutQuery: String { origin + path.prefix { $0 != "?" } }
}
