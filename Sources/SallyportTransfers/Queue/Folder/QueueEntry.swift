import Foundation
import Sallyport

/// A transfer as it is stored in the folder of a queue.
struct QueueEntry: Sendable, Hashable, Codable {
    /// The end of a transfer, which is written once and does not change.
    struct End: Sendable, Hashable, Codable {
        enum Kind: String, Sendable, Codable {
            case finished
            case failed
            case cancelled
        }

        var kind: Kind
        var date: Date
        var result: TransferReport.Result?
        /// The number of bytes that were transferred.
        var progress = QueueProgress()
    }

    var transfer: QueuedTransfer
    /// A random identifier that is part of the names of the transfer's files. A later transfer with the same
    /// ``identifier`` has another key.
    var key: String
    /// The number of times that the transfer was retried after its end.
    var round = 0
    var enqueued: Date
    var isPaused = false
    /// The number of failed attempts in this round.
    var failedAttempts = 0
    /// The date of the next attempt, after a failed one.
    var nextAttempt: Date?
    /// `true` if a complete file of this round did not have the required digest; otherwise `nil`.
    var hadWrongDigest: Bool?
    /// The reason why the last attempt failed.
    var error: String?
    var end: End?

    init(_ transfer: QueuedTransfer, enqueued: Date) {
        self.transfer = transfer
        self.enqueued = enqueued
        key = UUID().uuidString.lowercased()
    }

    var identifier: String { transfer.identifier }

    /// The `Idempotency-Key` of all attempts in a round.
    var idempotencyKey: String { "\(key)-\(round)" }

    /// The entry for another round.
    var nextRound: QueueEntry {
        var entry = self
        entry.round += 1
        entry.failedAttempts = 0
        entry.nextAttempt = nil
        entry.hadWrongDigest = nil
        entry.error = nil
        entry.end = nil
        entry.isPaused = false
        return entry
    }

    /// Returns the state of the transfer.
    ///
    /// - Parameters:
    ///   - running: The progress, if the transfer is being performed.
    ///   - resumable: The progress from which it would continue, if it is not being performed.
    func report(running: QueueProgress?, resumable: QueueProgress? = nil) -> TransferReport {
        let state: TransferReport.State =
            switch end?.kind {
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            case nil where isPaused: .paused
            case nil: running == nil ? .waiting : .running
            }
        return TransferReport(
            transfer: transfer,
            state: state,
            progress: (end?.progress ?? running ?? resumable ?? QueueProgress()).progress(of: state),
            result: end?.result,
            error: error,
            failedAttempts: failedAttempts,
            enqueued: enqueued,
            nextAttempt: state == .waiting ? nextAttempt : nil,
            ended: end?.date
        )
    }
}
