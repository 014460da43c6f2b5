/// An interceptor of a closure that changes the request.
struct RequestHook: Interceptor {
    var traceName = "onRequest"
    let change: @Sendable (inout HttpRequest) async throws -> Void

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        try await change(&request)
        return try await next(request)
    }
}

extension RequestHook {
    /// Takes away the credentials of an earlier hop, before those of the present one are attached.
    static let detachingAuthorization = RequestHook(traceName: "authentication") { $0.detachAuthorization() }
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
