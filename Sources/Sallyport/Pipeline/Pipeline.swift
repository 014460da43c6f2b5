import SallyportTransport

/// The way of every request from the app to the wire.
final class Pipeline: Sendable {
    private let stages: [Stage]
    let exchange: Exchange

    /// The one list of stages, from the app inward.
    init(_ configuration: HttpClientConfiguration, transport: any Transport) {
        var stages: [Stage] = []
        if !configuration.responseHooks.isEmpty { stages.add(ResponseHooks(hooks: configuration.responseHooks)) }
        stages.add(configuration.interceptors)
        stages.add(ActionInterceptors(configuration)) { $0.action != nil }
        if let retrier = configuration.retrier {
            stages.add(RetrierInterceptor(retrier, time: configuration.retryTime))
        }
        stages.add(RetryInterceptor(configuration)) { [always = configuration.retry != nil] in
            always || $0.retry != nil
        }
        if let adapter = configuration.adapter { stages.add(AdapterInterceptor(adapter: adapter)) }
        if case .follow(let limit) = configuration.redirects { stages.add(RedirectInterceptor(limit: limit)) }
        if !configuration.authentication.isEmpty { stages.add(RequestHook.detachingAuthorization) }
        stages.add(configuration.authentication)
        if let jar = configuration.cookieJar { stages.add(CookieInterceptor(jar: jar)) }
        stages.add(StandardHeadersInterceptor(configuration.standardHeaders))
        stages.add(configuration.wireInterceptors)
        if !LogManager.isSilent(configuration.logger) { stages.add(LoggingInterceptor(configuration.logger)) }
        self.stages = stages
        exchange = Exchange(transport: transport, maximumBodySize: configuration.maximumBodySize)
    }

    /// Sends a request through the stages from a position on.
    func run(
        _ request: HttpRequest,
        from position: Int = 0,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        try call.check()
        if let trace = call.trace { return try await run(request, from: position, of: call, traced: trace) }
        guard let position = next(for: request, from: position) else {
            return try await exchange.send(request, of: call)
        }
        let stage = self[position]
        do {
            return try await stage.intercept(request, next: Next(pipeline: self, position: position + 1, call: call))
        } catch {
            throw failure(of: stage, error)
        }
    }

    /// The first position from one on whose stage the request has a use for.
    func next(for request: HttpRequest, from position: Int) -> Int? {
        var position = position
        while position < stages.count {
            if stages[position].isFor(request) { return position }
            position += 1
        }
        return nil
    }

    subscript(position: Int) -> any Interceptor { stages[position].interceptor }

    func failure(of stage: any Interceptor, _ error: any Error) -> NetworkError {
        NetworkError(wrapping: error, reason: "the interceptor \(type(of: stage)) failed")
    }
}
