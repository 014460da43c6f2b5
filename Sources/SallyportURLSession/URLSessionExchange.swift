import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange on its way through `URLSession`: what came in so far, and who waits for it.
final class URLSessionExchange: Sendable {
    struct State: Sendable {
        var task: URLSessionTask?
        var spool: BodySpool?
        var progress: ExchangeProgress
        var informational: [HTTPResponse] = []
        var head: SessionHead?
        var incoming = IncomingData()
        /// `nil` while the exchange runs; afterwards why it failed, if it did.
        var end: Result<Void, NetworkError>?
        var onEnd: (@Sendable () -> Void)?
    }

    let request: TransportRequest
    let limits: ResponseLimits
    let decodesContent: Bool
    private let state: Locked<State>
    private let events = EventCount()

    init(request: TransportRequest, configuration: TransportConfiguration) {
        self.request = request
        limits = configuration.responses
        decodesContent = configuration.decodesContent
        state = Locked(State(progress: ExchangeProgress(timeouts: request.timeouts, started: .now)))
    }

    /// Changes the state, and wakes whoever waits for it.
    func update(_ change: @Sendable (inout State) -> Void) {
        state.withLock { state in
            if state.end == nil { change(&state) }
        }
        events.signal()
    }

    /// Looks at the state.
    func read<Value: Sendable>(_ look: @Sendable (State) -> Value) -> Value {
        state.withLock { look($0) }
    }

    /// Waits until there is something to take, the exchange fails, or the task is cancelled.
    func wait<Value: Sendable>(
        for take: @Sendable (inout State) throws(NetworkError) -> Value?
    ) async throws(NetworkError) -> Value {
        while true {
            let seen = events.count
            if let value = try takeNow(take) { return value }
            if Task.isCancelled { throw .cancelled("the task was cancelled") }
            let limit = state.withLock { $0.progress.nextLimit }
            if let limit, limit.deadline <= .now { fail(limit.error) }
            if let failure = state.withLock({ $0.end?.failure }) { throw failure.naming(request.head.summary) }
            await events.wait(after: seen, until: limit?.deadline)
        }
    }

    private func takeNow<Value: Sendable>(
        _ take: @Sendable (inout State) throws(NetworkError) -> Value?
    ) throws(NetworkError) -> Value? {
        let result: Result<Value?, NetworkError> = state.withLock { state in
            Result { () throws(NetworkError) in try take(&state) }
        }
        return try result.get()
    }

    /// Ends the exchange well, or with an error; only the first end counts.
    func end(_ result: Result<Void, NetworkError>) {
        let ended: State? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = result
            if result.failure?.discardsData == true { state.incoming.discard() }
            defer {
                // A task keeps its session, and that its connections.
                state.task = nil
                state.onEnd = nil
            }
            return state
        }
        guard let ended else { return }
        if result.failure != nil { ended.task?.cancel() }
        ended.spool?.remove()
        ended.onEnd?()
        events.signal()
    }

    func fail(_ error: NetworkError) {
        end(.failure(error))
    }

    /// Gives up the rest of the body; bytes that came already are lost too.
    func cancel() {
        fail(.cancelled(NetworkFailure("the body was given up, or the scope of its exchange has ended", phase: .body)))
        state.withLock { $0.incoming.cancel() }
    }

    /// Registers what is done when the exchange ends.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.onEnd = action }
            return state.end != nil
        }
        if hasEnded { action() }
    }

    func start(_ task: URLSessionTask) {
        let hasEnded = state.withLock { state in
            if state.end == nil { state.task = task }
            state.progress.requestLeaves()
            return state.end != nil
        }
        task.resume()
        if hasEnded { task.cancel() }
    }
}

extension Result where Success == Void {
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}

extension NetworkError {
    /// Whether bytes that came before the failure are of no use to anybody.
    fileprivate var discardsData: Bool {
        switch self {
        case .cancelled, .clientClosed, .timeout: true
        default: false
        }
    }
}
