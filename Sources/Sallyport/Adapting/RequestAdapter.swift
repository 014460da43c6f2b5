/// A type that changes each request before it is sent, so that a retried or redirected request can carry a new token.
///
/// It runs after the app's interceptors, once for each attempt and again for the target of each redirect. Its changes apply to one
/// request only: the next attempt or redirect is adapted without them.
///
/// The credentials of the first origin are never sent to another one. If redirects have led a request to another origin, only the
/// headers of the adapter's result are used, and of these no secrets: `Authorization`, cookies, headers that were set as sensitive, and
/// others whose names or values indicate a secret. URL, method and body are those of the redirect. An adapter that has credentials for
/// several origins attaches them with ``HttpRequest/attach(authorization:)`` or ``HttpRequest/attach(header:value:)``, after it has
/// checked that they are meant for the request, for example with an ``OriginSet``. Attached headers are used for every origin.
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
        if let firstOrigin = request.firstOrigin {
            let origin = try request.origin()
            if origin != firstOrigin { adapted = request.withHeaders(of: adapted, for: origin) }
        }
        adapted.restore(from: request)
        return try await next(adapted)
    }
}

extension HttpRequest {
    /// Returns the request with the headers of an adapted copy that may be sent to an origin other than the first one.
    fileprivate func withHeaders(of adapted: HttpRequest, for origin: String) -> HttpRequest {
        var adapted = adapted
        adapted.removeSecrets(exceptAttachedTo: origin)
        var request = self
        // Headers such as Content-Type belong to the body, which the adapter does not change.
        request.fields = fields.filter(\.describesBody) + adapted.fields.filter { !$0.describesBody }
        request.boundHeaders = adapted.boundHeaders
        for problem in adapted.problems { request.recordProblem(problem) }
        return request
    }
}
