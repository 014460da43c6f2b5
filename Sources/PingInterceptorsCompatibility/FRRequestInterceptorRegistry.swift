import Foundation
import Sallyport

/// The list of the ``RequestInterceptor``s, in the order in which they run.
///
/// They receive the requests that the SDK sends itself, of all clients, but not those that the app sends with an `HttpClient`. For an
/// authorization URL that a browser opens, only their changes to the query have an effect.
///
/// ```swift
/// FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [ForceAuthInterceptor()])
/// ```
///
/// The interceptors run where the list was first registered in the shared `RequestInterceptorRegistry` of the module Sallyport. An app
/// that also uses that registry appends to it with `shouldAppend: true`, because registering without it removes this list.
public final class FRRequestInterceptorRegistry: @unchecked Sendable {
    // The class is unchecked, as interceptors need not be Sendable: they run only while the run lock is held. The list has a lock of its
    // own, so that others can be registered meanwhile, also by an interceptor, and by a thread for which an interceptor waits.
    private let runLock = NSLock()
    private let listLock = NSLock()
    private var interceptors: [any RequestInterceptor] = []

    /// The only registry.
    public static let shared = FRRequestInterceptorRegistry()

    private init() {}

    /// Registers interceptors, instead of the registered ones or after them.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors, in order. `nil` is the same as an empty array.
    ///   - shouldOverride: A Boolean value that indicates whether the registered interceptors are removed. The default is `true`.
    public func registerInterceptors(
        interceptors: sending [any RequestInterceptor]?,
        shouldOverride: Bool = true
    ) {
        listLock.lock()
        defer { listLock.unlock() }
        self.interceptors = (shouldOverride ? [] : self.interceptors) + (interceptors ?? [])
        let registry = RequestInterceptorRegistry.shared
        if registry.interceptors.contains(where: { $0 is RegisteredInterceptors }) { return }
        registry.registerInterceptors(interceptors: [RegisteredInterceptors()], shouldAppend: true)
    }

    /// Registers interceptors instead of the registered ones; see ``registerInterceptors(interceptors:shouldOverride:)``.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    public func registerInterceptor(interceptors: sending [any RequestInterceptor]?) {
        registerInterceptors(interceptors: interceptors)
    }

    fileprivate func intercept(_ request: HttpRequest, _ action: Action) -> HttpRequest {
        runLock.lock()
        defer { runLock.unlock() }
        let interceptors = listLock.withLock { self.interceptors }
        if interceptors.isEmpty { return request }
        let original = Request(request)
        var changed = original
        for interceptor in interceptors { changed = interceptor.intercept(request: changed, action: action) }
        return request.applying(changed, to: original)
    }
}

/// Passes requests to the interceptors of ``FRRequestInterceptorRegistry/shared``.
private struct RegisteredInterceptors: Sallyport.RequestInterceptor {
    func intercept(request: HttpRequest, action: Sallyport.Action) -> HttpRequest {
        FRRequestInterceptorRegistry.shared.intercept(request, Action(action))
    }
}
