import Sallyport
import SallyportStorage

/// An interceptor that changes the requests with an action.
public protocol ActionInterceptor: Interceptor {
    /// Returns the request to send.
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest
}

extension ActionInterceptor {
    /// Passes on the request that the interceptor returns.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let action = request.action else { return try await next(request) }
        return try await next(intercept(request: request, action: action))
    }
}

/// Interceptors of requests with an action, which a test can replace while a client exists.
public final class ActionInterceptors: ActionInterceptor {
    private let interceptors = Locked<[any ActionInterceptor]>([])

    /// Creates a list without interceptors.
    public init() {}

    /// Replaces the interceptors.
    public func register(_ interceptors: any ActionInterceptor...) {
        self.interceptors.withLock { $0 = interceptors }
    }

    /// Returns the request as all interceptors change it.
    public func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        var request = request
        for interceptor in interceptors.withLock({ $0 }) {
            request = try await interceptor.intercept(request: request, action: action)
        }
        return request
    }
}
