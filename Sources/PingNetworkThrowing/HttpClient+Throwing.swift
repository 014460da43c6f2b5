@_exported import PingNetworkCompatibility

extension HttpClient {
    /// Builds a request, sends it and returns its response.
    ///
    /// Import this module instead of `PingNetworkCompatibility` in code whose calls throw; that module has the calls that return a
    /// `Result`. Swift does not choose between two methods by the presence of `try`, so use the same import in all files of a module.
    ///
    /// ```swift
    /// let response = try await client.request { request in
    ///     request.url = "https://api.example.com/users"
    ///     request.get()
    /// }
    /// ```
    ///
    /// - Parameter builder: A closure that configures the request.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``PingNetworkCompatibility/NetworkError``, or the error of a custom client.
    public func request(_ builder: @escaping @Sendable (any HttpRequest) -> Void) async throws -> any HttpResponse {
        try await request(builder: builder).get()
    }
}
