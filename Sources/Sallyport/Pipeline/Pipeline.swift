import SallyportTransport

/// The stages through which each request of a client passes, from the app to the transport or to a client of the app.
final class Pipeline: Sendable {
    private let stages: [Stage]
    private let transportStage: TransportStage

    /// A request with the standard headers, of which each new request of the client is a copy.
    let newRequest: HttpRequest

    /// A Boolean value that indicates whether there are interceptors that can pause the clock of a call.
    private let isPausable: Bool

    /// Creates the list of stages, beginning with the one nearest to the app.
    init(_ configuration: HttpClientConfiguration, transport: any Transport, retries: RetryDriver) {
        var stages: [Stage] = []
        if !configuration.responseHooks.isEmpty { stages.add(ResponseHooks(hooks: configuration.responseHooks)) }
        stages.add(configuration.interceptors)
        let actionInterceptors = ActionInterceptors(configuration)
        stages.add(actionInterceptors) { $0.action != nil }
        if let retrier = configuration.retrier {
            stages.add(RetrierInterceptor(retrier, time: configuration.retryTime))
        }
        stages.add(RetryInterceptor(configuration.retry, driver: retries)) { [always = configuration.retry != nil] in
            always || $0.retry != nil
        }
        if case .follow(let limit) = configuration.redirects { stages.add(RedirectInterceptor(limit: limit)) }
        // Everything that sets credentials follows the redirects, and sees the origin of each request. The adapter follows the hook, which
        // would remove what the adapter attaches. A client that sends its requests with this one has attached secrets for this request.
        if !configuration.authentication.isEmpty { stages.add(RequestHook.detachingSecrets) { !$0.hasPassedClient } }
        if let adapter = configuration.adapter { stages.add(AdapterInterceptor(adapter: adapter)) }
        stages.add(configuration.authentication)
        stages.add(CookieInterceptor(jar: configuration.cookieJar, actionInterceptors: actionInterceptors)) {
            [hasJar = configuration.cookieJar != nil] in hasJar || $0.action != nil
        }
        stages.add(StandardHeadersInterceptor(configuration.standardHeaders))
        if let cache = configuration.cache {
            stages.add(CacheInterceptor(cache, configuration, transport: transport))
        }
        stages.add(configuration.sealing)
        stages.add(configuration.wireInterceptors)
        let logger = LogManager.isSilent(configuration.logger) ? nil : configuration.logger
        if let logger { stages.add(LoggingInterceptor(logger)) }
        if logger != nil || !configuration.allowsPlainHTTP {
            stages.add(PlainHTTPInterceptor(isAllowed: configuration.allowsPlainHTTP, logger: logger)) {
                $0.url?.hasPrefix("https:") != true
            }
        }
        if let sender = configuration.sender { stages.add(SenderStage(sender, configuration)) }
        self.stages = stages
        newRequest = configuration.standardHeaders.newRequest
        isPausable = configuration.allInterceptors.contains { !($0 is RequestHook) }
        transportStage = TransportStage(transport: transport, maximumBodySize: configuration.maximumBodySize)
    }

    /// Returns an object that records the pauses of a call; `nil` if there are no interceptors that can pause it.
    func makePauses() -> CallPauses? { isPausable ? CallPauses() : nil }

    /// Sends a request through the stages from a position on.
    func run(
        _ request: HttpRequest,
        from position: Int = 0,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        try call.check()
        call.trace?.pass(request)
        guard let position = firstPosition(for: request, from: position) else {
            return try await transportStage.send(request, of: call)
        }
        let stage = stages[position].interceptor
        var call = call
        if let trace = call.trace {
            call.trace = TracedStage(of: trace.recorder, named: stage.traceName, receiving: request)
        }
        do {
            let next = Next(pipeline: self, position: position + 1, call: call)
            let response = try await stage.intercept(request, next: next)
            call.trace?.answer(response.status)
            return response
        } catch {
            throw NetworkError(wrapping: error, reason: "the interceptor \(type(of: stage)) failed")
        }
    }

    /// Returns the first position at or after another one whose stage applies to the request.
    private func firstPosition(for request: HttpRequest, from position: Int) -> Int? {
        var position = position
        while position < stages.count {
            if stages[position].applies(to: request) { return position }
            position += 1
        }
        return nil
    }
}

/// An interceptor in the pipeline, and the requests to which it applies.
///
/// Requests skip the stages that do not apply to them, because each entered stage takes memory and time even if it does nothing. A
/// stage is a class so that examining it does not copy it.
private final class Stage: Sendable {
    typealias Condition = @Sendable (HttpRequest) -> Bool

    let interceptor: any Interceptor
    /// The condition that a request has to fulfil; `nil` for all requests.
    private let condition: Condition?

    init(_ interceptor: any Interceptor, if condition: Condition?) {
        self.interceptor = interceptor
        self.condition = condition
    }

    func applies(to request: HttpRequest) -> Bool { condition.map { $0(request) } ?? true }
}

extension [Stage] {
    /// Adds a stage for the requests that fulfil a condition, or for all requests.
    fileprivate mutating func add(_ interceptor: some Interceptor, if condition: Stage.Condition? = nil) {
        append(Stage(interceptor, if: condition))
    }

    /// Adds stages for all requests.
    fileprivate mutating func add(_ interceptors: [any Interceptor]) {
        for interceptor in interceptors { add(interceptor) }
    }
}
