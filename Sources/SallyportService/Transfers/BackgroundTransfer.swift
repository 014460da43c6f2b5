import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import SallyportTransport

/// An upload or download that outlives the process, and that a later process finds again by its identifier.
///
/// It has a folder with a queue of its own, and on Apple platforms a background session of its own. Both are removed when
/// the transfer has succeeded or was cancelled. After a failure the session is invalidated, and the folder is kept, so that
/// the transfer continues when it is repeated.
///
///     IDENTIFIER.transfer/queue/  the queue
///     IDENTIFIER.transfer/body    the body of an upload
///     IDENTIFIER.transfer/digest  the digest by which a later process recognizes the content of an upload
///     IDENTIFIER.lock             locked while a process performs or observes the transfer
struct BackgroundTransfer: Sendable {
    /// The content of an upload.
    struct Content: Sendable {
        let body: RequestBody
        /// A digest of the content; `nil` to continue an existing upload with any content.
        let fingerprint: String?
    }

    private static let suffix = ".transfer"

    /// The file for the body of an upload.
    let body: URL
    private let digest: URL
    private let identifier: String
    private let folder: URL
    private let queue: TransferQueue
    private let sessions: BackgroundSessions
    private let lockFile: URL
    private let lock: OpenedFile

    /// Opens the folder of a transfer, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer.
    ///   - folder: The folder of all background transfers.
    ///   - client: The client of the transfer.
    ///   - retry: The retry policy for the requests of the transfer.
    /// - Throws: ``TransferError`` if the identifier is invalid or the folder cannot be used, with
    ///   ``TransferError/Reason/inUse(_:)`` if the transfer is already being performed or observed.
    init(
        _ identifier: String,
        in folder: URL,
        sessions: BackgroundSessions,
        client: HttpClient,
        retry: RetryPolicy
    ) throws(TransferError) {
        try QueuedTransfer.check(identifier: identifier)
        self.identifier = identifier
        self.folder = folder.appendingPathComponent(identifier + Self.suffix, isDirectory: true)
        self.sessions = sessions
        body = self.folder.appendingPathComponent("body")
        digest = self.folder.appendingPathComponent("digest")
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
        #if canImport(Darwin)
        // The system's sessions know no retry policy, so the queue applies it.
        options.retry = retry
        #else
        // The client applies the policy to each request of the transfer. The attempts of both policies would multiply.
        (options.retry, options.transferRetry) = (.never, retry)
        #endif
        let queueFolder = self.folder.appendingPathComponent("queue", isDirectory: true)
        queue = try sessions.queue(of: identifier, in: queueFolder, client: client, options: options)
    }

    /// Returns the identifiers of the transfers in a folder, in alphabetical order.
    static func identifiers(in folder: URL) async -> [String] {
        let names = await runBlocking { (try? FileSystem.names(in: folder)) ?? [] }
        return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Performs the transfer, or continues the one that an earlier call began, until it has ended.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - content: The content of an upload. Its body is stored in the file ``body`` if the transfer is new.
    ///   - onProgress: A closure that is called with the progress, and finally with the complete progress.
    /// - Returns: The final report: finished, failed or cancelled.
    /// - Throws: ``TransferError`` if the transfer cannot be stored or performed, or if the task is cancelled.
    func perform(
        _ transfer: QueuedTransfer,
        storing content: Content? = nil,
        reporting onProgress: (@Sendable (Progress) -> Void)?
    ) async throws(TransferError) -> TransferReport {
        if let known = try await queue.transfers().first {
            guard known.transfer.hasTarget(of: transfer.withAbsolutePaths) else {
                throw existsWith("another URL or destination")
            }
            if let fingerprint = content?.fingerprint, await storedFingerprint() != fingerprint {
                throw existsWith("other files")
            }
            // The headers that are not stored must not replace others.
            try transfer.check()
            try await queue.retry(identifier)
        } else {
            do throws(TransferError) {
                if let content { try await store(content) }
                try await queue.enqueue(transfer)
            } catch {
                await remove()
                throw error
            }
        }
        let report = try await end(reporting: onProgress)
        if report.state == .finished { await remove() } else { sessions.end(identifier) }
        return report
    }

    private func existsWith(_ difference: String) -> TransferError {
        let problem = "the transfer \(identifier) exists with \(difference)"
        var error = TransferError(.file(folder, "\(problem); remove it, or choose another identifier"))
        error.isOfOtherTransfer = true
        return error
    }

    private func storedFingerprint() async -> String? {
        await runBlocking { [digest] in FileManager.default.contents(atPath: digest.path) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Stores the content of an upload on the disk, before the queue refers to it.
    private func store(_ content: Content) async throws(TransferError) {
        do {
            let file = try await runBlocking { [body, digest] () throws(FileSystemError) in
                if let fingerprint = content.fingerprint {
                    let file = try OpenedFile(digest, flags: O_CREAT | O_TRUNC, mode: 0o600)
                    try file.write(Data(fingerprint.utf8), at: 0)
                    try file.synchronize()
                }
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
    func remove() async {
        try? await queue.remove(identifier)
        // Stops what the system continues.
        try? await queue.runUntilEmpty()
        sessions.end(identifier)
        await runBlocking { [folder, lockFile] in
            _ = try? FileSystem.remove(folder)
            try? FileSystem.removeName(lockFile)
        }
    }

    /// Allows others to perform or observe the transfer.
    func unlock() { lock.unlock() }

    /// Runs the queue until the transfer has ended.
    private func end(
        reporting onProgress: (@Sendable (Progress) -> Void)?
    ) async throws(TransferError) -> TransferReport {
        let progress = Progress(totalUnitCount: -1)
        do {
            let report = try await withThrowingTaskGroup(of: TransferReport?.self) { [queue, identifier] group in
                group.addTask {
                    try await queue.runUntilEmpty()
                    return try await queue.result(of: identifier)
                }
                if let onProgress {
                    group.addTask {
                        for try await report in queue.updates {
                            progress.set(report.progress)
                            onProgress(progress)
                        }
                        return nil
                    }
                }
                defer { group.cancelAll() }
                while let end = try await group.next() {
                    if let end { return end }
                }
                throw CancellationError()
            }
            progress.set(report.progress)
            onProgress?(progress)
            return report
        } catch let error as TransferError {
            throw error
        } catch {
            throw TransferError(.network(.cancelled("the task was cancelled")))
        }
    }
}

extension QueuedTransfer {
    /// Returns a Boolean value that indicates whether this transfer has the same URL as another one, and the same
    /// destination or method.
    fileprivate func hasTarget(of other: QueuedTransfer) -> Bool {
        switch (work, other.work) {
        case (.download(let own), .download(let other)): own.url == other.url && own.destination == other.destination
        case (.upload(let own), .upload(let other)): own.url == other.url && own.method == other.method
        case (.download, .upload), (.upload, .download): false
        }
    }
}

extension Progress {
    fileprivate func set(_ progress: TransferProgress) {
        totalUnitCount = progress.totalBytes ?? -1
        completedUnitCount = progress.completedBytes
    }
}
