import Foundation
import Logging
import SallyportTransport

/// What a client is told once, for all its requests.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.timeout = 30
///     config.logger = LogManager.standard
///     config.onRequest { request in request.setHeader(name: "User-Agent", value: "MyApp/1.0") }
/// }
/// ```
public struct HttpClientConfiguration: Sendable {
    /// How long each phase of a call may take, and the whole.
    public var timeouts = Timeouts(total: .seconds(NetworkConstants.defaultTimeout))

    /// Where calls are logged; nowhere, unless set. Secrets are masked at every level.
    public var logger = LogManager.none

    /// The jar that keeps the client's cookies. `nil` neither keeps nor sends any.
    ///
    /// It is a new one for each configuration that is made. Clients made of one configuration share it.
    public var cookieJar: CookieJar? = CookieJar()

    /// What to do with responses that lead elsewhere.
    public var redirects = RedirectPolicy.refuse

    /// When calls are sent again; each is sent once, unless set. A request may have its own, see ``HttpRequest/retry``.
    ///
    /// All the attempts of a call share its ``timeout``: there is no wait that would last longer.
    ///
    /// ```swift
    /// config.retry = .exponential(attempts: 4)
    /// ```
    public var retry: RetryPolicy?

    /// How much the client may retry in all, so that a server in trouble is not given several times its load.
    public var retryBudget = RetryBudget()

    /// Changes each request as it is sent, on each attempt; see ``RequestAdapter``.
    public var adapter: (any RequestAdapter)?

    /// Decides whether a call is sent again, once ``retry`` has done what it can; see ``RequestRetrier``.
    public var retrier: (any RequestRetrier)?

    /// The credentials for servers that ask for some, each for its own origins; the first that fits is used.
    ///
    /// They act on every redirect's target too, after redirects and before cookies. Wire interceptors see the outcome.
    ///
    /// ```swift
    /// config.authentication = [.digest(user: "ada", password: password, for: "https://api.example.com")]
    /// ```
    public var authentication: [any Interceptor] = []

    /// The interceptors of the requests that the SDK itself sends, asked after those of
    /// ``RequestInterceptorRegistry/shared``.
    ///
    /// It is a new registry for each configuration that is made. Clients made of one configuration share it.
    public var requestInterceptors = RequestInterceptorRegistry()

    /// The headers that tell which SDK calls, and from which platform.
    public var standardHeaders = StandardHeaders()

    /// Whether each response tells what became of its request on the way; see ``HttpRequest/isTraced``.
    public var isTraced = false

    /// The longest body that is held in memory, in bytes; 64 MiB unless set. Streamed bodies may be longer.
    public var maximumBodySize = 64 << 20

    /// What carries the requests; the platform's own, unless set. It is closed with the client.
    public var transport: (any Transport)?

    /// What the platform's own transport is told: whom to trust, how many connections to make.
    public var transportConfiguration = TransportConfiguration()

    var retryHooks: [@Sendable (RetryNotice) -> Void] = []
    package var retryTime = TimeSource.system
    var interceptors: [any Interceptor] = []
    var middleware: [NamedMiddleware] = []
    var wireInterceptors: [any Interceptor] = []
    var responseHooks: [@Sendable (inout HttpResponse) async throws -> Void] = []
    var problem: NetworkFailure?

    /// Makes a configuration with the defaults.
    public init() {}

    /// How long a whole call may take, in seconds; 15 unless set. `.infinity` is no limit.
    ///
    /// Redirects, repeated attempts and the time that interceptors take count. An interceptor that waits is not
    /// interrupted: the call ends when it goes on. Give what it waits for a limit of its own.
    ///
    /// Where a body is read as it comes (streams, events, transfers) it limits the wait for the answer's head instead.
    ///
    /// A value that is not greater than zero fails every call with ``NetworkError/invalidRequest(_:)``.
    public var timeout: TimeInterval {
        get { TimeLimit.seconds(timeouts.total) }
        set {
            problem = TimeLimit.problem(with: newValue)
            if problem == nil { timeouts.total = TimeLimit.duration(newValue) }
        }
    }
}

extension HttpClientConfiguration {
    /// Adds a closure that may change each request, or refuse it by throwing.
    ///
    /// It is called once for each call, in order with the interceptors of ``addInterceptor(_:)``.
    ///
    /// - Parameters:
    ///   - change: The closure.
    ///   - file: Where it is added, for a trace.
    ///   - line: Where it is added, for a trace.
    public mutating func onRequest(
        _ change: @escaping @Sendable (inout HttpRequest) async throws -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        interceptors.append(RequestHook(traceName: "onRequest at \(file):\(line)", change: change))
    }

    /// Adds a closure that sees each response, and may change or refuse it.
    ///
    /// All of them are called in the order in which they were added, after the interceptors have returned.
    public mutating func onResponse(_ see: @escaping @Sendable (inout HttpResponse) async throws -> Void) {
        responseHooks.append(see)
    }

    /// Adds a closure that is told, before each wait of ``retry``, what happened and when the next attempt is.
    ///
    /// It should return at once.
    public mutating func onRetry(_ see: @escaping @Sendable (RetryNotice) -> Void) {
        retryHooks.append(see)
    }

    /// Adds an interceptor that sees each call once, before redirects, cookies and standard headers.
    public mutating func addInterceptor(_ interceptor: some Interceptor) {
        interceptors.append(interceptor)
    }

    /// Adds an interceptor that sees each request as it goes out, cookies and standard headers included, on every
    /// redirect and every retry.
    public mutating func addWireInterceptor(_ interceptor: some Interceptor) {
        wireInterceptors.append(interceptor)
    }
}
