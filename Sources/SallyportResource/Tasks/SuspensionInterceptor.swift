import Sallyport

/// Delays the request of a ``NetworkTask`` that is suspended, before each attempt.
///
/// Requests of the SDK itself, such as the refresh of a token that other calls wait for, are not delayed.
struct SuspensionInterceptor: Interceptor {
    var traceName: String { "suspension" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        if let task = NetworkTask.current, request.action == nil, task.state == .suspended {
            try await next.pausingTimeout { try await task.waitWhileSuspended() }
        }
        return try await next(request)
    }
}
