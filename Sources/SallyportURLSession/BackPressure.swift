import SallyportTransport

/// Back-pressure: the session stops reading while the reader is slow.
///
/// It is not available on Linux, where `suspend()` loses bytes of the body. Received bytes are buffered in memory there.
extension URLSessionExchange {
    #if canImport(Darwin)
    private static let bufferLimit = 4 << 20
    private static let resumptionLimit = 1 << 20

    /// Suspends the task when the buffer exceeds its maximum. A suspended task is not suspended again, because suspensions are
    /// counted.
    func pauseReading() {
        read { $0.incoming.buffered > Self.bufferLimit && $0.task?.state == .running ? $0.task : nil }?.suspend()
    }

    /// Resumes the task when most of the buffer has been read.
    func resumeReading() {
        read { $0.incoming.buffered < Self.resumptionLimit && $0.task?.state == .suspended ? $0.task : nil }?.resume()
    }
    #else
    func pauseReading() {}
    func resumeReading() {}
    #endif
}
