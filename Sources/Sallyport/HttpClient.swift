import SallyportTransport

/// An HTTP client, which sends all requests through one pipeline.
///
/// Create one client and share it. Any number of tasks can use it concurrently.
///
/// ```swift
/// let client = HttpClient.createClient()
/// let response = try await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.get()
/// }
/// print(response.status, response.bodyAsString())
/// ```
public final class HttpClient: Sendable {
    package let configuration: HttpClientConfiguration
    private let transport: any Transport
    /// The transports that the client created, which are closed when it is closed or released.
    private let ownTransports: [any Transport]
    private let pipeline: Pipeline
    /// The reason why the configuration is invalid, if it is.
    private let problem: NetworkFailure?
    /// A Boolean value that indicates whether all calls are traced or recorded.
    private let tracesAllCalls: Bool
    /// The timeouts for requests that have none.
    private let timeouts: ClientTimeouts
    /// The timeouts for requests that have none, if their responses are streamed.
    private let timeoutsForStreams: ClientTimeouts
    let state: ClientState
    package let retries: RetryDriver
    /// The client that shares its connections with this one. The reference keeps it alive.
    private let parent: HttpClient?

    /// Creates a client.
    ///
    /// - Parameter configuration: The settings for all requests of the client.
    public init(configuration: HttpClientConfiguration = HttpClientConfiguration()) {
        self.configuration = configuration
        problem = configuration.problem
        tracesAllCalls = configuration.isTraced || configuration.recorder != nil
        timeouts = ClientTimeouts(configuration.timeouts)
        timeoutsForStreams = ClientTimeouts(configuration.timeouts.forStream)
        parent = nil
        state = ClientState()
        retries = RetryDriver(configuration, of: state)
        if let base = configuration.transport {
            let pins = configuration.pins
            let pinned = pins.entries.isEmpty ? nil : (base as? any PinningTransport)?.adding(pins)
            transport = pinned ?? base
            ownTransports = pinned.map { [$0] } ?? []
        } else {
            transport = defaultTransport(configuration.transportConfiguration)
            ownTransports = [transport]
        }
        pipeline = Pipeline(configuration, transport: transport, retries: retries)
    }

    /// Creates a derived client.
    ///
    /// - Parameters:
    ///   - parent: The client that shares its transport.
    ///   - pins: The pins in addition to the parent's. If there are any, the client uses its own connections.
    private init(
        configuration: HttpClientConfiguration,
        sharingConnectionsOf parent: HttpClient,
        addingPins pins: CertificatePins
    ) {
        self.configuration = configuration
        problem = configuration.problem
        tracesAllCalls = configuration.isTraced || configuration.recorder != nil
        timeouts = ClientTimeouts(configuration.timeouts)
        timeoutsForStreams = ClientTimeouts(configuration.timeouts.forStream)
        self.parent = parent
        state = ClientState(parent: parent.state)
        retries = RetryDriver(configuration, of: state, derivedFrom: parent.retries)
        let pinned = pins.entries.isEmpty ? nil : (parent.transport as? any PinningTransport)?.adding(pins)
        transport = pinned ?? parent.transport
        ownTransports = pinned.map { [$0] } ?? []
        if let pinned { parent.state.add(pinned, of: state) }
        pipeline = Pipeline(configuration, transport: transport, retries: retries)
    }

    /// Creates a client with the default settings.
    public static func createClient() -> HttpClient { HttpClient() }

    /// Creates a client with settings that a closure changes from the defaults.
    ///
    /// - Throws: The error that the closure throws, for example for an invalid pin.
    public static func createClient(
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        var configuration = HttpClientConfiguration()
        try configure(&configuration)
        return HttpClient(configuration: configuration)
    }

    /// The policy for requests without a retry policy of their own.
    package var retry: RetryPolicy? { configuration.retry }

    deinit {
        for transport in ownTransports { transport.close() }
        parent?.state.removeTransport(of: state)
    }

    /// Returns a new request with the client's standard headers; see ``HttpClientConfiguration/standardHeaders``.
    ///
    /// They are added to other requests when these are sent, and again if they are removed from the request.
    public func request() -> HttpRequest { pipeline.newRequest }

    /// Builds a request, sends it and returns its complete response.
    ///
    /// ```swift
    /// let response = try await client.request { request in
    ///     request.url = "https://api.example.com/users"
    ///     request.get()
    /// }
    /// ```
    ///
    /// - Parameter builder: A closure that builds the request, on the actor of the caller.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    public nonisolated(nonsending) func request(
        _ builder: (inout HttpRequest) -> Void
    ) async throws(NetworkError) -> HttpResponse {
        var request = request()
        builder(&request)
        return try await self.request(request: request)
    }

    /// Sends a request and returns its complete response.
    ///
    /// - Parameter request: The request, which can be stored and sent again.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    public func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await perform(request, in: nil)
    }

    /// Sends a request, and returns its response as soon as its head has been received; see
    /// ``stream(_:handle:)``, which needs no scope.
    ///
    /// - Parameters:
    ///   - request: The request. Without a timeout, its total duration is not limited.
    ///   - scope: The scope for reading the body of the response.
    /// - Throws: ``NetworkError``, which states the request, the phase that failed and what to do.
    public func send(_ request: HttpRequest, in scope: ExchangeScope) async throws(NetworkError) -> HttpResponse {
        try await perform(request, in: scope)
    }

    /// Closes the client immediately: running and later calls fail with ``NetworkError/clientClosed(_:)``.
    ///
    /// This also closes all clients derived from it with ``derived(_:)``. Closing a derived client does not close others. If the
    /// connections are not its own, running exchanges may finish.
    public func close() {
        state.close()
        for transport in transportsToClose { transport.close() }
    }

    /// Closes the client gracefully: running exchanges may finish, and later calls fail with ``NetworkError/clientClosed(_:)``.
    ///
    /// Redirects that have not been followed and attempts that have not been made fail as well.
    ///
    /// A client created with ``derived(_:)`` does not wait if the connections are not its own.
    ///
    /// - Parameter grace: The time after which running exchanges are ended as by ``close()``.
    public func shutdown(grace: Duration) async {
        state.close()
        await withTaskGroup(of: Void.self) { group in
            for transport in transportsToClose {
                group.addTask { await transport.shutdown(grace: grace) }
            }
        }
    }

    /// The transports that are closed with the client: its own transports, the transports of derived clients, and the one that it was
    /// given.
    private var transportsToClose: [any Transport] {
        let given = parent == nil ? configuration.transport : nil
        return ownTransports + state.transports + [given].compactMap(\.self)
    }

    /// Sends a request and returns its response. With a scope, the body is streamed; otherwise it is collected in memory.
    ///
    /// - Parameter pauses: An object that records the call's pauses, for a caller that pauses the call or needs their duration; `nil` to
    ///   create one if the pipeline has interceptors that can pause the call.
    package func perform(
        _ request: HttpRequest,
        in scope: ExchangeScope?,
        pauses: CallPauses? = nil
    ) async throws(NetworkError) -> HttpResponse {
        do throws(NetworkError) {
            let call = try makeCall(for: request, in: scope, pauses)
            if request.isTraced || tracesAllCalls { return try await runTraced(request, call) }
            return try await pipeline.run(request, of: call)
        } catch {
            throw error.naming(request.description)
        }
    }

    /// Returns the state of a new call, after checking the request.
    // Not inlined: its local values would belong to the frame of `perform`, which a waiting call keeps.
    @inline(never)
    private func makeCall(
        for request: HttpRequest,
        in scope: ExchangeScope?,
        _ pauses: CallPauses?
    ) throws(NetworkError) -> Call {
        do throws(NetworkError) {
            try check(request)
        } catch {
            if let recorder = configuration.recorder {
                TraceRecorder(request, recording: recorder.begin(request)).finish(.failure(error))
            }
            throw error
        }
        // A timeout of the request limits the complete exchange, even if its body is streamed.
        let timeouts = scope == nil || request.timeout != nil ? timeouts : timeoutsForStreams
        return Call(of: state, in: scope, timeouts: timeouts, pauses: pauses ?? pipeline.makePauses())
    }

    /// Checks that the client is open and that the configuration and the request are valid.
    ///
    /// - Throws: ``NetworkError`` if the request cannot be sent.
    package func check(_ request: HttpRequest) throws(NetworkError) {
        try state.check()
        if let problem = problem ?? request.problems.first {
            throw .invalidRequest(problem)
        }
    }

    /// Returns a request as the interceptors of calls change it, without sending it.
    func intercepted(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        let capture = RequestCapture()
        var configuration = HttpClientConfiguration()
        configuration.interceptors = self.configuration.interceptors + [capture]
        let pipeline = Pipeline(configuration, transport: transport, retries: retries)
        return try await capture.request { () async throws(NetworkError) in
            try await pipeline.run(request, of: makeCall(for: request, in: nil, nil))
        }
    }

    private func runTraced(_ request: HttpRequest, _ call: Call) async throws(NetworkError) -> HttpResponse {
        let recorder = TraceRecorder(request, recording: configuration.recorder?.begin(request))
        let isTraced = request.isTraced || configuration.isTraced
        do throws(NetworkError) {
            var response = try await pipeline.run(
                request,
                of: call.traced(by: TracedStage(of: recorder, receiving: request))
            )
            recorder.finish(.success(response))
            if isTraced { response.trace = recorder.trace }
            return response
        } catch {
            recorder.finish(.failure(error))
            throw isTraced ? error.attaching(recorder.trace) : error
        }
    }
}

extension HttpClient {
    /// Creates a client that shares this client's connections, with a configuration that a closure changes.
    ///
    /// The clients also share cookies, unless the closure sets another jar; for the calls of several users, use
    /// ``forUser(cookieJar:_:)``. Closing this client closes the derived client, but not the reverse; see ``close()``. The derived
    /// client keeps this client alive.
    ///
    /// ```swift
    /// let reports = client.derived { config in config.timeout = 120 }
    /// ```
    ///
    /// The closure may add pins. The derived client then has its own connections, so that its calls never use a connection that
    /// was opened without these pins. If the closure also sets ``CertificatePins/onMismatch``, it replaces this client's
    /// handler:
    ///
    /// ```swift
    /// let payments = try client.derived { config in try config.pins.pin("pay.example.com", to: [currentKey, backupKey]) }
    /// ```
    ///
    /// - Parameter configure: A closure that changes the configuration. It must not set a transport, change the proxy or remove pins;
    ///   otherwise every call fails with ``NetworkError/invalidRequest(_:)``.
    /// - Throws: The error that the closure throws.
    public func derived(_ configure: (inout HttpClientConfiguration) throws -> Void) rethrows -> HttpClient {
        var configuration = configuration
        configuration.transport = nil
        try configure(&configuration)
        let hasTransport = configuration.transport != nil
        configuration.transport = self.configuration.transport
        let pins = configuration.pins.added(to: self.configuration.pins)
        let canAddPins = pins?.entries.isEmpty == true || transport is any PinningTransport
        let socket = self.configuration.transportConfiguration.unixSocketPath
        let hasSocket = configuration.transportConfiguration.unixSocketPath != socket
        let hasRoute = hasSocket || configuration.proxy != self.configuration.proxy
        if hasTransport || pins == nil || !canAddPins || hasRoute {
            configuration.derivationProblem = NetworkFailure(
                "a derived client has a transport, a proxy or a Unix socket of its own, lacks pins of the client that it is "
                    + "derived from, or adds pins to a transport that does not support pins",
                advice: "set them in the configuration of the other client, or create a new client with createClient"
            )
        }
        let added = pins ?? CertificatePins()
        return HttpClient(configuration: configuration, sharingConnectionsOf: self, addingPins: added)
    }

    /// Creates a client for one user of a program that has several, such as a server that calls an API for its own users.
    ///
    /// It has its own cookies, so that no user receives the session of another, and shares this client's connections. Create one
    /// for each user and keep it for as long as the user's session; clients are cheap. In all other respects it
    /// behaves like a client that ``derived(_:)`` creates.
    ///
    /// ```swift
    /// let client = HttpClient.createClient()  // shared by all users
    /// let alice = client.forUser()
    /// let bob = client.forUser { config in config.authentication = [.basic(user: "bob", password: password, for: api)] }
    /// ```
    ///
    /// Only cookies are separated without further settings. If this client has other properties of one user, such as an
    /// ``HttpClientConfiguration/authentication`` with that user's tokens, the closure must replace them.
    ///
    /// - Parameters:
    ///   - cookieJar: The jar for the user's cookies, by default a new, empty one. Do not pass it to clients of other users.
    ///   - configure: A closure that changes the configuration further; see ``derived(_:)``.
    /// - Throws: The error that the closure throws.
    public func forUser(
        cookieJar: CookieJar = CookieJar(),
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        try derived { config in
            config.cookieJar = cookieJar
            config.cache = config.cache?.withoutUser
            try configure(&config)
        }
    }

    /// Creates a client for one user of a program that has several; see ``forUser(cookieJar:_:)``.
    public func forUser(cookieJar: CookieJar = CookieJar()) -> HttpClient {
        forUser(cookieJar: cookieJar) { _ in }
    }
}
