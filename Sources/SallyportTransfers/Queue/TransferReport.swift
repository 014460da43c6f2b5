import Foundation
import Sallyport

/// The state of a transfer in a ``TransferQueue``.
public struct TransferReport: Sendable, Hashable {
    /// The states of a transfer.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The transfer waits for other transfers, for a process that runs the queue, or for its next attempt.
        case waiting
        /// The transfer is in progress.
        case running
        /// The transfer is paused.
        case paused
        /// The transfer has succeeded; see ``TransferReport/result``.
        case finished
        /// The transfer has failed; see ``TransferReport/error``.
        case failed
        /// The transfer was cancelled.
        case cancelled

        /// A Boolean value that indicates whether the transfer has ended, until it is retried or removed.
        public var isEnd: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// The result of a transfer.
    public enum Result: Sendable, Hashable, Codable {
        /// The downloaded file.
        case file(URL, length: Int64)
        /// The response to an upload, or the response that refused a transfer: the status, and the first 64 KiB of the
        /// body.
        case response(status: Int, body: Data)
    }

    /// The transfer.
    public var transfer: QueuedTransfer

    /// The state of the transfer.
    public var state: State

    /// The progress of the transfer. While it is waiting or paused, the completed bytes are the bytes of the partial
    /// file, or the bytes of a resumable upload that were sent. The server may have received fewer.
    public var progress: TransferProgress

    /// The result, once the transfer has succeeded. If it has failed, the response with which the server refused it, if
    /// any.
    public var result: Result?

    /// The reason why the transfer or its last attempt failed, for display. It contains no secrets.
    public var error: String?

    /// The number of failed attempts.
    public var failedAttempts: Int

    /// The date at which the transfer was enqueued.
    public var enqueued: Date

    /// The date of the next attempt, if the transfer waits for it.
    public var nextAttempt: Date?

    /// The date at which the transfer ended.
    public var ended: Date?

    /// The identifier of the transfer.
    public var identifier: String { transfer.identifier }
}

/// The reports of a queue's transfers as an asynchronous sequence: one for each transfer, then one for each change,
/// until the task that iterates is cancelled.
///
/// Changes by other processes are reported within a quarter of a second. A slow reader misses some reports, but never
/// the last one of a transfer.
public struct QueueReports: AsyncSequence, Sendable {
    let queue: TransferQueue

    /// An iterator over the reports.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let store: QueueStore
        private var last: [String: TransferReport] = [:]
        private var left: ArraySlice<TransferReport> = []

        fileprivate init(_ store: QueueStore) {
            self.store = store
        }

        /// Returns the next report; `nil` once the task is cancelled.
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

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue.store) }
}
