@_exported import PingNetworkCompatibility

extension HttpClient {
    /// Builds a request, sends it and returns its response.
    ///
    /// Code that was written for the throwing form of PingNetwork (seed 000) imports this module instead of `PingNetworkCompatibility`,
    /// which has the `Result` form (seed 004). Swift does not choose between two methods by the presence of `try`, so a module of an app
    /// has to use one of the forms throughout.
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
    /// - Throws: ``NetworkError``, or the error of a custom client.
    public func request(_ builder: @escaping @Sendable (any HttpRequest) -> Void) async throws -> any HttpResponse {
        try await request(builder: builder).get()
    }
}
