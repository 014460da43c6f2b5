import Dispatch
import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Reads and changes the entries of a queue's folder, which several processes may share.
///
/// File operations run on a dispatch queue, so that they do not block threads of the cooperative pool.
final class QueueStore: Sendable {
    /// The interval at which the folder is checked for changes by other processes.
    static let interval = Duration.milliseconds(200)

    let folder: QueueFolder
    let options: TransferQueueOptions
    let time: TimeSource
    /// Fired after each change that this process makes.
    let signal = QueueSignal()

    private let cache = Locked(EntryCache())
    private let resumable = Locked(ResumableProgressCache())
    /// The progress of the transfers that this object performs; `nil` if it performs none.
    private let running: Locked<[String: QueueProgress]?> = Locked(nil)
    /// The serial queue for file operations.
    let queue = DispatchQueue(label: "sallyport.transfer-queue")

    init(_ folder: URL, options: TransferQueueOptions, time: TimeSource) throws(TransferError) {
        self.folder = QueueFolder(url: folder.absoluteURL)
        self.options = options
        self.time = time
        try self.folder.create()
    }

    // MARK: Reading

    /// Returns all entries, in the order they were enqueued.
    func entries() async throws(TransferError) -> [QueueEntry] {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in try sortedEntries() }
    }

    /// Returns the state of all transfers, in the order they were enqueued.
    func reports() async throws(TransferError) -> [TransferReport] {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in
            let entries = try sortedEntries()
            let running = try progress()
            let idle = entries.filter { $0.end == nil && running[$0.key] == nil }
            let resumable = resumable.withLock { $0.progress(of: idle, in: folder) }
            return entries.map { $0.report(running: running[$0.key], resumable: resumable[$0.key]) }
        }
    }

    func entry(_ identifier: String) async throws(TransferError) -> QueueEntry {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in try existing(identifier) }
    }

    /// Returns a description of each file that was set aside, and of unknown files in the folder.
    func problems() async throws(TransferError) -> [String] {
        try await runBlocking(on: queue) { [folder] () throws(TransferError) in
            let aside = try QueueDisk.names(in: folder.aside).sorted().map { name in
                """
                \(VisibleText.line(folder.aside.appendingPathComponent(name).path)) was found among the transfers, and \
                cannot be read; inspect and remove it
                """
            }
            let unknown = try QueueDisk.names(in: folder.url).filter { !QueueFolder.ownNames.contains($0) }.sorted()
            return aside
                + unknown.prefix(QueueFolder.maximumSetAside).map { name in
                    "\(VisibleText.line(folder.url.appendingPathComponent(name).path)) does not belong to the queue, and is ignored"
                }
        }
    }

    private func sortedEntries() throws(TransferError) -> [QueueEntry] {
        let entries = try cache.withLock { cache throws(TransferError) in
            try cache.refresh(folder)
            return cache.entries
        }
        return entries.sorted { ($0.enqueued, $0.identifier) < ($1.enqueued, $1.identifier) }
    }

    private func existing(_ identifier: String) throws(TransferError) -> QueueEntry {
        guard let entry = folder.entry(identifier) else {
            throw TransferError(.file(folder.url, "the queue has no transfer \"\(VisibleText.line(identifier))\""))
        }
        return entry
    }

    /// Returns the progress of the transfers that any process is performing.
    private func progress() throws(TransferError) -> [String: QueueProgress] {
        if let own = running.withLock({ $0 }) { return own }
        guard try QueueLock.isLocked(folder.runnerLock) else { return [:] }
        return QueueStatus.read(in: folder)?.running ?? [:]
    }

    // MARK: Changing

    /// Adds a transfer, unless it exists.
    func add(_ transfer: QueuedTransfer) async throws(TransferError) {
        let date = time.date()
        try await changing { [self] () throws(TransferError) in
            if var entry = folder.entry(transfer.identifier) {
                guard entry.transfer.work == transfer.work else { throw conflict(transfer) }
                if entry.transfer.priority == transfer.priority || entry.end != nil { return }
                entry.transfer.priority = transfer.priority
                return try folder.write(entry)
            }
            try transfer.checkFiles()
            guard try QueueDisk.names(in: folder.entries).count < options.maximumTransfers else { throw tooMany() }
            try folder.write(QueueEntry(transfer, enqueued: date))
        }
    }

    /// Changes an entry, and writes it if the closure changed it.
    func change(
        _ identifier: String,
        _ change: @escaping @Sendable (inout QueueEntry) throws(TransferError) -> Void
    ) async throws(TransferError) {
        try await changing { [self] () throws(TransferError) in
            let entry = try existing(identifier)
            var changed = entry
            try change(&changed)
            guard changed != entry else { return }
            try folder.write(changed)
            if changed.end?.kind == .cancelled, !isPartlyAtServer(changed), try !isRunning() { discard(changed) }
        }
    }

    /// Changes the entry of a transfer that is being performed, unless it was ended, retried or removed meanwhile.
    func changeUnlessEnded(
        _ entry: QueueEntry,
        _ change: @escaping @Sendable (inout QueueEntry) throws(TransferError) -> Void
    ) async throws(TransferError) {
        try await changing { [self] () throws(TransferError) in
            guard var present = folder.entry(entry.identifier), present.key == entry.key, present.end == nil,
                present.round == entry.round
            else { return }
            try change(&present)
            try folder.write(present)
        }
    }

    /// Removes a transfer and its files. If a process is running the queue, or a server must still be notified, the
    /// files are removed later.
    func remove(_ identifier: String) async throws(TransferError) {
        try await changing { [self] () throws(TransferError) in
            try removeEntry(try existing(identifier))
        }
    }

    private func removeEntry(_ entry: QueueEntry) throws(TransferError) {
        let file = folder.file(of: entry.identifier)
        if try isRunning() || isPartlyAtServer(entry) {
            try QueueDisk.move(file, to: folder.gone.appendingPathComponent(entry.key + QueueFormat.suffix))
        } else {
            discard(entry)
            try QueueDisk.remove(file)
        }
    }

    /// Returns a Boolean value that indicates whether a server has part of an upload that has not succeeded.
    private func isPartlyAtServer(_ entry: QueueEntry) -> Bool {
        guard case .upload = entry.transfer.work, entry.end?.kind != .finished else { return false }
        return UploadJournal.entry(at: TransferJob(entry, in: folder).journal)?.resource != nil
    }

    /// Returns the removed transfers that still have files.
    private func removedEntries() throws(TransferError) -> [QueueEntry] {
        try QueueDisk.names(in: folder.gone).compactMap { name in
            QueueFolder.read(folder.gone.appendingPathComponent(name)).flatMap(QueueFormat.entry)
        }
    }

    private func isRunning() throws(TransferError) -> Bool { try QueueLock.isLocked(folder.runnerLock) }

    /// Runs a closure that changes entries, under the lock of the queue, and notifies waiting tasks.
    private func changing(_ work: @escaping @Sendable () throws(TransferError) -> Void) async throws(TransferError) {
        try await runBlocking(on: queue) { [folder] () throws(TransferError) in try folder.changing(work) }
        signal.fire()
    }

    /// Removes the partial files and journals of a transfer. Errors are ignored, for example if a disk is not
    /// mounted.
    private func discard(_ entry: QueueEntry) {
        let job = TransferJob(entry, in: folder)
        try? job.staging?.remove()
        let names = (try? QueueDisk.names(in: folder.uploads)) ?? []
        for name in names where name.hasPrefix(entry.key) {
            try? QueueDisk.remove(folder.uploads.appendingPathComponent(name))
        }
    }

    private func conflict(_ transfer: QueuedTransfer) -> TransferError {
        let problem = "the transfer \"\(transfer.identifier)\" exists with a different download or upload"
        return TransferError(.file(folder.url, "\(problem); remove it, or choose another identifier"))
    }

    private func tooMany() -> TransferError {
        TransferError(
            .file(folder.url, "it holds \(options.maximumTransfers) transfers, which is the maximum; remove some")
        )
    }

    // MARK: Running

    /// Returns a Boolean value that indicates whether an entry is the same as when it was read, so that its transfer
    /// can be started.
    func isUnchanged(_ entry: QueueEntry) async throws(TransferError) -> Bool {
        await runBlocking(on: queue) { [folder] in folder.entry(entry.identifier) == entry }
    }

    /// Publishes the progress of the transfers that are being performed.
    ///
    /// - Parameter progress: The progress by the keys of the entries; `nil` if this object no longer performs
    ///   transfers.
    func publish(_ progress: [String: QueueProgress]?) async throws(TransferError) {
        running.withLock { $0 = progress }
        try await runBlocking(on: queue) { [folder] () throws(TransferError) in
            if let progress {
                try QueueStatus(process: getpid(), running: progress).write(in: folder)
            } else {
                try QueueDisk.remove(folder.running)
            }
        }
    }

    /// Removes unneeded files that killed processes have left in the folder of uploads.
    func tidyUploads() async throws(TransferError) {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in
            let needed = Set(try (sortedEntries() + removedEntries()).filter { $0.end?.kind != .finished }.map(\.key))
            for name in try QueueDisk.names(in: folder.uploads)
            where !needed.contains(String(name.prefix { $0 != "." })) {
                try? QueueDisk.remove(folder.uploads.appendingPathComponent(name))
            }
        }
    }

    /// Returns the cancelled or removed uploads whose servers have not been notified. These servers may still have part of
    /// the uploads.
    ///
    /// - Parameter keys: The keys of running transfers, which are not returned.
    func abandonedUploads(active keys: Set<String>) async throws(TransferError) -> [QueueEntry] {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in
            let journals = Set(try QueueDisk.names(in: folder.uploads))
            if journals.isEmpty { return [] }
            return try (sortedEntries().filter { $0.end?.kind == .cancelled } + removedEntries()).filter { entry in
                journals.contains(entry.key) && !keys.contains(entry.key) && isPartlyAtServer(entry)
            }
        }
    }

    /// Returns the cancelled or removed uploads whose servers have not been notified. While a process runs the queue, none
    /// are returned, because that process notifies the servers.
    func abandonedUploadsIfIdle() async throws(TransferError) -> [QueueEntry] {
        if try await runBlocking(on: queue, { [self] () throws(TransferError) in try isRunning() }) { return [] }
        return try await abandonedUploads(active: [])
    }

    /// Removes the files of a transfer that was cancelled or removed, unless it has been enqueued again.
    func discardAbandoned(_ entry: QueueEntry) async throws(TransferError) {
        try await changing { [self] () throws(TransferError) in
            if let present = folder.entry(entry.identifier), present.key == entry.key, present.end == nil { return }
            discard(entry)
            try QueueDisk.remove(folder.gone.appendingPathComponent(entry.key + QueueFormat.suffix))
        }
    }

    /// Removes the files of the removed transfers, and of the given ones. Files that are needed to notify a server are
    /// not removed.
    ///
    /// - Parameters:
    ///   - entries: The transfers in the queue. Their files are removed.
    ///   - keys: The keys of running transfers. Their files are not removed.
    func tidy(_ entries: [QueueEntry], active keys: Set<String>) async throws(TransferError) {
        try await runBlocking(on: queue) { [self] () throws(TransferError) in
            for entry in entries where !isPartlyAtServer(entry) { discard(entry) }
            for name in try QueueDisk.names(in: folder.gone) {
                let file = folder.gone.appendingPathComponent(name)
                if keys.contains(String(name.dropLast(QueueFormat.suffix.count))) { continue }
                if let entry = QueueFolder.read(file).flatMap(QueueFormat.entry) {
                    if isPartlyAtServer(entry) { continue }
                    discard(entry)
                }
                try QueueDisk.remove(file)
            }
        }
    }

    /// Removes the ended transfers that exceed the retention period or the number of retained results.
    func removeExpired(_ entries: [QueueEntry]) async throws(TransferError) {
        let oldest = time.date().addingTimeInterval(-(options.retention / .seconds(1)))
        let ended = entries.compactMap { entry in entry.end.map { (entry: entry, date: $0.date) } }
            .sorted { $0.date > $1.date }
        let old = ended.enumerated().filter { $0.offset >= options.retainedResults || $0.element.date < oldest }
            .map(\.element.entry)
        if old.isEmpty { return }
        try await runBlocking(on: queue) { [self] () throws(TransferError) in
            try folder.changing { () throws(TransferError) in
                for entry in old where folder.entry(entry.identifier) == entry {
                    discard(entry)
                    try QueueDisk.remove(folder.file(of: entry.identifier))
                }
            }
        }
    }
}
