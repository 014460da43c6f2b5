import SallyportTransport

/// The way of every request from the app to the wire.
final class Pipeline: Sendable {
    let stages: [any Interceptor]
    let exchange: Exchange

    /// The one list of stages, from the app inward.
    init(_ configuration: HttpClientConfiguration, transport: any Transport) {
        var stages: [any Interceptor] = []
        if !configuration.responseHooks.isEmpty { stages.append(ResponseHooks(hooks: configuration.responseHooks)) }
        stages += configuration.interceptors
        stages.append(ActionInterceptors(configuration))
        if let retrier = configuration.retrier {
            stages.append(RetrierInterceptor(retrier, time: configuration.retryTime))
        }
        stages.append(RetryInterceptor(configuration))
        if let adapter = configuration.adapter { stages.append(AdapterInterceptor(adapter: adapter)) }
        if case .follow(let limit) = configuration.redirects { stages.append(RedirectInterceptor(limit: limit)) }
        if !configuration.authentication.isEmpty { stages.append(RequestHook.detachingAuthorization) }
        stages += configuration.authentication
        if let jar = configuration.cookieJar { stages.append(CookieInterceptor(jar: jar)) }
        stages.append(StandardHeadersInterceptor(configuration.standardHeaders))
        stages += configuration.wireInterceptors
        if !LogManager.isSilent(configuration.logger) { stages.append(LoggingInterceptor(configuration.logger)) }
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
        guard position < stages.count else { return try await exchange.send(request, of: call) }
        let stage = stages[position]
        do {
            return try await stage.intercept(request, next: Next(pipeline: self, position: position + 1, call: call))
        } catch {
            throw failure(of: stage, error)
        }
    }

    func failure(of stage: any Interceptor, _ error: any Error) -> NetworkError {
        NetworkError(wrapping: error, reason: "the interceptor \(type(of: stage)) failed")
    }
}
