import SallyportTransport

extension NetworkError {
    /// The error with the request that it is about, unless it names one already.
    func naming(_ request: HttpRequest) -> NetworkError {
        if failure.request != nil { return self }
        var named = self
        named.failure.request = request.description
        return named
    }
}
