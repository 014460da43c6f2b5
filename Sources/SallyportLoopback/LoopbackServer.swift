#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1
import Sallyport

/// The server of a ``LoopbackListener``, which waits for the expected callback.
final class LoopbackServer: Sendable {
    private struct State {
        var expected: LoopbackRequest.Expected?
        var onIgnored: @Sendable (String) -> Void = { _ in }
        /// The number of authorization responses that do not belong to this login, and the description of the last one.
        var ignored = (count: 0, last: "")
        /// The number of requests that were not the expected callback.
        var refusals = 0
        /// A Boolean value that indicates whether the expected callback was accepted.
        var isFinished = false
    }

    /// The maximum number of error pages. After that, the connections of refused requests are closed without a response, to
    /// limit the effect of a program that calls the port repeatedly.
    static let maximumErrorPages = 100

    /// The maximum number of ignored responses that are reported.
    static let maximumReports = 10

    /// The promise of the callback's URL.
    let callback: EventLoopPromise<String>
    private let port = LoopbackPort()
    private let state: NIOLoopBoundBox<State>

    var eventLoop: any EventLoop { port.eventLoop }

    init() {
        callback = port.eventLoop.makePromise(of: String.self)
        state = .makeBoxSendingValue(State(), eventLoop: port.eventLoop)
    }

    /// Binds the port without accepting connections yet.
    ///
    /// - Returns: The address and port, in the form of a URL's authority.
    func listen(port number: Int) async throws -> String {
        try await port.listen(on: number) { received in
            self.eventLoop.makeSucceededFuture(self.answer(to: received))
        }
    }

    /// Starts to accept connections.
    ///
    /// - Parameter onIgnored: A closure that is called with the description of an authorization response that does not belong to this
    ///   login.
    func accept(_ expected: LoopbackRequest.Expected, onIgnored: @escaping @Sendable (String) -> Void) async throws {
        try await eventLoop.submit {
            self.state.value.expected = expected
            self.state.value.onIgnored = onIgnored
        }.get()
        try await port.accept()
    }

    /// Closes the port and all connections.
    func close() async {
        callback.fail(NetworkError.clientClosed("the listener was closed"))
        await port.close()
    }

    private func answer(to received: LoopbackPort.Received) -> LoopbackPort.Answer? {
        switch received {
        case .request(let head): answer(to: head)
        case .malformed: errorPage(.malformed).map { LoopbackPort.Answer($0) }
        case .tooLarge: errorPage(.tooLarge).map { LoopbackPort.Answer($0) }
        }
    }

    /// Returns the response to a request, or `nil` to close its connection without one. Only the first expected callback is
    /// accepted.
    private func answer(to head: HTTPRequestHead) -> LoopbackPort.Answer? {
        let response =
            if let expected = state.value.expected, !state.value.isFinished {
                LoopbackRequest(head).response(expected)
            } else {
                Response.notFound
            }
        if response == .unexpected, let description = LoopbackRequest(head).authorizationResponse {
            ignore(description)
        }
        guard response == .accepted else { return errorPage(response).map { LoopbackPort.Answer($0) } }
        state.value.isFinished = true
        return LoopbackPort.Answer(response) { self.finish(with: head.uri) }
    }

    private func ignore(_ description: String) {
        state.value.ignored = (state.value.ignored.count + 1, description)
        if state.value.ignored.count <= Self.maximumReports { state.value.onIgnored(description) }
    }

    /// Fails the wait for the callback. Must be called on the event loop.
    func timeOut(after limit: Duration) {
        let (count, last) = state.value.ignored
        let wait = "within \(Quantity.time(limit))"
        let failure =
            if count == 0 {
                NetworkFailure(
                    "no callback was received \(wait)",
                    advice: "start the login again, and complete it in the browser"
                )
            } else {
                NetworkFailure(
                    "no callback with the state of this login was received \(wait); \(Self.others(count)) ignored: \(last)",
                    advice:
                        "unless another login was started meanwhile, report to the server's operator that the state is missing"
                )
            }
        callback.fail(NetworkError.timeout(failure))
    }

    private static func others(_ count: Int) -> String { count == 1 ? "another one was" : "\(count) others were" }

    /// Returns the error page for a request that is refused, or `nil` after ``maximumErrorPages`` of them.
    private func errorPage(_ response: Response) -> Response? {
        state.value.refusals += 1
        return state.value.refusals <= Self.maximumErrorPages ? response : nil
    }

    /// Fulfills the promise with the URL of the callback and closes the server. Called after the response has been sent.
    private func finish(with target: String) {
        if let expected = state.value.expected { callback.succeed("http://\(expected.authority)\(target)") }
        port.end()
    }
}

extension LoopbackPort.Answer {
    fileprivate init(_ response: LoopbackServer.Response, afterSending: (@Sendable () -> Void)? = nil) {
        self.init(
            status: response.status,
            headers: response.headers,
            body: ByteBuffer(string: response.page),
            afterSending: afterSending
        )
    }
}
#endif
