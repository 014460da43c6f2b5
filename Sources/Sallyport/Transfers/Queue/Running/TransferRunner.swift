import Foundation

/// Makes one attempt of a queue's transfer: by the client, or by the system on Apple's platforms.
package protocol TransferRunner: Sendable {
    /// Makes an attempt, going on from what an earlier one has left.
    ///
    /// - Parameters:
    ///   - job: The transfer, and where to keep what it needs.
    ///   - report: Told how far it has come.
    /// - Throws: ``TransferError``. What has been transferred is kept, also when the task is cancelled.
    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome

    /// Ends what goes on without an attempt, of a transfer that was cancelled, paused or removed.
    func stop(_ job: TransferJob) async

    /// Ends what goes on without an attempt, of all transfers but those of these keys.
    func keepOnly(_ keys: Set<String>) async

    /// Cancels an upload at its server, after it was cancelled or removed in the queue.
    ///
    /// - Returns: `true` if the server confirmed it.
    func abandon(_ job: TransferJob) async -> Bool
}

extension TransferRunner {
    package func stop(_ job: TransferJob) async {}

    package func keepOnly(_ keys: Set<String>) async {}

    package func abandon(_ job: TransferJob) async -> Bool { false }
}

/// A transfer of a queue for the one who makes it.
package struct TransferJob: Sendable, Hashable {
    /// The transfer.
    package let transfer: QueuedTransfer

    /// What tells it from all other transfers, ever.
    package let key: String

    /// What an upload's server knows it by, in all attempts.
    package let idempotencyKey: String

    /// What an upload needs to go on.
    package let journal: URL

    init(_ entry: QueueEntry, in folder: QueueFolder) {
        transfer = entry.transfer
        key = entry.key
        idempotencyKey = entry.idempotencyKey
        journal = folder.uploads.appendingPathComponent(entry.key)
    }

    /// The staging folder of a download; `nil` for an upload.
    var staging: StagingFolder? {
        guard case .download(let download) = transfer.work else { return nil }
        return StagingFolder(of: download, key: key)
    }
}

/// What came of an attempt.
package enum TransferOutcome: Sendable {
    /// The whole file is in the staging folder, from where the queue gives it its name.
    case fetched(URL)
    /// A server took an upload.
    case answered(status: Int, body: Data)
}
