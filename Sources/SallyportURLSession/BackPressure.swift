import SallyportTransport

/// Slowing the server to the pace of the reader.
///
/// On Linux nothing can: there `suspend()` loses bytes of the body, so that whatever comes is kept in memory.
extension URLSessionExchange {
    #if canImport(Darwin)
    private static let most = 4 << 20
    private static let least = 1 << 20

    /// Stops the session when more has come than should be kept.
    func pauseReading() {
        read { $0.incoming.buffered > Self.most ? $0.task : nil }?.suspend()
    }

    /// Lets the session go on when most of what came has been read.
    func resumeReading() {
        read { $0.incoming.buffered < Self.least && $0.task?.state == .suspended ? $0.task : nil }?.resume()
    }
    #else
    func pauseReading() {}
    func resumeReading() {}
    #endif
}
