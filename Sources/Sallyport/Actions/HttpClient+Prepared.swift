import SallyportTransport

extension HttpClient {
    /// A request that a browser will send, as the request interceptors and the middleware change it.
    ///
    /// Only its query can be changed. Headers, cookies, method and body, which the browser sets, are left as they were;
    /// the app's interceptors are not asked, as nothing is sent here.
    ///
    /// - Parameter request: The request, with its action.
    /// - Returns: The same request with its whole URL, its parameters included.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if one of them leads the browser to another place; what one of them
    ///   throws.
    package func prepared(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
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
            if destination.place != target.place { throw elsewhere(from: target, to: destination) }
            prepared.url = destination.url
            return prepared
        } catch {
            throw error.naming(request.description)
        }
    }

    private func elsewhere(from target: RequestTarget, to destination: RequestTarget) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "a request interceptor changed where a browser is sent, from \(Redaction.shortUrl(target.place)) to "
                    + Redaction.shortUrl(destination.place),
                advice: "it can change only the query of this request; change the address in the configuration"
            )
        )
    }
}

extension RequestTarget {
    /// The URL without its query.
    var place: String { origin + path.prefix { $0 != "?" } }
}
