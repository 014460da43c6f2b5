import Foundation
import SallyportTransport

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
    let store: QueueStore
    private let runner: any TransferRunner

    /// Opens the queue of a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: Where transfers are kept, and nothing else.
    ///   - client: Makes the transfers, with its own authorization, cookies and retries.
    ///   - options: How many at a time, how often again, what is kept.
    /// - Throws: ``TransferError`` if the folder cannot be made, or is open to others.
    public convenience init(
        folder: URL,
        client: HttpClient,
        options: TransferQueueOptions = TransferQueueOptions()
    ) throws(TransferError) {
        let runner = ClientRunner(client: client, retry: options.transferRetry)
        try self.init(folder: folder, runner: runner, options: options, time: .system)
    }

    /// Opens the queue of a folder to list and change its transfers, without making them.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be made, or is open to others.
    package convenience init(folder: URL) throws(TransferError) {
        try self.init(folder: folder, runner: NoRunner())
    }

    /// Opens the queue of a folder whose transfers are made by something else than a client.
    package init(
        folder: URL,
        runner: any TransferRunner,
        options: TransferQueueOptions = TransferQueueOptions(),
        time: RetryTime = .system
    ) throws(TransferError) {
        store = try QueueStore(folder, options: options, time: time)
        self.runner = runner
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
        let transfer = transfer.withFullPaths
        try transfer.check()
        try await store.add(transfer)
        return transfer.identifier
    }

    /// Ends a transfer, and removes what has been fetched of it. One that has ended stays as it is.
    ///
    /// If a server keeps a part of an upload, the process that makes the transfers cancels the upload there. If there
    /// is no such process, this call does so, which takes at most five seconds. If the server does not confirm it, the
    /// next ``run()`` tells it again; the transfer is cancelled in any case.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func cancel(_ identifier: String) async throws(TransferError) {
        let date = store.time.date()
        try await store.change(identifier) { entry in
            if entry.end == nil { entry.end = QueueEntry.End(kind: .cancelled, date: date) }
        }
        await tellServers()
    }

    /// Holds a transfer until ``resume(_:)``, in all processes. What has been transferred is kept.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func pause(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { entry in
            if entry.end == nil { entry.isPaused = true }
        }
    }

    /// Goes on after ``pause(_:)``.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func resume(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { $0.isPaused = false }
    }

    /// Has a transfer made once more that failed or was cancelled; others stay as they are.
    ///
    /// - Throws: ``TransferError`` if there is no such transfer, or it cannot be written.
    public func retry(_ identifier: String) async throws(TransferError) {
        try await store.change(identifier) { entry in
            guard let end = entry.end, end.kind != .finished else { return }
            entry = entry.again
        }
    }

    /// Cancels a transfer if it has not ended, and forgets it. A file that has been fetched whole stays. The server of an
    /// upload is told as by ``cancel(_:)``.
    ///
    /// - Throws: ``TransferError`` if it cannot be removed.
    public func remove(_ identifier: String) async throws(TransferError) {
        try await store.remove(identifier)
        await tellServers()
    }

    /// Tells the servers of uploads that were cancelled or removed, unless a process makes the transfers.
    ///
    /// - Parameter isLast: If `true`, a server that does not confirm it is not told again.
    package func tellServers(isLast: Bool = false) async {
        guard let abandoned = try? await store.abandonedByAll() else { return }
        await abandoned.forEachConcurrently(atMost: store.options.concurrency) { [store, runner] entry in
            let isTold = await runner.abandon(TransferJob(entry, in: store.folder))
            if isTold || isLast && !Task.isCancelled { try? await store.discardAbandoned(entry) }
        }
    }

    // MARK: Asking how they stand

    /// All transfers, in the order in which they came.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func transfers() async throws(TransferError) -> [TransferReport] {
        try await store.reports()
    }

    /// Each transfer as it stands, then each that changes, whichever process changes it.
    public var updates: QueueReports { QueueReports(queue: self) }

    /// Waits until a transfer has ended, in whatever process. One that has ended is told at once.
    ///
    /// - Returns: How it ended: finished, failed or cancelled.
    /// - Throws: ``TransferError`` if there is no such transfer, the folder cannot be read, or the task is cancelled.
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

    /// What was found in the folder that no queue has written, or that is damaged, and where it was put.
    ///
    /// - Throws: ``TransferError`` if the folder cannot be read.
    public func problems() async throws(TransferError) -> [String] {
        try await store.problems()
    }

    // MARK: ActiveTransfers them

    /// Makes the transfers of the folder, and those that are added meanwhile, until the task is cancelled.
    ///
    /// While another process does so this waits, to take over when that one ends. What is under way when the task is
    /// cancelled stays in the queue.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func run() async throws(TransferError) {
        try await QueueRun(store, by: runner, endsWhenEmpty: false)()
    }

    /// Makes the transfers of the folder, and those that are added meanwhile, until all have ended but those that are
    /// paused, or the task is cancelled.
    ///
    /// - Throws: ``TransferError`` if the folder can no longer be read or written, or the client was closed.
    public func runUntilEmpty() async throws(TransferError) {
        try await QueueRun(store, by: runner, endsWhenEmpty: true)()
    }
}

/// The runner of a queue that makes no transfers, and so has no client with which to call their servers.
private struct NoRunner: TransferRunner {
    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        throw TransferError(.network(.invalidRequest(NetworkFailure("this queue was opened without a client"))))
    }
}

/// How a ``TransferQueue`` works.
public struct TransferQueueOptions: Sendable {
    /// How many transfers are made at a time; at least 1, at most 64.
    public var concurrency = 4

    /// How often, and when, a transfer is begun again that failed, beyond what it does by itself to go on.
    ///
    /// Its statuses and errors say which failures are worth it; its methods do not matter. A process that was killed
    /// counts for no attempt.
    public var retry = RetryPolicy.exponential(attempts: 5, base: .seconds(1), cap: .seconds(60))

    /// How often, and when, a transfer goes on by itself after the connection broke, before it counts as failed; as
    /// ``DownloadOptions/retry`` and ``UploadOptions/retry`` say unless set.
    ///
    /// A transfer that waits by itself keeps its place among those that are made; one that waits in the queue does not.
    public var transferRetry: RetryPolicy?

    /// How many transfers that have ended are kept to be asked for; those that ended first are forgotten first.
    public var retainedResults = 1_000

    /// For how long transfers that have ended are kept to be asked for; a week unless set.
    public var retention = Duration.seconds(7 * 24 * 60 * 60)

    /// How many transfers there may be, those included that have ended and are kept.
    public var maximumTransfers = 10_000

    /// Makes options with the defaults.
    public init() {}
}
