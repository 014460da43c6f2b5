/// A type that changes each request before it is sent, so that a retried or redirected request can carry a new token.
///
/// It runs after the app's interceptors, once for each attempt and again for the target of each redirect. Its changes apply to one
/// request only: the next attempt or redirect is adapted without them.
///
/// If redirects have led a request to another origin, only the headers of the adapter's result are used, and of these no secrets:
/// `Authorization`, cookies, headers that were attached or set as sensitive, and others whose names or values indicate a secret. URL,
/// method and body are those of the redirect. Credentials for other origins belong in ``HttpClientConfiguration/authentication``.
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
    /// - Parameter request: The request, as changed by the interceptors and by redirects.
    /// - Returns: The request to send, which may be a new one. The settings that a ``RequestInterceptor`` cannot remove are preserved.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func adapt(_ request: HttpRequest) async throws -> HttpRequest
}

/// Sends each request as changed by an adapter.
struct AdapterInterceptor: Interceptor {
    let adapter: any RequestAdapter

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var adapted = try await adapter.adapt(request)
        if let firstOrigin = request.firstOrigin, try request.origin() != firstOrigin {
            adapted = request.withHeaders(of: adapted)
        }
        adapted.restore(from: request)
        return try await next(adapted)
    }
}

extension HttpRequest {
    /// Returns the request with the headers of an adapted copy that may be sent to an origin other than the first one.
    fileprivate func withHeaders(of adapted: HttpRequest) -> HttpRequest {
        var adapted = adapted
        adapted.detachSecrets()
        adapted.removeSecrets()
        var request = self
        // Headers such as Content-Type belong to the body, which the adapter does not change.
        request.fields = fields.filter(\.describesBody) + adapted.fields.filter { !$0.describesBody }
        request.boundHeaders = []
        if adapted.requiresSecureTransport { request.requiresSecureTransport = true }
        for problem in adapted.problems { request.recordProblem(problem) }
        return request
    }
}
