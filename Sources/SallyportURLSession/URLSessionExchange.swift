import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange of a `URLSession`: the data received so far, and the tasks that wait for it.
final class URLSessionExchange: Sendable {
    struct State: Sendable {
        var task: URLSessionTask?
        var spool: BodySpool?
        var progress: ExchangeProgress
        var informational: [HTTPResponse] = []
        var head: SessionHead?
        var incoming = IncomingData()
        /// The result of the exchange; `nil` while it runs.
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

    /// Changes the state, unless the exchange has ended, and resumes the waiting tasks.
    func update(_ change: @Sendable (inout State) -> Void) {
        state.withLock { state in
            if state.end == nil { change(&state) }
        }
        events.signal()
    }

    /// Reads the state.
    func read<Value: Sendable>(_ body: @Sendable (State) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Waits until a closure returns a value, the exchange fails, or the task is cancelled.
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

    /// Ends the exchange, with or without an error. Only the first call has an effect.
    func end(_ result: Result<Void, NetworkError>) {
        let ended: State? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = result
            if result.failure?.discardsData == true { state.incoming.discard() }
            defer {
                // A task retains its session, and the session its connections.
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

    /// A Boolean value that indicates whether the response has been received completely.
    var isReceived: Bool {
        state.withLock { if case .success? = $0.end { true } else { false } }
    }

    /// Discards the rest of the body, including received bytes.
    func cancel() {
        fail(.cancelled(NetworkFailure("the body was cancelled, or the scope of its exchange has ended", phase: .body)))
        state.withLock { $0.incoming.cancel() }
    }

    /// Registers a closure to call when the exchange ends, or calls it immediately if it has ended.
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
            state.progress.beginSending()
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
    /// A Boolean value that indicates whether bytes that were received before the failure are discarded.
    fileprivate var discardsData: Bool {
        switch self {
        case .cancelled, .clientClosed, .timeout: true
        default: false
        }
    }
}
