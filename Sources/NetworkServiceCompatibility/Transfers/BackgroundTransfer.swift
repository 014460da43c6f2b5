import Foundation
import Sallyport
import SallyportService
import SallyportStorage
import SallyportTransfers

/// An upload or download in a background session of its own, which a later process finds again by the identifier.
///
/// The transfer has a folder with a queue of its own. The session and the folder end with the transfer, whether it succeeds, fails or is
/// cancelled, as in the original library. Only the end of the process leaves them. The next process continues the transfer if
/// it has the same request, and otherwise replaces it.
///
///     IDENTIFIER.transfer/queue/  the queue
///     IDENTIFIER.transfer/body    the body of an upload
///     IDENTIFIER.transfer/digest  the digest of the content of an upload
///     IDENTIFIER.lock             locked while a process performs the transfer
struct BackgroundTransfer: Sendable {
    /// The content of an upload.
    struct Content: Sendable {
        let body: RequestBody
        /// A digest of the content; `nil` if it cannot be compared.
        let fingerprint: String?
    }

    private let identifier: String
    private let folder: URL
    private let queue: TransferQueue
    private let sessions: BackgroundSessions
    private let lockFile: URL
    private let lock: OpenedFile

    /// The file for the body of an upload.
    var body: URL { folder.appendingPathComponent("body") }
    private var digest: URL { folder.appendingPathComponent("digest") }

    /// Opens the folder of a transfer, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer.
    ///   - folder: The folder of all background transfers.
    ///   - client: The client of the transfer.
    /// - Throws: ``TransferError`` if the folder cannot be used, with ``TransferError/Reason/inUse(_:)`` if another call performs the
    ///   transfer.
    init(
        _ identifier: String,
        in folder: URL,
        sessions: BackgroundSessions,
        client: HttpClient
    ) throws(TransferError) {
        self.identifier = identifier
        self.folder = folder.appendingPathComponent(identifier + ".transfer", isDirectory: true)
        self.sessions = sessions
        lockFile = folder.appendingPathComponent(identifier + ".lock")
        try QueueDisk.makeFolder(folder)
        try QueueDisk.checkGuarded(folder)
        do throws(FileSystemError) {
            lock = try OpenedFile.guarded(lockFile, creating: 0o600)
        } catch {
            throw error.transferError(lockFile)
        }
        try QueueDisk.makeFolder(self.folder)
        try QueueDisk.checkGuarded(self.folder)
        var options = TransferQueueOptions()
        options.retry = .never
        options.transferRetry = .never
        let queueFolder = self.folder.appendingPathComponent("queue", isDirectory: true)
        queue = try sessions.queue(of: identifier, in: queueFolder, client: client, options: options)
    }

    /// Performs the transfer, or continues the one that an earlier process began, and removes it.
    ///
    /// - Parameters:
    ///   - work: The download or upload.
    ///   - content: The content of an upload, which is stored in the file ``body``.
    ///   - onProgress: A closure that is called with each progress, and finally with the complete one.
    /// - Returns: The final report: finished, failed or cancelled.
    /// - Throws: ``TransferError`` if the transfer cannot be stored or performed, or if the task is cancelled.
    func perform(
        _ work: QueuedTransfer.Work,
        storing content: Content? = nil,
        reporting onProgress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(TransferError) -> TransferReport {
        defer { lock.unlock() }
        do throws(TransferError) {
            let transfer = QueuedTransfer(work, identifier: identifier)
            if let known = try await queue.transfers().first {
                if await isSame(known.transfer, transfer, content?.fingerprint) {
                    try await queue.retry(identifier)
                } else {
                    try await queue.remove(identifier)
                    // Stops what the system continues.
                    try? await queue.runUntilEmpty()
                    try await enqueue(transfer, content)
                }
            } else {
                try await enqueue(transfer, content)
            }
            let report = try await end(reporting: onProgress)
            await remove()
            return report
        } catch {
            // In a new task, because this one may have been cancelled.
            await Task { await remove() }.value
            throw error
        }
    }

    /// Returns `true` if a transfer of an earlier process has the same URL, and the same destination or content.
    private func isSame(_ known: QueuedTransfer, _ transfer: QueuedTransfer, _ fingerprint: String?) async -> Bool {
        switch (known.work, transfer.withAbsolutePaths.work) {
        case (.download(let known), .download(let new)):
            return known.url == new.url && known.destination == new.destination
        case (.upload(let known), .upload(let new)):
            guard known.url == new.url, known.method == new.method, let fingerprint else { return false }
            let stored = await runBlocking { [digest] in FileManager.default.contents(atPath: digest.path) }
            return stored == Data(fingerprint.utf8)
        case (.download, .upload), (.upload, .download): return false
        }
    }

    /// Stores the content of an upload on the disk, and then adds the transfer to the queue.
    private func enqueue(_ transfer: QueuedTransfer, _ content: Content?) async throws(TransferError) {
        if let content { try await store(content) }
        try await queue.enqueue(transfer)
    }

    private func store(_ content: Content) async throws(TransferError) {
        do {
            let file = try await runBlocking { [body, digest] () throws(FileSystemError) in
                let file = try OpenedFile(digest, flags: O_CREAT | O_TRUNC, mode: 0o600)
                try file.write(Data((content.fingerprint ?? "").utf8), at: 0)
                try file.synchronize()
                return try OpenedFile(body, flags: O_CREAT | O_TRUNC, mode: 0o600)
            }
            try await content.body.forEachChunk { chunk in
                try await runBlocking { () throws(FileSystemError) in try file.write(chunk, at: file.length) }
            }
            // A stream ends early if its task is cancelled.
            try Task.checkCancellation()
            try await runBlocking { [folder] () throws(FileSystemError) in
                try file.synchronize()
                try FileSystem.synchronizeDirectory(folder)
            }
        } catch let error as FileSystemError {
            throw error.transferError(body)
        } catch {
            throw TransferError(.network(NetworkError(wrapping: error, reason: "the body cannot be stored")))
        }
    }

    /// Cancels the transfer if it has not ended, at its server too, and removes it with its bytes.
    private func remove() async {
        try? await queue.remove(identifier)
        // Stops what the system continues.
        try? await queue.runUntilEmpty()
        sessions.end(identifier)
        await runBlocking { [folder, lockFile] in
            _ = try? FileSystem.remove(folder)
            try? FileSystem.removeName(lockFile)
        }
    }

    /// Runs the queue until the transfer has ended.
    private func end(
        reporting onProgress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(TransferError) -> TransferReport {
        do {
            let report = try await withThrowingTaskGroup(of: TransferReport?.self) { [queue, identifier] group in
                group.addTask {
                    try await queue.runUntilEmpty()
                    return try await queue.result(of: identifier)
                }
                if let onProgress {
                    group.addTask {
                        for try await report in queue.updates { onProgress(report.progress) }
                        return nil
                    }
                }
                defer { group.cancelAll() }
                while let end = try await group.next() {
                    if let end { return end }
                }
                throw CancellationError()
            }
            onProgress?(report.progress)
            return report
        } catch let error as TransferError {
            throw error
        } catch {
            throw TransferError(.network(.cancelled("the task was cancelled")))
        }
    }
}
