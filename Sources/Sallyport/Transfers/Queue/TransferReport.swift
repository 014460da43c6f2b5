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
