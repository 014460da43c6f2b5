/// The reports of a queue's transfers: each transfer as it stands at first, then each that changes, until the task that
/// reads them is cancelled.
///
/// What other processes do is seen within a quarter of a second. A reader that is slow misses some reports, never the
/// last of a transfer.
public struct QueueReports: AsyncSequence, Sendable {
    let queue: TransferQueue

    /// Reads the reports.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let store: QueueStore
        private var last: [String: TransferReport] = [:]
        private var left: ArraySlice<TransferReport> = []

        fileprivate init(_ store: QueueStore) {
            self.store = store
        }

        /// The next report; `nil` once the task is cancelled.
        ///
        /// - Throws: ``TransferError`` if the folder cannot be read.
        public mutating func next() async throws -> TransferReport? {
            while !Task.isCancelled {
                if let report = left.popFirst() { return report }
                let version = store.signal.version
                let reports = try await store.reports()
                left = reports.filter { last[$0.identifier] != $0 }[...]
                last = Dictionary(reports.map { ($0.identifier, $0) }) { $1 }
                if left.isEmpty {
                    await store.signal.wait(after: version, upTo: QueueStore.interval, store.time)
                }
            }
            return nil
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue.store) }
}
