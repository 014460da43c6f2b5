/// The reports of a transfer: the newest at once, then each that comes, until the transfer is over.
///
/// A reader that is slow misses some, never the last. Each iteration is a reader of its own.
public struct TransferProgressUpdates: AsyncSequence, Sendable {
    private let reports: ProgressReports
    private let transfer: any Sendable

    init(reports: ProgressReports, of transfer: any Sendable) {
        self.reports = reports
        self.transfer = transfer
    }

    /// Reads the reports.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<TransferProgress>.Iterator
        fileprivate let transfer: any Sendable

        /// The next report; `nil` once the last has been given, or the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await stream.next()
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: reports.stream().makeAsyncIterator(), transfer: transfer)
    }
}
