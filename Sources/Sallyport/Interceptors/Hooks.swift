/// An interceptor that runs a closure, which may change the request.
struct RequestHook: MessageInterceptor {
    var traceName = "onRequest"
    let change: @Sendable (inout HttpRequest) throws -> Void

    func willSend(_ request: inout HttpRequest) throws { try change(&request) }
}

extension RequestHook {
    /// Removes the credentials that were attached to the previous request of a redirect chain, before the authentication
    /// interceptors run for the next request.
    static let detachingSecrets = RequestHook(traceName: "authentication") { $0.detachSecrets() }
}

/// An interceptor that runs a closure, which may suspend and change the request.
struct AsyncRequestHook: Interceptor {
    let traceName: String
    let change: @Sendable (inout HttpRequest) async throws -> Void

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        try await change(&request)
        return try await next(request)
    }
}

/// An interceptor that runs closures in order, which may change the response.
struct ResponseHooks: Interceptor {
    let hooks: [@Sendable (inout HttpResponse) async throws -> Void]

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        for hook in hooks { try await hook(&response) }
        return response
    }
}
