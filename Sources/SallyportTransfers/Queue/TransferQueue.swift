import Foundation
import Sallyport
import SallyportTransport

/// A queue of transfers that outlive the process that enqueued them.
///
/// The transfers are stored in a folder, which any number of processes may share: each may add, observe and cancel
/// transfers, and one at a time performs them with ``run()``. If that process is killed, the next one continues its
/// transfers. The results are stored, so that processes can read them later.
///
/// ```swift
/// let queue = try TransferQueue(folder: folder, client: client.authorized(by: session, for: "https://example.com"))
/// try await queue.enqueue(.download("https://example.com/map.zip", to: .file(map), identifier: "map"))
/// try await queue.runUntilEmpty()
/// print(try await queue.result(of: "map").state)
/// ```
///
/// Only the owner of the folder may access it. Files that were not written by a queue are set aside; see
/// ``problems()``.
public final class TransferQueue: Sendable {
    let store: QueueStore
    private let runner: any TransferRunner

    /// Opens the queue of a folder, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder, which must not be used for anything else.
    ///   - client: The client that performs the transfers, with its authorization, cookies and retries.
    ///   - options: The options of the queue.
    /// - Throws: ``TransferError`` if the folder cannot be created, or is accessible to others.
    public convenience init(
        folder: URL,
        client: HttpClient,
        options: TransferQueueOptions = TransferQueueOptions()
    ) throws(TransferError) {
        let runner = ClientRunner(
            client: client,
            retry: options.transferRetry,
            rateLimit: options.rateLimit
        )
        try self.init(folder: folder, runner: runner, options: options, time: .system)
    }

    /// Opens the queue of a folder to list and change its transfers, without performing them.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be created, or is accessible to others.
    package convenience init(folder: URL) throws(TransferError) {
        try self.init(folder: folder, runner: NoRunner())
    }

    /// Opens the queue of a folder. A custom runner performs its transfers.
    package init(
        folder: URL,
        runner: any TransferRunner,
        options: TransferQueueOptions = TransferQueueOptions(),
        time: TimeSource = .system
    ) throws(TransferError) {
        store = try QueueStore(folder, options: options, time: time)
        self.runner = runner
    }

    // MARK: Changing transfers

    /// Adds a transfer, and stores it on the disk before it returns.
    ///
    /// If a transfer with the same identifier and the same work exists, in any state, this only changes its priority.
    ///
    /// - Returns: The transfer's identifier.
    /// - Throws: ``TransferError`` if a transfer with the same identifier has other work, if a header is a secret, or
    ///   if the transfer cannot be written.
    @discardableResult
    public func enqueue(_ transfer: QueuedTransfer) async throws(TransferError) -> String {
        let transfer = transfer.withAbsolutePaths
        try transfer.check()
        try await store.add(transfer)
        return transfer.identifier
    }

    /// Cancels a transfer, and removes its partial file. Has no effect on a transfer that has ended.
    ///
    /// If a server has part of an upload, the process that runs the queue cancels the upload at the server. If there is
    /// no such process, this call does so, which takes at most five seconds. If the server does not confirm, the next
    /// ``run()`` tries again; the transfer is cancelled in any case.
    ///
    /// - Throws: ``TransferError`` if the transfer does not exist, or cannot be written.
    public func cancel(_ identifier: String) async throws(TransferError) {
        let date = store.time.date()
        try await store.change(identifier) { entry in
            if entry.end == nil { entry.end = QueueEntry.End(kind: .cancelled, date: date) }
        }
        await notifyServers()
    }

    /// Pauses a transfer in all processes, until ``resume(_:)``. Bytes that have been transferred are kept.
    ///
    /// - Throws: ``TransferError`` if the transfer does not exist, or cannot be written.
    public func pause(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { entry in
            if entry.end == nil { entry.isPaused = true }
        }
    }

    /// Resumes a transfer after ``pause(_:)``.
    ///
    /// - Throws: ``TransferError`` if the transfer does not exist, or cannot be written.
    public func resume(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { $0.isPaused = false }
    }

    /// Re-enqueues a failed or cancelled transfer; has no effect on others.
    ///
    /// - Throws: ``TransferError`` if the transfer does not exist, or cannot be written.
    public func retry(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { entry in
            guard let end = entry.end, end.kind != .finished else { return }
            entry = entry.nextRound
        }
    }

    /// Cancels a transfer if it has not ended, and removes it from the queue. A complete file is kept. The server of an
    /// upload is notified as by ``cancel(_:)``.
    ///
    /// - Throws: ``TransferError`` if it cannot be removed.
    public func remove(_ identifier: String) async throws(TransferError) {
        try await store.remove(identifier)
        await notifyServers()
    }

    /// Notifies the servers of uploads that were cancelled or removed, unless a process runs the queue.
    ///
    /// - Parameter isLast: If `true`, a server that does not confirm is not notified again later.
    package func notifyServers(isLast: Bool = false) async {
        guard let abandoned = try? await store.abandonedUploadsIfIdle() else { return }
        await abandoned.forEachConcurrently(atMost: store.options.concurrency) { [store, runner] entry in
            let isConfirmed = await runner.cancelUpload(TransferJob(entry, in: store.folder))
            if isConfirmed || isLast && !Task.isCancelled { try? await store.discardAbandoned(entry) }
        }
    }

    // MARK: Observing transfers

    /// Returns all transfers, in the order they were enqueued.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func transfers() async throws(TransferError) -> [TransferReport] {
        try await store.reports()
    }

    /// The state of each transfer, followed by each change that any process makes.
    public var updates: QueueReports { QueueReports(queue: self) }

    /// Waits until a transfer has ended, in any process.
    ///
    /// - Returns: The final report: finished, failed or cancelled.
    /// - Throws: ``TransferError`` if the transfer does not exist, the folder cannot be read, or the task is cancelled.
    public func result(of identifier: String) async throws(TransferError) -> TransferReport {
        while true {
            let version = store.signal.version
            let report = try await store.entry(identifier).report(running: nil)
            if report.state.isEnd { return report }
            await store.signal.wait(after: version, upTo: QueueStore.interval, store.time)
            if Task.isCancelled {
                throw TransferError(.network(.cancelled("the wait for the transfer \(identifier) was cancelled")))
            }
        }
    }

    /// Returns a description of each file in the folder that is damaged or was not written by a queue, with its path.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func problems() async throws(TransferError) -> [String] {
        try await store.problems()
    }

    // MARK: Performing transfers

    /// Performs the transfers in the folder, including transfers that are added later, until the task is cancelled.
    ///
    /// While another process runs the queue, this waits, and takes over when that process stops. Transfers that are in
    /// progress when the task is cancelled stay in the queue.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func run() async throws(TransferError) {
        try await QueueRun(store, by: runner, endsWhenEmpty: false)()
    }

    /// Performs the transfers in the folder, including transfers that are added later, until all have ended or are
    /// paused, or the task is cancelled.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func runUntilEmpty() async throws(TransferError) {
        try await QueueRun(store, by: runner, endsWhenEmpty: true)()
    }
}

/// The runner of a queue that only lists and changes transfers. It has no client to notify their servers.
private struct NoRunner: TransferRunner {
    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        throw TransferError(.network(.invalidRequest(NetworkFailure("this queue was opened without a client"))))
    }
}

/// The options of a ``TransferQueue``.
public struct TransferQueueOptions: Sendable {
    /// The maximum number of transfers that are performed in parallel, from 1 to 64; 4 by default.
    public var concurrency = 4

    /// The retry policy for failed attempts of a transfer, in addition to the retries within an attempt.
    ///
    /// Its statuses and errors determine which failures are retried; its methods are not used. An attempt that ends
    /// because its process was killed does not count.
    public var retry = RetryPolicy.exponential(attempts: 5, base: .seconds(1), cap: .seconds(60))

    /// The retry policy for the requests within one attempt of a transfer; `nil`, the default, for the default policies
    /// ``DownloadOptions/retry`` and ``UploadOptions/retry``.
    ///
    /// A transfer that waits for a retry of this policy counts towards ``concurrency``. A transfer that waits for a
    /// retry of ``retry`` does not.
    public var transferRetry: RetryPolicy?

    /// The maximum rate of all transfers together; `nil`, the default, for no limit. It does not apply to transfers that the system
    /// performs in the background.
    public var rateLimit: RateLimit?

    /// The maximum number of results of ended transfers to keep; 1,000 by default. The earliest are removed first.
    public var retainedResults = 1_000

    /// The time to keep the results of ended transfers; a week by default.
    public var retention = Duration.seconds(7 * 24 * 60 * 60)

    /// The maximum number of transfers in the queue; 10,000 by default. Ended transfers count as long as their results are
    /// kept.
    public var maximumTransfers = 10_000

    /// Creates the default options.
    public init() {}
}
