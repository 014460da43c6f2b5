import SallyportTransport

/// Asks the request interceptors and the middleware about a request that has an action.
struct ActionInterceptors: Interceptor {
    let registries: [RequestInterceptorRegistry]
    let middleware: [NamedMiddleware]

    init(_ configuration: HttpClientConfiguration) {
        let own = configuration.requestInterceptors
        registries = own === RequestInterceptorRegistry.shared ? [own] : [.shared, own]
        middleware = configuration.middleware
    }

    var traceName: String { "request interceptors" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let action = request.action else { return try await next(request) }
        return try await next(changed(request, for: action, trace: next.call.trace))
    }

    /// The request as all of them leave it. Which they are is decided once, at the start.
    func changed(
        _ original: HttpRequest,
        for action: Action,
        trace: TracedStage? = nil
    ) async throws(NetworkError) -> HttpRequest {
        var request = original
        for interceptor in registries.flatMap(\.interceptors) {
            let name = "\(type(of: interceptor))"
            do {
                request = try await interceptor.intercept(request: request, action: action)
            } catch {
                throw NetworkError(wrapping: error, reason: "the request interceptor \(name) failed")
            }
            request.keep(of: original)
            trace?.record(request, by: name)
        }
        if middleware.isEmpty { return request }
        try await NextMiddleware(middleware, action: action, trace: trace)(&request)
        request.keep(of: original)
        return request
    }
}

extension HttpRequest {
    /// Restores what a request that was made anew has lost although nobody meant to change it.
    fileprivate mutating func keep(of original: HttpRequest) {
        action = original.action
        if timeouts == nil { timeouts = original.timeouts }
        if retry == nil { retry = original.retry }
    }
}
