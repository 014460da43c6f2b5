import SallyportTransport

/// Back-pressure: the session stops reading while the reader is slow.
///
/// It is not available on Linux, where `suspend()` loses bytes of the body. Received bytes are buffered in memory there.
extension URLSessionExchange {
    #if canImport(Darwin)
    private static let bufferLimit = 4 << 20
    private static let resumptionLimit = 1 << 20

    /// Suspends the task when the buffer exceeds its maximum. A suspended task is not suspended again, because suspensions are
    /// counted. The lock is held meanwhile, so that the reader cannot empty the buffer between the comparison and the suspension.
    func pauseReading() {
        read { state in
            if state.incoming.buffered > Self.bufferLimit, state.task?.state == .running {
                state.task?.suspend()
            }
        }
    }

    /// Resumes the task when most of the buffer has been read.
    func resumeReading() {
        read { state in
            if state.incoming.buffered < Self.resumptionLimit, state.task?.state == .suspended {
                state.task?.resume()
            }
        }
    }
    #else
    func pauseReading() {}
    func resumeReading() {}
    #endif
}
