/// Sees and changes the requests that the SDK itself sends, knowing what each is for (seed "Intercept and modify REST
/// calls").
///
/// It may change parameters, headers, cookies, URL, method and body, or refuse the call by throwing.
///
/// ```swift
/// struct ForceAuthentication: RequestInterceptor {
///     func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
///         guard action.type == .startAuthenticate else { return request }
///         var request = request
///         request.setParameter(name: "ForceAuth", value: "true")
///         return request
///     }
/// }
///
/// RequestInterceptorRegistry.shared.register(ForceAuthentication())
/// ```
///
/// It is asked once for each call, before retries and redirects, and is no part of the app's own requests: those have no
/// action, and an ``Interceptor`` sees them. The jar's cookies and the credentials of
/// ``HttpClientConfiguration/authentication`` are attached after it, by origin: what it sets in a `Cookie` header is sent
/// beside those of the jar, and a host that it chooses gets none that belong to another. What the request carries itself,
/// such as the code in a form, goes where the interceptor sends it.
///
/// A browser sends the URL of an authorization by itself, so of such a request only the query can be changed.
public protocol RequestInterceptor: Sendable {
    /// Makes the request that is sent, or that the next interceptor gets.
    ///
    /// - Parameters:
    ///   - request: The request, as those before this one have left it.
    ///   - action: What it is for.
    /// - Returns: The request to send. Limits of time that it does not set stay as they were.
    /// - Throws: ``NetworkError``, or anything else, which reaches the caller as ``NetworkError/networkError(_:)``.
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest
}
