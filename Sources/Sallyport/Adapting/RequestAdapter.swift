/// A type that changes each request once per attempt, so that a retried request can carry a new token.
///
/// It runs after the app's interceptors and before redirects are followed: a redirect to the same origin keeps the headers that it
/// set, a redirect to another origin drops the secret ones.
///
/// ```swift
/// struct TokenAdapter: RequestAdapter {
///     let tokens: TokenProvider
///     func adapt(_ request: HttpRequest) async throws -> HttpRequest {
///         var request = request
///         if let token = await tokens.current { request.setHeader(name: "Authorization", value: "Bearer \(token)") }
///         return request
///     }
/// }
/// config.adapter = TokenAdapter(tokens: tokens)
/// ```
public protocol RequestAdapter: Sendable {
    /// Returns the request to send.
    ///
    /// - Parameter request: The request, as changed by the interceptors.
    /// - Returns: The request to send, which may be a new one. The settings that a ``RequestInterceptor`` cannot remove are preserved.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func adapt(_ request: HttpRequest) async throws -> HttpRequest
}

/// Sends each request as changed by an adapter.
struct AdapterInterceptor: Interceptor {
    let adapter: any RequestAdapter

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var adapted = try await adapter.adapt(request)
        adapted.restore(from: request)
        return try await next(adapted)
    }
}
