import Foundation
import Sallyport

/// The list of the ``RequestInterceptor``s, in the order they run.
///
/// They receive the requests that the SDK sends itself with a client to which `addRegisteredInterceptors()` adds them, but not your own
/// requests. If a browser opens an authorization URL, only their changes to its query have an effect.
///
/// ```swift
/// FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [ForceAuthInterceptor()])
/// let client = HttpClient.createClient { config in config.addRegisteredInterceptors() }
/// let journey = Journey(settings, httpClient: client)
/// ```
public final class FRRequestInterceptorRegistry: @unchecked Sendable {
    // The class is unchecked, as interceptors need not be Sendable: they run only while the run lock is held. The list has its own lock.
    // Interceptors can therefore be registered meanwhile, even by an interceptor, or by a thread that an interceptor waits for.
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
    }

    /// Registers interceptors instead of the registered ones; see ``registerInterceptors(interceptors:shouldOverride:)``.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    public func registerInterceptor(interceptors: sending [any RequestInterceptor]?) {
        registerInterceptors(interceptors: interceptors)
    }

    fileprivate func intercept(_ request: inout HttpRequest, _ action: Action) {
        run { interceptors in
            let original = Request(request)
            var changed = original
            for interceptor in interceptors { changed = interceptor.intercept(request: changed, action: action) }
            request = request.applying(changed, to: original)
        }
    }

    fileprivate func intercept(_ cookies: [Cookie], _ action: Action) -> [Cookie] {
        var cookies = cookies
        run { interceptors in
            for interceptor in interceptors { cookies = interceptor.intercept(cookies: cookies, action: action) }
        }
        return cookies
    }

    /// Calls a closure with the interceptors, for one request at a time, if there are any.
    private func run(_ body: ([any RequestInterceptor]) -> Void) {
        runLock.lock()
        defer { runLock.unlock() }
        let interceptors = listLock.withLock { self.interceptors }
        if !interceptors.isEmpty { body(interceptors) }
    }
}

extension HttpClientConfiguration {
    /// Lets the interceptors of ``FRRequestInterceptorRegistry`` change the requests that the SDK sends itself with the client.
    public mutating func addRegisteredInterceptors() {
        addInterceptor(RegisteredInterceptors())
        sealing.insert(RegisteredCookieInterceptors(), at: 0)
    }
}

/// Passes requests to the interceptors of ``FRRequestInterceptorRegistry/shared``.
private struct RegisteredInterceptors: MessageInterceptor {
    func willSend(_ request: inout HttpRequest) {
        guard let action = request.action else { return }
        FRRequestInterceptorRegistry.shared.intercept(&request, Action(action))
    }
}

/// Passes the cookies that are about to be sent to the interceptors of ``FRRequestInterceptorRegistry/shared``.
private struct RegisteredCookieInterceptors: MessageInterceptor {
    func willSend(_ request: inout HttpRequest) throws {
        guard let action = request.action else { return }
        let head = try request.head()
        guard let scheme = head.scheme, let url = URL(string: "\(scheme)://\(head.authority ?? "")\(head.path ?? "")"),
            let host = url.host
        else { return }
        let pairs = (request.getCombinedHeader(name: NetworkConstants.headerCookie) ?? "").split(separator: ";")
        let cookies = pairs.filter { !$0.allSatisfy(\.isWhitespace) }.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            return Cookie(
                name: name,
                value: String(parts.dropFirst().first ?? ""),
                domain: host,
                isSecure: scheme == "https"
            )
        }
        let changed = FRRequestInterceptorRegistry.shared.intercept(cookies, Action(action))
        if changed == cookies { return }

        // A jar knows which of the new cookies belong to the URL.
        let jar = CookieJar()
        for cookie in changed where !cookies.contains(cookie) && !jar.store(cookie) {
            throw NetworkError.invalidRequest(
                NetworkFailure(
                    "a request interceptor returned an invalid cookie, \(cookie)",
                    advice:
                        "use a token as the name, a value without control characters and semicolons, and a domain that is no public suffix"
                )
            )
        }
        let added = jar.cookies(for: url)
        let sent = changed.filter { cookie in
            cookies.contains(cookie) || added.contains { $0.name == cookie.name && $0.value == cookie.value }
        }
        request.removeHeader(name: NetworkConstants.headerCookie)
        if sent.isEmpty { return }
        let header = sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        // If a later interceptor changes the origin, the call fails instead of sending them there.
        try request.attach(header: NetworkConstants.headerCookie, value: header)
    }
}
