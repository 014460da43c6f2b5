import SallyportTransport

/// Remembers what happens in one call that is traced.
final class TraceRecorder: Sendable {
    private let state: Locked<InterceptorTrace>

    init(_ request: HttpRequest) {
        state = Locked(InterceptorTrace(request: Redaction.line(request), action: request.action?.type))
    }

    var trace: InterceptorTrace { state.withLock { $0 } }

    /// Adds what a stage changed to the attempt that is being made.
    func add(_ changes: [RequestChange], by stage: String) {
        if changes.isEmpty { return }
        state.withLock { trace in
            trace.changePresentAttempt { $0.stages.append(InterceptorTrace.Stage(name: stage, changes: changes)) }
        }
    }

    /// Notes that a request is handed to the transport.
    ///
    /// - Returns: The number of the attempt.
    func send(_ request: HttpRequest) -> Int {
        let line = Redaction.line(request)
        return state.withLock { trace in
            trace.changePresentAttempt { $0.sent = line }
            return trace.attempts.count + trace.furtherAttempts - 1
        }
    }

    /// Notes the answer to an attempt.
    func answer(_ status: HttpStatus, to attempt: Int) {
        state.withLock { trace in
            if trace.attempts.indices.contains(attempt) { trace.attempts[attempt].status = status }
        }
    }

    /// Notes that a stage answered instead of the server.
    func answer(_ status: HttpStatus, by stage: String) {
        state.withLock { trace in
            trace.changePresentAttempt { attempt in
                attempt.status = status
                attempt.answeredBy = stage
            }
        }
    }
}

extension InterceptorTrace {
    private static let mostAttempts = 100

    /// Changes the attempt that has not been sent yet, which is a new one if all have.
    fileprivate mutating func changePresentAttempt(_ change: (inout Attempt) -> Void) {
        let isNew = attempts.last.map { $0.sent != nil || $0.status != nil } ?? true
        guard isNew || furtherAttempts > 0 else { return change(&attempts[attempts.count - 1]) }
        var attempt = Attempt(stages: [])
        change(&attempt)
        if furtherAttempts > 0 || attempts.count == Self.mostAttempts {
            if attempt.sent != nil { furtherAttempts += 1 }
        } else {
            attempts.append(attempt)
        }
    }
}
