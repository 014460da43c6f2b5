import SallyportTransport

/// Applies the request interceptors and the middleware to a request that has an action.
struct ActionInterceptors: Interceptor {
    private let registry: RequestInterceptorRegistry
    private let middleware: [NamedMiddleware]

    init(_ configuration: HttpClientConfiguration) {
        registry = configuration.requestInterceptors
        middleware = configuration.middleware
    }

    var traceName: String { "request interceptors" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let action = request.action else { return try await next(request) }
        return try await next(changed(request, for: action, trace: next.call.trace))
    }

    /// Returns the request as changed by all interceptors that are registered at the start of the call, and by the middleware.
    func changed(
        _ original: HttpRequest,
        for action: Action,
        trace: TracedStage? = nil
    ) async throws(NetworkError) -> HttpRequest {
        var request = original
        for interceptor in interceptors(for: original) {
            let name = "\(type(of: interceptor))"
            do {
                request = try await interceptor.intercept(request: request, action: action)
            } catch {
                throw NetworkError(wrapping: error, reason: "the request interceptor \(name) failed")
            }
            request.restore(from: original)
            trace?.record(request, by: name)
        }
        if middleware.isEmpty { return request }
        try await NextMiddleware(middleware, action: action, trace: trace)(&request)
        request.restore(from: original)
        return request
    }

    /// Returns the cookies of a request as changed by all interceptors that are registered now.
    func changed(
        _ original: [Cookie],
        of request: HttpRequest,
        for action: Action
    ) async throws(NetworkError) -> [Cookie] {
        var cookies = original
        for interceptor in interceptors(for: request) {
            do {
                cookies = try await interceptor.intercept(cookies: cookies, action: action)
            } catch {
                throw NetworkError(
                    wrapping: error,
                    reason: "the request interceptor \(type(of: interceptor)) failed with the cookies"
                )
            }
        }
        return cookies
    }

    /// Returns the interceptors for a request. Those of the shared registry run once, even if a client of the app sends the request
    /// with another client.
    private func interceptors(for request: HttpRequest) -> [any RequestInterceptor] {
        let shared = RequestInterceptorRegistry.shared
        let own = registry === shared ? [] : registry.interceptors
        return request.hasPassedClient ? own : shared.interceptors + own
    }
}

extension HttpRequest {
    /// Restores the settings of the original request that an interceptor or adapter lost by creating a new request.
    mutating func restore(from original: HttpRequest) {
        if action != original.action { action = original.action }
        if original.requiresSecureTransport { requiresSecureTransport = true }
        if original.carriesOwnCredentials { carriesOwnCredentials = true }
        for header in original.boundHeaders
        where !boundHeaders.contains(where: { $0.name == header.name })
            && fields[header.name] == original.fields[header.name]
        {
            boundHeaders.append(header)
            // The original fields are marked as sensitive.
            fields[fields: header.name] = original.fields[fields: header.name]
        }
        firstOrigin = original.firstOrigin
        hasPassedClient = original.hasPassedClient
        if timeouts == nil { timeouts = original.timeouts }
        if retry == nil { retry = original.retry }
    }
}
