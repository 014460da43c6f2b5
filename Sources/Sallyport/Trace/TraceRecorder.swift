import SallyportStorage
import SallyportTransport

/// Records the trace of one call.
final class TraceRecorder: Sendable {
    private let state: Locked<InterceptorTrace>

    init(_ request: HttpRequest) {
        state = Locked(InterceptorTrace(request: Redaction.line(request), action: request.action?.type))
    }

    var trace: InterceptorTrace { state.withLock { $0 } }

    /// Adds the changes of a stage to the current attempt.
    func add(_ changes: [RequestChange], by stage: String) {
        if changes.isEmpty { return }
        state.withLock { trace in
            trace.changeCurrentAttempt { $0.stages.append(InterceptorTrace.Stage(name: stage, changes: changes)) }
        }
    }

    /// Records that a request is passed to the transport.
    ///
    /// - Returns: The index of the attempt.
    func send(_ request: HttpRequest) -> Int {
        let line = Redaction.line(request)
        return state.withLock { trace in
            trace.changeCurrentAttempt { $0.sent = line }
            return trace.attempts.count + trace.furtherAttempts - 1
        }
    }

    /// Records the response to an attempt.
    func answer(_ status: HttpStatus, to attempt: Int) {
        state.withLock { trace in
            if trace.attempts.indices.contains(attempt) { trace.attempts[attempt].status = status }
        }
    }

    /// Records the decision of the cache about a request, before it is sent or answered.
    func recordDecision(_ status: HttpCacheStatus) {
        state.withLock { trace in
            trace.changeCurrentAttempt { $0.cacheStatus = status }
        }
    }

    /// Replaces the decision of the cache about the request that was sent last.
    func recordOutcome(_ status: HttpCacheStatus) {
        state.withLock { trace in
            guard trace.furtherAttempts == 0, !trace.attempts.isEmpty else { return }
            trace.attempts[trace.attempts.count - 1].cacheStatus = status
        }
    }

    /// Records that a stage returned a response without sending the request.
    func answer(_ status: HttpStatus, by stage: String) {
        state.withLock { trace in
            trace.changeCurrentAttempt { attempt in
                attempt.status = status
                attempt.answeredBy = stage
            }
        }
    }
}

extension InterceptorTrace {
    private static let maximumAttempts = 100

    /// Changes the attempt that has not been sent yet. Adds an attempt if all have been sent.
    fileprivate mutating func changeCurrentAttempt(_ change: (inout Attempt) -> Void) {
        let isNew = attempts.last.map { $0.sent != nil || $0.status != nil } ?? true
        guard isNew || furtherAttempts > 0 else { return change(&attempts[attempts.count - 1]) }
        var attempt = Attempt(stages: [])
        change(&attempt)
        if furtherAttempts > 0 || attempts.count == Self.maximumAttempts {
            if attempt.sent != nil { furtherAttempts += 1 }
        } else {
            attempts.append(attempt)
        }
    }
}

/// A stage of a traced call, which compares the request that it received with those that it passes on.
final class TracedStage: Sendable {
    let recorder: TraceRecorder
    private let name: String
    private let state: Locked<(last: HttpRequest, hasPassed: Bool)>

    /// Creates the record of a stage.
    ///
    /// - Parameters:
    ///   - recorder: The recorder of the call's trace.
    ///   - name: The name of the stage.
    ///   - request: The request that the stage received.
    init(of recorder: TraceRecorder, named name: String = "", receiving request: HttpRequest) {
        self.recorder = recorder
        self.name = name
        state = Locked((request, false))
    }

    /// Creates the record of a later stage.
    func next(_ name: String, receiving request: HttpRequest) -> TracedStage {
        TracedStage(of: recorder, named: name, receiving: request)
    }

    /// Records the changes since the request that the stage received or last passed on.
    ///
    /// - Parameter part: The part of the stage that made the changes, if the stage has several.
    func record(_ request: HttpRequest, by part: String? = nil) {
        let last = state.withLock { state in
            defer { state.last = request }
            return state.last
        }
        recorder.add(RequestChange.all(from: last, to: request), by: part ?? name)
    }

    /// Records a request that the stage passes on.
    func pass(_ request: HttpRequest) {
        state.withLock { $0.hasPassed = true }
        record(request)
    }

    /// Records the decision of the cache; see ``TraceRecorder/recordDecision(_:)``.
    func recordDecision(_ status: HttpCacheStatus) { recorder.recordDecision(status) }

    /// Records the final decision of the cache; see ``TraceRecorder/recordOutcome(_:)``.
    func recordOutcome(_ status: HttpCacheStatus) { recorder.recordOutcome(status) }

    /// Records the response of the stage if it has not passed on any request.
    func answer(_ status: HttpStatus) {
        if state.withLock({ $0.hasPassed }) { return }
        recorder.answer(status, by: name)
    }
}
