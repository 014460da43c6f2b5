import Foundation
import Sallyport

/// Performs attempts of a queue's transfers, with a client or, on Apple platforms, with a background session.
package protocol TransferRunner: Sendable {
    /// Performs an attempt, continuing from where an earlier one stopped.
    ///
    /// - Parameters:
    ///   - job: The transfer, and the location of its files.
    ///   - report: A closure that is called with the progress.
    /// - Throws: ``TransferError``. The bytes that have been transferred are kept, even if the task is cancelled.
    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome

    /// Stops the work that continues after an attempt was cancelled, such as a task of the system, for a transfer that
    /// was cancelled, paused or removed.
    func stop(_ job: TransferJob) async

    /// Stops such work for all transfers except those with these keys.
    func stopAll(except keys: Set<String>) async

    /// Cancels an upload at its server, after it was cancelled or removed in the queue.
    ///
    /// - Returns: `true` if the server confirmed it.
    func cancelUpload(_ job: TransferJob) async -> Bool
}

extension TransferRunner {
    package func stop(_ job: TransferJob) async {}

    package func stopAll(except keys: Set<String>) async {}

    package func cancelUpload(_ job: TransferJob) async -> Bool { false }
}

/// A transfer of a queue, as its runner performs it.
package struct TransferJob: Sendable, Hashable {
    /// The transfer.
    package let transfer: QueuedTransfer

    /// A random identifier of the transfer, which is never reused.
    package let key: String

    /// The `Idempotency-Key` of an upload, the same in all attempts.
    package let idempotencyKey: String

    /// The journal of an upload.
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

/// The outcome of a successful attempt.
package enum TransferOutcome: Sendable {
    /// The download has succeeded; this is the complete file in the staging folder, or at its destination if it was
    /// installed before.
    case fetched(URL)
    /// The upload has succeeded; these are the status and the body of the response.
    case uploaded(status: Int, body: Data)
}
