import SallyportTransport

/// An HTTP client: the one way out of the app, through one pipeline.
///
/// Make one and share it; it may be used from any number of tasks at once.
///
/// ```swift
/// let client = HttpClient.createClient()
/// let response = try await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.get()
/// }
/// print(response.status, response.bodyAsString())
/// ```
public final class HttpClient: HttpClientProtocol {
    let configuration: HttpClientConfiguration
    private let transport: any Transport
    private let pipeline: Pipeline
    let state: ClientState
    /// The client whose connections this one shares. It lives as long as this one.
    private let parent: HttpClient?

    /// Makes a client.
    ///
    /// - Parameter configuration: What it is told for all its requests.
    public init(configuration: HttpClientConfiguration = HttpClientConfiguration()) {
        self.configuration = configuration
        parent = nil
        state = ClientState()
        transport = configuration.transport ?? defaultTransport(configuration.transportConfiguration)
        pipeline = Pipeline(configuration, transport: transport)
    }

    /// - Parameter parent: The client whose transport is shared.
    init(configuration: HttpClientConfiguration, sharingConnectionsOf parent: HttpClient) {
        self.configuration = configuration
        self.parent = parent
        state = ClientState(parent: parent.state)
        transport = parent.transport
        pipeline = Pipeline(configuration, transport: transport)
    }

    /// Makes a client with the defaults.
    public static func createClient() -> HttpClient { HttpClient() }

    /// Makes a client with what the closure changes of the defaults.
    ///
    /// - Throws: What the closure throws, such as the refusal of a pin that is none.
    public static func createClient(
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        var configuration = HttpClientConfiguration()
        try configure(&configuration)
        return HttpClient(configuration: configuration)
    }

    deinit {
        if configuration.transport == nil, parent == nil { transport.close() }
    }

    /// Sends a request and waits for its whole response.
    ///
    /// - Parameter request: The request, which may be kept and sent again.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError`` saying what was asked, how far it got and what to do.
    public func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await send(request, in: nil)
    }

    /// Ends the client at once: calls under way and all later ones fail with ``NetworkError/clientClosed(_:)``.
    ///
    /// The same goes for all clients made of it by ``derived(_:)``. Closing one of these ends that one alone: the
    /// connections are not its own, and an exchange that is under way on one of them may finish.
    public func close() {
        state.close()
        if parent == nil { transport.close() }
    }

    /// Ends the client gently: later calls fail with ``NetworkError/clientClosed(_:)``, what is under way may finish.
    ///
    /// A redirect that has still to be followed, or an attempt that has still to be made, counts as later.
    ///
    /// A client made by ``derived(_:)`` waits for nothing, as the connections are not its own.
    ///
    /// - Parameter grace: How long they may take before they are ended as by ``close()``.
    public func shutdown(grace: Duration) async {
        state.close()
        if parent == nil { await transport.shutdown(grace: grace) }
    }

    func send(_ request: HttpRequest, in scope: ExchangeScope?) async throws(NetworkError) -> HttpResponse {
        do throws(NetworkError) {
            try check(request)
            var request = request
            request.timeouts = request.timeouts(orElse: configuration.timeouts)
            if request.isTraced || configuration.isTraced { return try await traced(request, in: scope) }
            return try await pipeline.run(request, of: Call(of: state, in: scope))
        } catch {
            throw error.naming(request.description)
        }
    }

    /// - Throws: ``NetworkError`` when nothing can be sent, or not this.
    func check(_ request: HttpRequest) throws(NetworkError) {
        try state.check()
        if let problem = configuration.problem ?? configuration.pinsProblem ?? request.problems.first {
            throw .invalidRequest(problem)
        }
    }

    private func traced(
        _ request: HttpRequest,
        in scope: ExchangeScope?
    ) async throws(NetworkError) -> HttpResponse {
        let recorder = TraceRecorder(request)
        let call = Call(of: state, in: scope, trace: TracedStage(of: recorder, given: request))
        do throws(NetworkError) {
            var response = try await pipeline.run(request, of: call)
            response.trace = recorder.trace
            return response
        } catch {
            throw error.carrying(recorder.trace)
        }
    }
}
