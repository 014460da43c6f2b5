/// The reports of a queue's transfers: each transfer as it stands at first, then each that changes, until the task that
/// reads them is cancelled.
///
/// What other processes do is seen within a quarter of a second. A reader that is slow misses some reports, never the
/// last of a transfer.
public struct TransferReports: AsyncSequence, Sendable {
    let queue: TransferQueue

    /// Reads the reports.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let queue: TransferQueue

        /// The next report; `nil` once the task is cancelled.
        ///
        /// - Throws: ``TransferError`` if the folder cannot be read.
        public mutating func next() async throws -> TransferReport? {
            fatalError("stub: queue")
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: queue) }
}
