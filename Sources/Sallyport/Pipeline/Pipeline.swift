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
    init(
        _ configuration: HttpClientConfiguration,
        of client: ClientState,
        transport: any Transport,
        retries: RetryDriver
    ) {
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
        let cookies = CookieInterceptor(jar: configuration.cookieJar)
        if configuration.cookieJar != nil { stages.add(cookies) { $0.action == nil } }
        stages.add(ActionCookieInterceptor(cookies: cookies, actionInterceptors: actionInterceptors)) {
            $0.action != nil
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
            let isAllowed = configuration.allowsPlainHTTP
            stages.add(PlainHTTPInterceptor(isAllowed: isAllowed, logger: logger, client: client)) {
                $0.url?.hasPrefix("https:") != true
            }
        }
        if let sender = configuration.sender { stages.add(SenderStage(sender, configuration)) }
        self.stages = stages
        newRequest = configuration.standardHeaders.newRequest
        isPausable = configuration.allInterceptors.contains {
            !($0 is any MessageInterceptor || $0 is AsyncRequestHook)
        }
        transportStage = TransportStage(transport: transport, maximumBodySize: configuration.maximumBodySize)
    }

    /// Returns an object that records the pauses of a call; `nil` if there are no interceptors that can pause it.
    func makePauses() -> CallPauses? { isPausable ? CallPauses() : nil }

    /// Sends a request through the stages from a position on.
    ///
    /// Consecutive message interceptors are called here, as they do not suspend. Other interceptors call this function again.
    func run(
        _ request: HttpRequest,
        from position: Int = 0,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        var request = request
        var position = position
        var trace = call.trace
        var passed: [(stage: Stage, request: HttpRequest)] = []
        do throws(NetworkError) {
            try call.check()
            trace?.pass(request)
            var stage = nextStage(for: request, from: &position)
            while let current = stage, let interceptor = current.messageInterceptor {
                trace = trace?.next(interceptor.traceName, receiving: request)
                do { try interceptor.willSend(&request) } catch { throw current.failure(error) }
                trace?.pass(request)
                if passed.isEmpty { passed.reserveCapacity(stages.count) }
                passed.append((current, request))
                stage = nextStage(for: request, from: &position)
            }
            if !passed.isEmpty { try call.check() }
            var response: HttpResponse
            if let stage {
                trace = trace?.next(stage.interceptor.traceName, receiving: request)
                let next = Next(pipeline: self, position: position, call: call.traced(by: trace))
                do {
                    response = try await stage.interceptor.intercept(request, next: next)
                } catch { throw stage.failure(error) }
                trace?.answer(response.status)
            } else {
                response = try await transportStage.send(request, of: call)
            }
            for (stage, request) in passed.reversed() {
                do {
                    try stage.messageInterceptor?.didReceive(&response, for: request)
                } catch { throw stage.failure(error) }
            }
            return response
        } catch {
            throw error.naming(request.description)
        }
    }

    /// Returns the first stage at or after a position that applies to the request, and moves the position behind it; `nil` if there is none.
    private func nextStage(for request: HttpRequest, from position: inout Int) -> Stage? {
        while position < stages.count {
            let stage = stages[position]
            position += 1
            if stage.applies(to: request) { return stage }
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
    /// The same interceptor, if it does not suspend.
    let messageInterceptor: (any MessageInterceptor)?
    /// The condition that a request has to fulfil; `nil` for all requests.
    private let condition: Condition?

    init(_ interceptor: any Interceptor, _ messageInterceptor: (any MessageInterceptor)?, if condition: Condition?) {
        self.interceptor = interceptor
        self.messageInterceptor = messageInterceptor
        self.condition = condition
    }

    func applies(to request: HttpRequest) -> Bool { condition.map { $0(request) } ?? true }

    /// Returns the error of a call for an error that the interceptor has thrown.
    func failure(_ error: any Error) -> NetworkError {
        NetworkError(wrapping: error, reason: "the interceptor \(type(of: interceptor)) failed")
    }
}

/// The type of the SDK's interceptors is known here, because the first cast of each type to a protocol takes 0.04 milliseconds in a large
/// program.
extension [Stage] {
    /// Adds a stage for the requests that fulfil a condition, or for all requests.
    fileprivate mutating func add(_ interceptor: some MessageInterceptor, if condition: Stage.Condition? = nil) {
        append(Stage(interceptor, interceptor, if: condition))
    }

    /// Adds a stage that can suspend.
    fileprivate mutating func add(_ interceptor: some Interceptor, if condition: Stage.Condition? = nil) {
        append(Stage(interceptor, nil, if: condition))
    }

    /// Adds stages for all requests.
    fileprivate mutating func add(_ interceptors: [any Interceptor]) {
        for interceptor in interceptors { append(Stage(interceptor, interceptor as? any MessageInterceptor, if: nil)) }
    }
}
