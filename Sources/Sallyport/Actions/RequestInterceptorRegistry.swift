import SallyportTransport

/// Holds ``RequestInterceptor``s, in the order in which they are asked.
///
/// Those of ``shared`` see the calls of all clients, and are asked first; those of
/// ``HttpClientConfiguration/requestInterceptors`` see the calls of one. An interceptor that is registered twice is asked
/// twice. It may be changed at any time and from any task: each call goes by what is registered as it comes to them.
///
/// ```swift
/// RequestInterceptorRegistry.shared.register(ForceAuthentication(), MemberCookie())
/// ```
public final class RequestInterceptorRegistry: Sendable {
    /// The registry of all clients.
    public static let shared = RequestInterceptorRegistry()

    private let state = Locked<[any RequestInterceptor]>([])

    /// Makes an empty registry.
    public init() {}

    /// The interceptors, in order.
    public var interceptors: [any RequestInterceptor] { state.withLock { $0 } }

    /// Registers interceptors in place of all that are registered.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    public func register(_ interceptors: any RequestInterceptor...) {
        registerInterceptors(interceptors: interceptors)
    }

    /// Registers interceptors.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors, in order; `nil` for none.
    ///   - shouldAppend: Whether they come after those that are registered, instead of in their place.
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
