import SallyportTransport

extension HttpClient {
    /// Applies the request interceptors and the middleware to a request that a browser will send.
    ///
    /// They can change only its query. Changes to headers, cookies, method and body, which the browser sets, are discarded. The
    /// app's interceptors do not run, because nothing is sent.
    ///
    /// - Parameter request: The request, with its action.
    /// - Returns: The request with the changed query. Its URL contains all parameters.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL without its query was changed; the error of an interceptor.
    package func prepareForBrowser(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        do throws(NetworkError) {
            try check(request)
            let target = try RequestTarget(url: request.url, parameters: request.parameters)
            var prepared = request
            prepared.url = target.url
            prepared.parameters = []
            guard let action = request.action else { return prepared }
            let changed = try await ActionInterceptors(configuration).changed(request, for: action)
            if let problem = changed.problems.first { throw .invalidRequest(problem) }
            let destination = try RequestTarget(url: changed.url, parameters: changed.parameters)
            if destination.urlWithoutQuery != target.urlWithoutQuery {
                throw changedDestination(from: target, to: destination)
            }
            prepared.url = destination.url
            return prepared
        } catch {
            throw error.naming(request.description)
        }
    }

    private func changedDestination(from target: RequestTarget, to destination: RequestTarget) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "a request interceptor changed the URL that a browser opens, from "
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
