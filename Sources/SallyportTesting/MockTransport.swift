import HTTPTypes
import SallyportTransport

/// A transport without a network: it answers as it is told, and records what it was sent.
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
public final class MockTransport: Transport {
    /// Makes the answer to one request. What it throws fails the exchange.
    public typealias Answer = @Sendable (MockRequest) async throws -> MockResponse

    private struct State: Sendable {
        var routes: [(MockRoute, Answer)] = []
        var requests: [MockRequest] = []
    }

    private let state = Locked(State())
    private let otherwise: Answer
    private let gate = MockGate()

    /// Makes a transport.
    ///
    /// - Parameter answer: Answers the requests for which there is no route. By default they fail.
    public init(_ answer: Answer? = nil) {
        otherwise =
            answer ?? { request in
                throw NetworkError.networkError("MockTransport has no route for \(request.method) \(request.path)")
            }
    }

    /// All requests so far, in the order in which they came.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    /// Answers the requests of a method and a path. The route that was added last is tried first.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for every one.
    ///   - path: The path without a query. A segment `*` is any one segment, and `**` at the end any number of them.
    ///   - answer: Makes the answer to each request.
    public func on(_ method: HTTPRequest.Method?, _ path: String, answer: @escaping Answer) {
        state.withLock { $0.routes.insert((MockRoute(method: method, path: path), answer), at: 0) }
    }

    /// Answers the requests of a method and a path with the same response each time.
    public func on(_ method: HTTPRequest.Method?, _ path: String, _ response: MockResponse) {
        on(method, path) { _ in response }
    }

    /// Records the request and gives its answer.
    ///
    /// - Throws: What the answer or its fault says, or ``NetworkError/clientClosed(_:)`` once closed.
    public func send(
        _ request: TransportRequest,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> TransportResponse {
        do {
            try gate.checkOpen()
            let received = try await MockRequest(request)
            let answer = state.withLock { state in
                state.requests.append(received)
                return state.routes.first { $0.0.matches(received) }?.1
            }
            let response = try await (answer ?? otherwise)(received)
            try gate.checkOpen()
            return try await deliver(response, to: request, in: scope)
        } catch {
            throw NetworkError(wrapping: error, reason: "the mock's answer failed")
        }
    }

    private func deliver(
        _ response: MockResponse,
        to request: TransportRequest,
        in scope: ExchangeScope
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

    /// Ends at once: stalled exchanges and all later ones fail with ``NetworkError/clientClosed(_:)``.
    public func close() {
        gate.close()
    }

    /// Ends at once, as ``close()`` does: no mocked exchange takes time but one that is stalled.
    public func shutdown(grace: Duration) async {
        gate.close()
    }
}
