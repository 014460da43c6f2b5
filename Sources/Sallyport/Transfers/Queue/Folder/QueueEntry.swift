import Foundation

/// A transfer as it stands in the folder of a queue.
struct QueueEntry: Sendable, Hashable, Codable {
    /// How a transfer ended. It is written once, and then stays.
    struct End: Sendable, Hashable, Codable {
        enum Kind: String, Sendable, Codable {
            case finished
            case failed
            case cancelled
        }

        var kind: Kind
        var date: Date
        var result: TransferReport.Result?
        /// How many bytes were transferred, and of how many.
        var progress = QueueProgress()
    }

    var transfer: QueuedTransfer
    /// What tells it from an earlier transfer of the same identifier, and names what is kept for it: a random word.
    var key: String
    /// How often it was asked for again after its end.
    var round = 0
    var enqueued: Date
    var isPaused = false
    /// How many attempts of this round have failed.
    var failedAttempts = 0
    /// When the next attempt is due, after one that failed.
    var nextAttempt: Date?
    /// Whether a whole file of this round had not the digest that it has to have; `nil` if none had.
    var hadWrongDigest: Bool?
    /// Why the last attempt failed.
    var error: String?
    var end: End?

    init(_ transfer: QueuedTransfer, enqueued: Date) {
        self.transfer = transfer
        self.enqueued = enqueued
        key = UUID().uuidString.lowercased()
    }

    var identifier: String { transfer.identifier }

    /// What its server knows it by, in all attempts of a round.
    var idempotencyKey: String { "\(key)-\(round)" }

    /// The entry as it is for another round.
    var again: QueueEntry {
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

    /// How it stands.
    ///
    /// - Parameters:
    ///   - running: How far it has come, if it is being made.
    ///   - resumable: How much is kept of it, if it is not.
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
