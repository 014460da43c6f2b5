import SallyportTransport

/// The stages through which each request of a client passes, from the app to the transport.
final class Pipeline: Sendable {
    private let stages: [Stage]
    private let transportStage: TransportStage

    /// A request with the standard headers. Each new request of the client is a copy of it.
    let newRequest: HttpRequest

    /// A Boolean value that indicates whether there are interceptors that can pause the clock of a call.
    private let isPausable: Bool

    /// Creates the list of stages, beginning with the one nearest to the app.
    init(_ configuration: HttpClientConfiguration, transport: any Transport, retries: RetryDriver) {
        var stages: [Stage] = []
        if !configuration.responseHooks.isEmpty { stages.add(ResponseHooks(hooks: configuration.responseHooks)) }
        stages.add(configuration.interceptors)
        stages.add(RetryInterceptor(configuration.retry, driver: retries)) { [always = configuration.retry != nil] in
            always || $0.retry != nil
        }
        if case .follow(let limit) = configuration.redirects { stages.add(RedirectInterceptor(limit: limit)) }
        // Everything that sets credentials follows the redirects, and sees the origin of each request.
        if !configuration.authentication.isEmpty { stages.add(RequestHook.detachingSecrets) }
        stages.add(configuration.authentication)
        let jar = configuration.cookieJar
        stages.add(CookieInterceptor(jar: jar)) { jar != nil || $0.fields.contains(.cookie) }
        stages.add(StandardHeadersInterceptor(configuration.standardHeaders))
        if let cache = configuration.cache {
            stages.add(CacheInterceptor(cache, configuration, transport: transport))
        }
        stages.add(configuration.sealing)
        stages.add(configuration.wireInterceptors)
        if !LogManager.isSilent(configuration.logger) { stages.add(LoggingInterceptor(configuration.logger)) }
        self.stages = stages
        newRequest = configuration.standardHeaders.newRequest
        isPausable = configuration.allInterceptors.contains {
            !($0 is any MessageInterceptor || $0 is AsyncRequestHook)
        }
        transportStage = TransportStage(transport: transport, configuration)
    }

    /// Returns an object that records the pauses of a call; `nil` if there are no interceptors that can pause it.
    func makePauses() -> CallPauses? { isPausable ? CallPauses() : nil }

    /// Sends a request through the stages from a position on.
    ///
    /// Consecutive message interceptors are called here, as they do not suspend. Other interceptors call this function again.
    nonisolated(nonsending) func run(
        _ request: HttpRequest,
        from position: Int = 0,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        var passage = Passage(request: request, position: position, trace: call.trace)
        do throws(NetworkError) {
            try passMessageInterceptors(&passage, of: call)
            var response: HttpResponse
            if let stage = passage.stage {
                let next = self.next(after: stage, passage, of: call)
                do {
                    response = try await stage.interceptor.intercept(passage.request, next: next)
                } catch { throw stage.failure(error, passage.request) }
                next.call.trace?.answer(response.status)
            } else {
                response = try await transportStage.send(passage.request, of: call)
            }
            try passBack(&response, passage)
            return response
        } catch {
            throw error.naming(passage.request.description)
        }
    }

    /// The progress of a request through consecutive message interceptors.
    private struct Passage: Sendable {
        var request: HttpRequest
        /// The index of the stage after those that the request has reached.
        var position: Int
        var trace: TracedStage?
        /// The message interceptors, each with the request that it passed on.
        var passed: [(stage: Stage, request: HttpRequest)] = []
        /// The stage after them, which may suspend; `nil` for the transport.
        var stage: Stage?
    }

    /// Passes the request through the message interceptors, up to a stage that may suspend.
    // Not inlined, like the functions below: all local values of an asynchronous function belong to its frame, which a waiting call keeps.
    @inline(never)
    private func passMessageInterceptors(_ passage: inout Passage, of call: Call) throws(NetworkError) {
        try call.check()
        passage.request.useTimeouts(of: call.timeouts)
        passage.trace?.pass(passage.request)
        passage.stage = nextStage(for: passage.request, from: &passage.position)
        while let current = passage.stage, let messages = current.messages {
            passage.trace = passage.trace?.next(current.interceptor.traceName, receiving: passage.request)
            do { try messages.willSend(&passage.request) } catch { throw current.failure(error, passage.request) }
            passage.request.useTimeouts(of: call.timeouts)
            passage.trace?.pass(passage.request)
            if passage.passed.isEmpty { passage.passed.reserveCapacity(stages.count) }
            passage.passed.append((current, passage.request))
            passage.stage = nextStage(for: passage.request, from: &passage.position)
        }
        if !passage.passed.isEmpty { try call.check() }
    }

    /// Returns the stages after one that may suspend.
    @inline(never)
    private func next(after stage: Stage, _ passage: Passage, of call: Call) -> Next {
        let trace = passage.trace?.next(stage.interceptor.traceName, receiving: passage.request)
        return Next(pipeline: self, position: passage.position, call: call.traced(by: trace))
    }

    /// Passes the response back through the message interceptors.
    @inline(never)
    private func passBack(_ response: inout HttpResponse, _ passage: Passage) throws(NetworkError) {
        for (stage, request) in passage.passed.reversed() {
            do {
                try stage.messages?.didReceive(&response, for: request)
            } catch { throw stage.failure(error, request) }
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
    /// The functions of the interceptor, if it does not suspend.
    let messages: MessageFunctions?
    /// The condition that a request must fulfil; `nil` for all requests.
    private let condition: Condition?

    init(_ interceptor: any Interceptor, if condition: Condition?) {
        self.interceptor = interceptor
        messages = (interceptor as? any MessageInterceptor).map(MessageFunctions.init)
        self.condition = condition
    }

    func applies(to request: HttpRequest) -> Bool { condition.map { $0(request) } ?? true }

    /// Returns the error of a call for an error that the interceptor has thrown. The text of another error may quote the request.
    func failure(_ error: any Error, _ request: HttpRequest) -> NetworkError {
        if let error = error as? NetworkError { return error }
        return NetworkError(wrapping: error, reason: "the interceptor \(type(of: interceptor)) failed")
            .masking(secretsOf: request)
    }
}

/// The functions of a message interceptor. It is a class because copying a reference costs less than copying an optional interceptor.
private final class MessageFunctions: Sendable {
    private let interceptor: any MessageInterceptor

    init(_ interceptor: any MessageInterceptor) {
        self.interceptor = interceptor
    }

    func willSend(_ request: inout HttpRequest) throws { try interceptor.willSend(&request) }

    func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws {
        try interceptor.didReceive(&response, for: request)
    }
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
