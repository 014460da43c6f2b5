#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1
import Sallyport

/// The server of a ``LoopbackListener``, which waits for the expected callback.
final class LoopbackServer: Sendable {
    private struct State {
        var expected: LoopbackRequest.Expected?
        /// The number of requests that were not the expected callback.
        var refusals = 0
        /// A Boolean value that indicates whether the expected callback was accepted.
        var isFinished = false
    }

    /// The maximum number of error pages. After that, the connections of refused requests are closed without a response, to
    /// limit the effect of a program that calls the port repeatedly.
    static let maximumErrorPages = 100

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
    func accept(_ expected: LoopbackRequest.Expected) async throws {
        try await eventLoop.submit { self.state.value.expected = expected }.get()
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
        guard response == .accepted else { return errorPage(response).map { LoopbackPort.Answer($0) } }
        state.value.isFinished = true
        return LoopbackPort.Answer(response) { self.finish(with: head.uri) }
    }

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
