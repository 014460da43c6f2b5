import Foundation

/// How a transfer of a ``TransferQueue`` stands.
public struct TransferReport: Sendable, Hashable {
    /// What a transfer of a queue is doing.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// It waits for its turn, for a process that runs the queue, or for the time of its next attempt.
        case waiting
        /// Its bytes are on their way.
        case running
        /// It was paused, and goes on when it is resumed.
        case paused
        /// It has been made: see ``TransferReport/result``.
        case finished
        /// It failed: see ``TransferReport/error``.
        case failed
        /// It was cancelled.
        case cancelled

        /// Whether it stays so, whatever happens, until it is asked for again or removed.
        public var isEnd: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// What came of a transfer.
    public enum Result: Sendable, Hashable, Codable {
        /// A file was fetched, whole.
        case file(URL, length: Int64)
        /// The server's answer to an upload: the status, and the first 64 KiB of the body.
        case response(status: Int, body: Data)
    }

    /// The transfer.
    public var transfer: QueuedTransfer

    /// What it is doing.
    public var state: State

    /// How far it has come. Of one that waits or is paused it is what is kept to go on from: the bytes of a download that
    /// are there, or those of a resumable upload that had left.
    public var progress: TransferProgress

    /// What came of it, once it has been made.
    public var result: Result?

    /// Why it failed, or why its last attempt did; text for people, without secrets.
    public var error: String?

    /// How many attempts have failed.
    public var failedAttempts: Int

    /// When it was enqueued.
    public var enqueued: Date

    /// When its next attempt is due, if it waits for that.
    public var nextAttempt: Date?

    /// When it ended.
    public var ended: Date?

    /// What tells it from others.
    public var identifier: String { transfer.identifier }
}

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
