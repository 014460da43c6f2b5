/// A closure that changes the requests that the SDK sends itself, and calls the next middleware, in the form of the Ping SDK for
/// JavaScript. As a `Request` is a value, it is passed to `next`, which returns the changes of the later middleware in it.
///
/// ```swift
/// let forceAuthMiddleware: RequestMiddleware = { request, action, next in
///     if action.type == "START_AUTHENTICATE" {
///         var urlParams = request.urlParams
///         urlParams["ForceAuth"] = "true"
///         request = Request(
///             url: request.url,
///             method: request.method,
///             headers: request.headers,
///             bodyParams: request.bodyParams,
///             urlParams: urlParams,
///             requestType: request.requestType,
///             responseType: request.responseType,
///             timeoutInterval: request.timeoutInterval
///         )
///     }
///     next(&request)
/// }
/// FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [MiddlewareInterceptor(forceAuthMiddleware)])
/// ```
///
/// If a middleware does not call `next`, later middleware does not run, and the request is sent as it is then.
public typealias RequestMiddleware =
    (_ request: inout Request, _ action: Action, _ next: (_ request: inout Request) -> Void) -> Void

/// An interceptor that runs middleware; see ``RequestMiddleware``.
public struct MiddlewareInterceptor: RequestInterceptor {
    private let middleware: [RequestMiddleware]

    /// Creates an interceptor.
    ///
    /// - Parameter middleware: The middleware, in order.
    public init(_ middleware: RequestMiddleware...) {
        self.middleware = middleware
    }

    /// Returns the request with the changes of the middleware.
    public func intercept(request: Request, action: Action) -> Request {
        var request = request
        run(middleware[...], &request, action)
        return request
    }

    private func run(_ middleware: ArraySlice<RequestMiddleware>, _ request: inout Request, _ action: Action) {
        middleware.first?(&request, action) { request in run(middleware.dropFirst(), &request, action) }
    }
}
