import Sallyport
import SallyportStorage
import Tracing

/// A request that is sent. Its span and metrics are recorded once, when it has ended.
final class RequestRecord: Sendable {
    private struct State: Sendable {
        /// A Boolean value that indicates whether the call still decides about the redirect of the response.
        var isHeld = false
        /// The error of the call that the redirect has caused.
        var redirectError: NetworkError?
        /// The end, if the request ended while it was held.
        var end: RequestEnd?
    }

    private let facts: RequestFacts
    private let metrics: RequestMetrics?
    private let tracing: RequestTracing?
    private let span: (any Tracing.Span)?
    private let start = ContinuousClock.now
    private let state = Locked(State())

    init(
        _ facts: RequestFacts,
        _ metrics: RequestMetrics?,
        _ tracing: RequestTracing?,
        _ span: (any Tracing.Span)?
    ) {
        self.facts = facts
        self.metrics = metrics
        self.tracing = tracing
        self.span = span
        metrics?.started(facts)
    }

    /// Ends the request: its response has ended, or it has failed.
    func end(_ response: ResponseFacts?, _ error: NetworkError?) {
        metrics?.ended(facts)
        var end = RequestEnd(
            response: response,
            error: error,
            duration: ContinuousClock.now - start,
            time: DefaultTracerClock.now
        )
        let isHeld = state.withLock { state in
            end.error = end.error ?? state.redirectError
            if state.isHeld { state.end = end }
            return state.isHeld
        }
        if !isHeld { record(end) }
    }

    /// Defers recording the end until ``release(failing:)`` is called.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Records the end, if the request has ended, and otherwise when it ends.
    ///
    /// - Parameter error: The error that the redirect of the response has caused.
    func release(failing error: NetworkError? = nil) {
        let end = state.withLock { state in
            let end = state.end
            state = State(redirectError: error)
            return end
        }
        guard var end else { return }
        end.error = end.error ?? error
        record(end)
    }

    private func record(_ end: RequestEnd) {
        metrics?.record(facts, end)
        if let span { tracing?.end(span, facts, end) }
    }
}
