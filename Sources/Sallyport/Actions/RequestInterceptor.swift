import SallyportStorage
import SallyportTransport

/// A type that can change the requests that the SDK sends itself, depending on their purpose.
///
/// It may change parameters, headers, cookies, URL, method, body and the fields of a form, or refuse the call by throwing an error.
///
/// ```swift
/// struct ForceAuthentication: RequestInterceptor {
///     func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
///         guard action.type == "START_AUTHENTICATE" else { return request }
///         var request = request
///         request.setParameter(name: "ForceAuth", value: "true")
///         return request
///     }
/// }
///
/// RequestInterceptorRegistry.shared.register(ForceAuthentication())
/// ```
///
/// It runs once for each call, before retries and redirects. It does not run for the app's own requests, which have no action unless the
/// app sets ``HttpRequest/action``; use an ``Interceptor`` for them. Cookies from the jar and the credentials of
/// ``HttpClientConfiguration/authentication`` are attached later, by origin: a `Cookie` header that the interceptor sets is sent in
/// addition to the jar's cookies, and if the interceptor changes the host, the new host receives only its own cookies and credentials.
/// Secrets in the request itself, such as a code in a form, are sent to the new host.
///
/// If a browser sends the request, as it does with an authorization URL, only the query can be changed.
public protocol RequestInterceptor: Sendable {
    /// Returns the request for the next interceptor or, from the last one, the request to send.
    ///
    /// - Parameters:
    ///   - request: The request, as changed by the previous interceptors.
    ///   - action: The purpose of the request.
    /// - Returns: The request, which may be a new one. Timeouts and a retry policy that it does not set are taken from the original
    ///   request, and so are its action, ``HttpRequest/requiresSecureTransport`` and ``HttpRequest/carriesOwnCredentials`` if they
    ///   are set: an interceptor cannot remove them.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest

    /// Returns the cookies for the next interceptor or, from the last one, the cookies to send.
    ///
    /// It is called once for each attempt, with the cookies of the client's jar and those that are set on the request. The default
    /// implementation returns them unchanged. Cookies that are added are not stored in the jar.
    ///
    /// ```swift
    /// func intercept(cookies: [Cookie], action: Action) async throws -> [Cookie] {
    ///     cookies + [Cookie(name: "member", value: "gold", domain: "example.com", isHTTPOnly: true, isHostOnly: false)]
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - cookies: The cookies, as changed by the previous interceptors. A cookie that is set on the request has the host of its URL as
    ///     domain.
    ///   - action: The purpose of the request.
    /// - Returns: The cookies. Those that do not belong to the host and path of the request, and secure cookies of a request over plain
    ///   HTTP, are not sent (RFC 6265bis, section 5.8.3). A malformed cookie makes the call fail with
    ///   ``NetworkError/invalidRequest(_:)``.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func intercept(cookies: [Cookie], action: Action) async throws -> [Cookie]
}

extension RequestInterceptor {
    /// Returns the cookies unchanged.
    public func intercept(cookies: [Cookie], action: Action) async throws -> [Cookie] { cookies }
}

/// A list of ``RequestInterceptor``s, in the order in which they run.
///
/// The interceptors of ``shared`` run first, for all clients; those of ``HttpClientConfiguration/requestInterceptors`` run for one
/// client. An interceptor that is registered twice runs twice. A registry may be changed at any time and from any task: a call
/// uses the interceptors that are registered when it reaches them.
///
/// ```swift
/// RequestInterceptorRegistry.shared.register(ForceAuthentication(), MemberCookie())
/// ```
public final class RequestInterceptorRegistry: Sendable {
    /// The registry whose interceptors run for all clients.
    public static let shared = RequestInterceptorRegistry()

    private let state = Locked<[any RequestInterceptor]>([])

    /// Creates an empty registry.
    public init() {}

    /// The interceptors, in order.
    public var interceptors: [any RequestInterceptor] { state.withLock { $0 } }

    /// Replaces all registered interceptors. To keep them, use ``registerInterceptors(interceptors:shouldAppend:)``.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    public func register(_ interceptors: any RequestInterceptor...) {
        registerInterceptors(interceptors: interceptors)
    }

    /// Registers interceptors, after the registered ones or instead of them.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors, in order. `nil` is the same as an empty array.
    ///   - shouldAppend: A Boolean value that indicates whether the registered interceptors remain. The default is `false`.
    public func registerInterceptors(interceptors: [any RequestInterceptor]?, shouldAppend: Bool = false) {
        state.withLock { registered in
            registered = (shouldAppend ? registered : []) + (interceptors ?? [])
        }
    }

    /// Removes all interceptors of a type.
    public func remove(_ type: (some RequestInterceptor).Type) {
        state.withLock { registered in registered.removeAll { Swift.type(of: $0) == type } }
    }

    /// Removes all interceptors.
    public func clear() {
        registerInterceptors(interceptors: nil)
    }
}

extension HttpClient {
    /// The request interceptors of this client; see ``HttpClientConfiguration/requestInterceptors``.
    public var requestInterceptors: RequestInterceptorRegistry { configuration.requestInterceptors }
}
