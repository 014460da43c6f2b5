import SallyportTransport

/// A stage of a call that is traced: compares what it was given with what it passes on.
final class TracedStage: Sendable {
    let recorder: TraceRecorder
    private let name: String
    private let state: Locked<(last: HttpRequest, hasPassed: Bool)>

    /// - Parameters:
    ///   - recorder: Where changes are noted.
    ///   - name: The name of the stage.
    ///   - request: What the stage is given.
    init(of recorder: TraceRecorder, named name: String = "", given request: HttpRequest) {
        self.recorder = recorder
        self.name = name
        state = Locked((request, false))
    }

    /// Notes how a request differs from the one before it, which is the one that the stage was given or has passed on last.
    ///
    /// - Parameter part: What has changed it, where the stage is made of parts.
    func record(_ request: HttpRequest, by part: String? = nil) {
        let last = state.withLock { state in
            defer { state.last = request }
            return state.last
        }
        recorder.add(RequestChange.all(from: last, to: request), by: part ?? name)
    }

    /// Notes what the stage passes on.
    func pass(_ request: HttpRequest) {
        state.withLock { $0.hasPassed = true }
        record(request)
    }

    /// Notes what the stage answers, if it has passed nothing on.
    func answer(_ status: HttpStatus) {
        if state.withLock({ $0.hasPassed }) { return }
        recorder.answer(status, by: name)
    }
}
