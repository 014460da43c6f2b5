import Foundation
import Logging
import SallyportTransport

/// Settings shared by all of a client's requests.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.timeout = 30
///     config.logger = LogManager.standard
///     config.onRequest { request in request.setHeader(name: "User-Agent", value: "MyApp/1.0") }
/// }
/// ```
public struct HttpClientConfiguration: Sendable {
    /// The maximum durations of each phase of a call and of the complete call.
    public var timeouts = Timeouts(total: .seconds(NetworkConstants.defaultTimeout))

    /// The logger for calls. The default logs nothing. Secrets are masked at every level.
    public var logger = LogManager.none

    /// The jar that stores the client's cookies; `nil` to neither store nor send cookies.
    ///
    /// Each new configuration has a new jar. Clients created from the same configuration share it, and all calls of a client do.
    /// A program that makes calls for several users therefore needs a client for each: see ``HttpClient/forUser(cookieJar:_:)``.
    public var cookieJar: CookieJar? = CookieJar()

    /// The handling of redirects. The default is to refuse them.
    public var redirects = RedirectPolicy.refuse

    /// The retry policy; `nil` to send each call once. A request may have its own, see ``HttpRequest/retry``.
    ///
    /// All attempts of a call share its ``timeout``. If the wait before an attempt would exceed it, the attempt is not made.
    ///
    /// ```swift
    /// config.retry = .exponential(attempts: 4)
    /// ```
    public var retry: RetryPolicy?

    /// The limit on all retries of the client, so that retries do not multiply the load of a server that fails.
    public var retryBudget = RetryBudget()

    /// The credentials for servers that require authentication, each for its own origins. The first that matches is used.
    ///
    /// They also apply to the targets of redirects. They run after redirects and before cookies, and wire interceptors see their effects.
    ///
    /// ```swift
    /// config.authentication = [.digest(user: "ada", password: password, for: "https://api.example.com")]
    /// ```
    public var authentication: [any Interceptor] = []

    /// The cache of responses; `nil` to send all requests. The default is `nil`.
    ///
    /// It handles requests with their credentials, cookies and standard headers, for each attempt and each redirect. Interceptors of
    /// ``sealing``, wire interceptors and the log see only the requests that are sent.
    ///
    /// ```swift
    /// config.cache = HttpCache(storage: MemoryCacheStorage())
    /// ```
    public var cache: HttpCache?

    /// The interceptors that encrypt or sign complete requests, and decrypt or verify responses, in order. The default is none.
    ///
    /// They run once for each attempt and each redirect, after credentials, cookies and standard headers have been added, so that they
    /// protect these too. Wire interceptors and the log see only what the last of them sends, while cookies, retries and the app see
    /// the response that the first of them returns.
    ///
    /// ```swift
    /// struct Sealing: Interceptor {
    ///     let key: SymmetricKey
    ///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
    ///         guard case .data(let body) = request.body else { return try await next(request) }
    ///         var request = request
    ///         request.body = .data(try seal(body, with: key))
    ///         var response = try await next(request)
    ///         response.body = try response.body.map { try open($0, with: key) }
    ///         return response
    ///     }
    /// }
    /// config.sealing = [Sealing(key: key)]
    /// ```
    ///
    /// A streamed response has no ``HttpResponse/body``: replace its ``HttpResponse/bodyStream``. ``HttpResponse/request`` is the sealed
    /// request, as it was sent.
    public var sealing: [any Interceptor] = []

    /// The headers that identify the SDK and its platform.
    public var standardHeaders = StandardHeaders()

    /// A Boolean value that indicates whether all calls are traced; see ``HttpRequest/isTraced``. The default is `false`.
    public var isTraced = false

    /// The recorder that keeps the latest calls, for an app under development; `nil` to record nothing. The default is `nil`.
    ///
    /// ```swift
    /// #if DEBUG
    /// config.recorder = recorder
    /// #endif
    /// ```
    public var recorder = TrafficRecorder.ofNewClients

    /// A Boolean value that indicates whether requests may be sent over plain HTTP to other computers. The default is `false`.
    ///
    /// Others can read and change such requests in transit. By default they fail with ``NetworkError/invalidRequest(_:)`` before anything
    /// is sent, even after a redirect. Loopback addresses, such as the address of a development server, are always allowed, but not through
    /// a proxy; see ``HttpRequest/requiresSecureTransport``.
    ///
    /// On Apple platforms, App Transport Security refuses plain HTTP as well, unless the app has an exception for the server.
    ///
    /// ```swift
    /// config.allowsPlainHTTP = true  // a server in the home network has no certificate
    /// ```
    public var allowsPlainHTTP = false

    /// The maximum size of a body that is collected in memory, in bytes. The default is 64 MiB. It does not limit streamed bodies.
    public var maximumBodySize = 64 << 20

    /// The transport that sends the requests; `nil` for the platform's. It is closed with the client.
    ///
    /// To send requests with another HTTP library, implement ``Transport``. Do not combine a transport that adds credentials of a user
    /// with a ``cache`` that other users share.
    public var transport: (any Transport)?

    /// The settings of the platform's transport, such as trust roots and connection limits.
    public var transportConfiguration = TransportConfiguration()

    var retryHooks: [@Sendable (RetryEvent) -> Void] = []
    package var retryTime = TimeSource.system
    var interceptors: [any Interceptor] = []
    var wireInterceptors: [any Interceptor] = []
    var responseHooks: [@Sendable (inout HttpResponse) async throws -> Void] = []
    private var timeoutProblem: NetworkFailure?
    /// The failure of a derived client if its configuration cannot be combined with the connections that it shares.
    var derivationProblem: NetworkFailure?

    /// The reason why the configuration is invalid, if it is. Every call then fails.
    var problem: NetworkFailure? { timeoutProblem ?? derivationProblem ?? pinsProblem }

    /// All interceptors that the app has added.
    var allInterceptors: [any Interceptor] { interceptors + authentication + sealing + wireInterceptors }

    /// Creates a configuration with the default values.
    public init() {}

    /// The maximum duration of a complete call, in seconds. The default is 15; `.infinity` disables it.
    ///
    /// It includes the body, redirects, all attempts and the time that interceptors take, unless they pause it; see
    /// ``Next/pausingTimeout(_:)``. An interceptor that waits is not interrupted: the call fails when the interceptor continues.
    /// Limit such waits separately.
    ///
    /// For streamed bodies (streams, events and transfers) it limits the wait for the response's head instead.
    ///
    /// With a value that is not greater than zero, every call fails with ``NetworkError/invalidRequest(_:)``.
    public var timeout: TimeInterval {
        get { TimeLimit.seconds(timeouts.total) }
        set {
            timeoutProblem = TimeLimit.problem(with: newValue)
            if timeoutProblem == nil { timeouts.total = TimeLimit.duration(newValue) }
        }
    }
}

extension HttpClientConfiguration {
    /// Adds a closure that can change each request, or refuse it by throwing an error.
    ///
    /// It is called once for each call, in the order of registration with the interceptors of ``addInterceptor(_:)``, and like these for the
    /// URLs that a browser opens.
    ///
    /// - Parameters:
    ///   - change: The closure.
    ///   - file: The file name to show in a trace.
    ///   - line: The line number to show in a trace.
    public mutating func onRequest(
        _ change: @escaping @Sendable (inout HttpRequest) throws -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        interceptors.append(RequestHook(traceName: "onRequest at \(file):\(line)", change: change))
    }

    /// Adds a closure that can change each request after an asynchronous call, or refuse it by throwing an error.
    ///
    /// It is called once for each call, in the order of registration with the interceptors of ``addInterceptor(_:)``.
    ///
    /// ```swift
    /// config.onRequest { request in request.setHeader(name: "X-Session", value: await sessions.current) }
    /// ```
    ///
    /// - Parameters:
    ///   - change: The closure.
    ///   - file: The file name to show in a trace.
    ///   - line: The line number to show in a trace.
    public mutating func onRequest(
        _ change: @escaping @Sendable (inout HttpRequest) async throws -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        interceptors.append(AsyncRequestHook(traceName: "onRequest at \(file):\(line)", change: change))
    }

    /// Adds a closure that can change each response, or refuse it by throwing an error.
    ///
    /// The closures are called in the order of registration, after all interceptors have returned.
    public mutating func onResponse(_ change: @escaping @Sendable (inout HttpResponse) async throws -> Void) {
        responseHooks.append(change)
    }

    /// Adds a closure that is called before the wait for each further attempt of a call, transfer or event stream.
    ///
    /// The closure must not block.
    public mutating func onRetry(_ hook: @escaping @Sendable (RetryEvent) -> Void) {
        retryHooks.append(hook)
    }

    /// Adds an interceptor that runs once for each call, before redirects, cookies and standard headers.
    ///
    /// It also receives the authorization and logout URLs that a browser opens, as requests with a ``HttpRequest/action``. It can change
    /// their query. Add no secret to them, as browsers store URLs.
    public mutating func addInterceptor(_ interceptor: some Interceptor) {
        interceptors.append(interceptor)
    }

    /// Adds an interceptor that sees each request as it is sent, including cookies, standard headers and the effects of ``sealing``,
    /// for every redirect and every retry.
    public mutating func addWireInterceptor(_ interceptor: some Interceptor) {
        wireInterceptors.append(interceptor)
    }
}
