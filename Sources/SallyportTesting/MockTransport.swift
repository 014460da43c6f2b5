import HTTPTypes
import SallyportStorage
import SallyportTransport

/// A transport for tests that returns configured responses and records requests.
///
/// ```swift
/// let server = MockTransport()
/// server.on(.get, "/users/*", .json(#"{"name": "John"}"#))
/// server.on(.post, "/users") { request in .text(request.text, status: 201) }
///
/// let client = HttpClient.createClient { config in config.transport = server }
/// let response = try await client.request { request in request.url = "https://api.example.com/users/7" }
/// #expect(server.requests.first?.header("Accept") == nil)
/// ```
public final class MockTransport: PinningTransport {
    /// A closure that returns the response to a request. If it throws, the exchange fails.
    public typealias Answer = @Sendable (MockRequest) async throws -> MockResponse

    private struct State: Sendable {
        var routes: [(MockRoute, Answer)] = []
        var requests: [MockRequest] = []
        /// The keys that hosts present, by host in lower case. The empty string stands for all other hosts.
        var keys: [String: [CertificatePin]] = [:]
    }

    private let state = Locked(State())
    /// Returns the responses to requests without a route.
    private let defaultAnswer: Answer
    private let gate = MockGate()

    /// Creates a transport.
    ///
    /// - Parameter answer: Returns the responses to requests without a route. By default they fail.
    public init(_ answer: Answer? = nil) {
        defaultAnswer =
            answer ?? { request in
                throw NetworkError.networkError("MockTransport has no route for \(request.method) \(request.path)")
            }
    }

    /// The requests in the order they were received.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    /// Adds a route for a method and a path. Routes that were added later take precedence.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for all methods.
    ///   - path: The path without a query. A segment `*` matches any segment, and `**` at the end any number of segments.
    ///   - answer: Returns the response to each request.
    public func on(_ method: HTTPRequest.Method?, _ path: String, answer: @escaping Answer) {
        state.withLock { $0.routes.insert((MockRoute(method: method, path: path), answer), at: 0) }
    }

    /// Adds a route for a method and a path that always returns the same response.
    public func on(_ method: HTTPRequest.Method?, _ path: String, _ response: MockResponse) {
        on(method, path) { _ in response }
    }

    /// Sets the public keys of the certificates that hosts present, for tests of pins. The default is none, which matches no pin.
    ///
    /// ```swift
    /// let server = MockTransport { _ in .text("hello") }
    /// server.present([try CertificatePin(currentKey)], for: "api.example.com")
    /// let client = try HttpClient.createClient { config in
    ///     config.transport = server
    ///     try config.pins.pin("api.example.com", to: [currentKey, backupKey])
    /// }
    /// ```
    ///
    /// Requests that are refused because of pins are not recorded.
    ///
    /// - Parameters:
    ///   - keys: The public keys of the certificate chain, from the server's certificate to the root.
    ///   - host: The host that presents them; `nil` for all hosts without keys of their own.
    public func present(_ keys: [CertificatePin], for host: String? = nil) {
        state.withLock { $0.keys[host?.lowercased() ?? ""] = keys }
    }

    /// Returns the certificates that a host presents.
    func chain(of host: String) -> [PinMismatch.Certificate] {
        let keys = state.withLock { $0.keys[host] ?? $0.keys[""] ?? [] }
        return keys.map { PinMismatch.Certificate(subject: "mock", pin: $0) }
    }

    /// Returns a transport that requires the presented keys to match pins, and shares the routes and recorded requests of this one.
    public func adding(_ pins: CertificatePins) -> any PinningTransport {
        PinnedMock(mock: self, pins: pins)
    }

    /// Records a request and returns its response.
    ///
    /// - Throws: The error of the response or of its simulated failure, or ``NetworkError/clientClosed(_:)`` if the transport is closed.
    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        try await send(request, in: scope, gate)
    }

    func send(
        _ request: TransportRequest,
        in scope: ExchangeScope,
        _ gate: MockGate
    ) async throws(NetworkError) -> TransportResponse {
        do {
            try gate.checkOpen()
            let received = try await MockRequest(request)
            let answer = state.withLock { state in
                state.requests.append(received)
                return state.routes.first { $0.0.matches(received) }?.1
            }
            let response = try await (answer ?? defaultAnswer)(received)
            try gate.checkOpen()
            return try await deliver(response, to: request, in: scope, gate)
        } catch {
            throw NetworkError(wrapping: error, reason: "the mock's answer failed")
        }
    }

    private func deliver(
        _ response: MockResponse,
        to request: TransportRequest,
        in scope: ExchangeScope,
        _ gate: MockGate
    ) async throws(NetworkError) -> TransportResponse {
        switch response.fault {
        case .fail(let error): throw error
        case .stall: throw await gate.stall(for: request.timeouts.total, phase: .head)
        case .drip, .cut, .stallBody, nil: break
        }
        for informational in response.informational { request.onInformational?(informational) }
        let isBodiless = request.head.method == .head || [204, 304].contains(response.status.code)
        let source = MockBody(response, isEmpty: isBodiless, gate: gate, limit: request.timeouts.total)
        guard scope.onExit({ source.cancel() }) else { throw .cancelled("the scope of the exchange has ended") }
        return TransportResponse(
            head: HTTPResponse(status: response.status, headerFields: response.headers),
            body: ResponseBody(length: isBodiless ? 0 : Int64(response.body.count), source: source),
            connection: response.connection,
            informational: response.informational
        )
    }

    /// Closes the transport: stalled and later exchanges fail with ``NetworkError/clientClosed(_:)``.
    public func close() {
        gate.close()
    }

    /// Closes the transport like ``close()``, without waiting.
    public func shutdown(grace: Duration) async {
        gate.close()
    }
}

/// A transport that compares presented keys with pins before it passes requests on to a mock.
private struct PinnedMock: PinningTransport {
    let mock: MockTransport
    let pins: CertificatePins
    private let gate = MockGate()

    init(mock: MockTransport, pins: CertificatePins) {
        self.mock = mock
        self.pins = pins
    }

    func adding(_ pins: CertificatePins) -> any PinningTransport {
        PinnedMock(mock: mock, pins: self.pins.adding(pins))
    }

    func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        let origin = try Origin(of: request.head)
        try pins.checkCall(to: origin)
        if origin.scheme == .https {
            try pins.check(origin.host) { () throws(NetworkError) in mock.chain(of: origin.host) }
        }
        return try await mock.send(request, in: scope, gate)
    }

    func close() {
        gate.close()
    }

    func shutdown(grace: Duration) async {
        gate.close()
    }
}

/// A pattern for the requests to which a response of a ``MockTransport`` applies.
struct MockRoute: Sendable {
    /// The method; `nil` for all methods.
    let method: HTTPRequest.Method?
    private let segments: [Substring]

    /// Creates a route.
    ///
    /// - Parameter path: The path. A segment `*` matches any segment, and `**` at the end any number of segments.
    init(method: HTTPRequest.Method?, path: String) {
        self.method = method
        segments = Self.split(path)
    }

    func matches(_ request: MockRequest) -> Bool {
        if let method, method != request.method { return false }
        let path = Self.split(request.path)
        let isOpen = segments.last == "**"
        let fixed = isOpen ? segments.dropLast() : segments[...]
        guard isOpen ? path.count >= fixed.count : path.count == fixed.count else { return false }
        return zip(fixed, path).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
