/// An interceptor of a closure that changes the request.
struct RequestHook: Interceptor {
    let change: @Sendable (inout HttpRequest) async throws -> Void

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        try await change(&request)
        return try await next(request)
    }
}

/// An interceptor of closures that see the response, in order.
struct ResponseHooks: Interceptor {
    let hooks: [@Sendable (inout HttpResponse) async throws -> Void]

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        for hook in hooks { try await hook(&response) }
        return response
    }
}
