/// Changes each request as it is sent: once for each attempt, so that a new token reaches a request that is retried.
///
/// It comes after the app's interceptors and before redirects: a redirect to the same origin keeps what it set, one to
/// another leaves its secrets behind.
///
/// ```swift
/// struct TokenAdapter: RequestAdapter {
///     let tokens: TokenKeeper
///     func adapt(_ request: HttpRequest) async throws -> HttpRequest {
///         var request = request
///         if let token = await tokens.current { request.setHeader(name: "Authorization", value: "Bearer \(token)") }
///         return request
///     }
/// }
/// config.adapter = TokenAdapter(tokens: tokens)
/// ```
public protocol RequestAdapter: Sendable {
    /// The request to send in place of another.
    ///
    /// - Parameter request: The request, as the interceptors have left it.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkError``, or anything else, which reaches the caller as ``NetworkError/networkError(_:)``.
    func adapt(_ request: HttpRequest) async throws -> HttpRequest
}

/// Sends what an adapter makes of each request.
struct AdapterInterceptor: Interceptor {
    let adapter: any RequestAdapter

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await next(adapter.adapt(request))
    }
}
