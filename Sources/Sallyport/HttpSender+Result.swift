import SallyportTransport

extension HttpSender {
    /// Sends a request and gives its response or error as a `Result`, where the type of the result says so.
    ///
    /// ```swift
    /// let result: Result<HttpResponse, NetworkError> = await client.request(request: request)
    /// ```
    public func request(request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        do throws(NetworkError) {
            let response: HttpResponse = try await self.request(request: request)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Builds a request, sends it and gives its response or error as a `Result`, where the type of the result says so.
    ///
    /// ```swift
    /// let result: Result<HttpResponse, NetworkError> = await client.request { request in
    ///     request.url = "https://api.example.com/users"
    /// }
    /// ```
    public nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async -> Result<HttpResponse, NetworkError> {
        var request = request()
        builder(&request)
        return await self.request(request: request)
    }
}
