import Foundation

/// Transfers that outlive the process that asked for them.
///
/// They are kept in a folder, which any number of processes may share: each may add, watch and cancel transfers, and one
/// of them at a time makes them, by ``run()``. A transfer that was under way when its process was killed goes on in the
/// next, and whoever asks later is told how it ended.
///
/// ```swift
/// let queue = try TransferQueue(folder: folder, client: client.authorized(by: session, for: "https://example.com"))
/// try await queue.enqueue(.download("https://example.com/map.zip", to: .file(map), identifier: "map"))
/// try await queue.runUntilEmpty()
/// print(try await queue.result(of: "map").state)
/// ```
///
/// The folder and what is in it are for their owner alone. What is there that no queue has written is put aside, see
/// ``problems()``.
public final class TransferQueue: Sendable {
    /// Opens the queue of a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: Where transfers are kept, and nothing else.
    ///   - client: Makes the transfers, with its own authorization, cookies and retries.
    ///   - options: How many at a time, how often again, what is kept.
    /// - Throws: ``TransferError`` if the folder cannot be made, or is open to others.
    public init(
        folder: URL,
        client: HttpClient,
        options: TransferQueueOptions = TransferQueueOptions()
    ) throws(TransferError) {
        fatalError("stub: queue")
    }

    // MARK: Asking for transfers

    /// Adds a transfer. Once this returns, it is on the disk.
    ///
    /// One that is there already, by the same identifier and with the same work, is that one, however it stands; it
    /// only takes the priority.
    ///
    /// - Returns: The transfer's identifier.
    /// - Throws: ``TransferError`` if the identifier stands for other work, if a header is a secret, or if it cannot be
    ///   written.
    @discardableResult
    public func enqueue(_ transfer: QueuedTransfer) async throws(TransferError) -> String {
        fatalError("stub: queue")
    }

    /// Ends a transfer, and removes what has been fetched of it. One that has ended stays as it is.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func cancel(_ identifier: String) async throws(TransferError) {
        fatalError("stub: queue")
    }

    /// Holds a transfer until ``resume(_:)``, in all processes. What has been transferred is kept.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func pause(_ identifier: String) async throws(TransferError) {
        fatalError("stub: queue")
    }

    /// Goes on after ``pause(_:)``.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func resume(_ identifier: String) async throws(TransferError) {
        fatalError("stub: queue")
    }

    /// Has a transfer made once more that failed or was cancelled; others stay as they are.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func retry(_ identifier: String) async throws(TransferError) {
        fatalError("stub: queue")
    }

    /// Cancels a transfer if it has not ended, and forgets it. A file that has been fetched whole stays.
    ///
    /// - Throws: ``TransferError`` if it cannot be removed.
    public func remove(_ identifier: String) async throws(TransferError) {
        fatalError("stub: queue")
    }

    // MARK: Asking how they stand

    /// All transfers, in the order in which they came.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func transfers() async throws(TransferError) -> [TransferReport] {
        fatalError("stub: queue")
    }

    /// Each transfer as it stands, then each that changes, whichever process changes it.
    public var updates: TransferReports { TransferReports(queue: self) }

    /// Waits until a transfer has ended, in whatever process. One that has ended is told at once.
    ///
    /// - Returns: How it ended: finished, failed or cancelled.
    /// - Throws: ``TransferError`` if there is no such transfer, the folder cannot be read, or the task is cancelled.
    public func result(of identifier: String) async throws(TransferError) -> TransferReport {
        fatalError("stub: queue")
    }

    /// What was found in the folder that no queue has written, or that is damaged, and where it was put.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func problems() async throws(TransferError) -> [String] {
        fatalError("stub: queue")
    }

    // MARK: Making them

    /// Makes the transfers of the folder, and those that are added meanwhile, until the task is cancelled.
    ///
    /// While another process does so this waits, to take over when that one ends. What is under way when the task is
    /// cancelled stays in the queue.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func run() async throws(TransferError) {
        fatalError("stub: queue")
    }

    /// Makes the transfers of the folder, and those that are added meanwhile, until all have ended but those that are
    /// paused, or the task is cancelled.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func runUntilEmpty() async throws(TransferError) {
        fatalError("stub: queue")
    }
}
