import SallyportStorage
import SallyportTransport

/// Records the trace of one call.
final class TraceRecorder: Sendable {
    /// The trace, which is masked by names only, and the values of its secrets.
    private let state: Locked<(trace: InterceptorTrace, masker: SecretMasker)>
    /// The recording of the call, if the client has a ``TrafficRecorder``.
    private let recording: CallRecording?

    init(_ request: HttpRequest, recording: CallRecording? = nil) {
        self.recording = recording
        let masker = SecretMasker(sentBy: request)
        state = Locked((InterceptorTrace(request: Redaction.line(request), action: request.action?.type), masker))
    }

    /// Returns the recorder of a call that validates the cache after this one; `nil` if calls are not recorded.
    func validation(of request: HttpRequest) -> TraceRecorder? {
        recording.map { TraceRecorder(request, recording: $0.validation(of: request)) }
    }

    /// The trace. The secrets that the requests contain are also masked where a stage has copied them.
    var trace: InterceptorTrace {
        let (trace, masker) = state.withLock { $0 }
        return trace.masked(masker)
    }

    /// Adds the changes of a stage to the current attempt.
    ///
    /// - Parameter request: The request after the changes.
    func add(_ changes: [RequestChange], to request: HttpRequest, by stage: String) {
        if changes.isEmpty { return }
        state.withLock { state in
            state.masker.collectSecrets(of: request, includesBody: changes.contains { $0.part == .body })
            state.trace.changeCurrentAttempt { $0.stages.append(InterceptorTrace.Stage(name: stage, changes: changes)) }
        }
    }

    /// Records that a request is passed to the transport.
    func send(_ request: HttpRequest) -> TracedAttempt {
        let line = Redaction.line(request)
        let attempt = state.withLock { state in
            state.trace.changeCurrentAttempt { $0.sent = line }
            return state.trace.attempts.count + state.trace.furtherAttempts - 1
        }
        recording?.send(request, attempt: attempt, trace)
        return TracedAttempt(recorder: self, index: attempt)
    }

    /// Records the response to an attempt.
    ///
    /// - Parameter scope: The scope for reading the body if it is streamed.
    /// - Returns: The response. Its body is recorded when it is read.
    fileprivate func answer(_ response: HttpResponse, to attempt: Int, in scope: ExchangeScope?) -> HttpResponse {
        state.withLock { state in
            guard state.trace.attempts.indices.contains(attempt) else { return }
            state.trace.attempts[attempt].status = response.status
        }
        return recording?.answer(response, to: attempt, trace, in: scope) ?? response
    }

    /// Records that an attempt failed.
    fileprivate func fail(_ error: NetworkError, attempt: Int) {
        recording?.fail(error, attempt: attempt, trace)
    }

    /// Records the response or the error that the app receives.
    func finish(_ result: Result<HttpResponse, NetworkError>) {
        switch result {
        case .success(let response): recording?.finish(response, trace)
        case .failure(let error): recording?.finish(error, trace)
        }
    }

    /// Records the decision of the cache about a request, before it is sent or answered.
    func recordDecision(_ status: HttpCacheStatus) {
        state.withLock { state in
            state.trace.changeCurrentAttempt { $0.cacheStatus = status }
        }
    }

    /// Replaces the decision of the cache about the request that was sent last.
    func recordOutcome(_ status: HttpCacheStatus) {
        state.withLock { state in
            guard state.trace.furtherAttempts == 0, let last = state.trace.attempts.indices.last else { return }
            state.trace.attempts[last].cacheStatus = status
        }
    }

    /// Records that a stage returned a response without sending the request.
    func answer(_ status: HttpStatus, by stage: String) {
        state.withLock { state in
            state.trace.changeCurrentAttempt { attempt in
                attempt.status = status
                attempt.answeredBy = stage
            }
        }
    }
}

extension InterceptorTrace {
    private static let maximumAttempts = 100

    /// Returns the trace for display: secrets are masked by value too, and each text is one line of limited length.
    fileprivate func masked(_ masker: SecretMasker) -> InterceptorTrace {
        var trace = InterceptorTrace(request: masker.masked(request), action: action)
        trace.furtherAttempts = furtherAttempts
        trace.attempts = attempts.map { attempt in
            var attempt = attempt
            attempt.sent = attempt.sent.map(masker.masked)
            attempt.stages = attempt.stages.map { stage in
                Stage(name: stage.name, changes: stage.changes.map { $0.shown(masker) })
            }
            return attempt
        }
        return trace
    }

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

/// An attempt of a traced call that has been passed to the transport.
struct TracedAttempt: Sendable {
    fileprivate let recorder: TraceRecorder
    fileprivate let index: Int

    /// Records the response.
    ///
    /// - Parameter scope: The scope for reading the body if it is streamed.
    /// - Returns: The response. Its body is recorded when it is read.
    func answer(_ response: HttpResponse, in scope: ExchangeScope?) -> HttpResponse {
        recorder.answer(response, to: index, in: scope)
    }

    /// Records that the attempt failed.
    func fail(_ error: NetworkError) { recorder.fail(error, attempt: index) }
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
    private func record(_ request: HttpRequest) {
        let last = state.withLock { state in
            defer { state.last = request }
            return state.last
        }
        recorder.add(RequestChange.all(from: last, to: request), to: request, by: name)
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
