import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The folder of a queue, and the files in it.
///
///     entries/NAME.json   one transfer each, replaced atomically
///     gone/KEY.json       a transfer that was removed while it was running, until its files can be removed
///     uploads/KEY         the journal of an interrupted upload
///     aside/              invalid files that were found among the entries
///     running             the progress of running transfers, written by the holder of `runner.lock`
///     runner.lock         held by the process that performs the transfers
///     changes.lock        held briefly while an entry is changed
struct QueueFolder: Sendable {
    /// The maximum number of files that are set aside. Others remain among the entries.
    static let maximumSetAside = 100

    let url: URL

    var entries: URL { url.appendingPathComponent("entries", isDirectory: true) }
    var gone: URL { url.appendingPathComponent("gone", isDirectory: true) }
    var uploads: URL { url.appendingPathComponent("uploads", isDirectory: true) }
    var aside: URL { url.appendingPathComponent("aside", isDirectory: true) }
    var running: URL { url.appendingPathComponent("running") }
    var runnerLock: URL { url.appendingPathComponent("runner.lock") }
    var changesLock: URL { url.appendingPathComponent("changes.lock") }

    /// The names that belong to the queue. Other files in the folder are reported.
    static let ownNames: Set<String> = [
        "entries", "gone", "uploads", "aside", "running", "running.new", "entry.new", "runner.lock", "changes.lock",
    ]

    /// Creates the folder and its subfolders, unless they exist.
    func create() throws(TransferError) {
        for folder in [url, entries, gone, uploads, aside] {
            try QueueDisk.makeFolder(folder)
            try QueueDisk.checkGuarded(folder)
        }
    }

    /// Runs a closure under the lock for changes.
    func changing<Result>(_ body: () throws(TransferError) -> Result) throws(TransferError) -> Result {
        let lock = try QueueLock(changesLock)
        try lock.wait()
        defer { lock.unlock() }
        return try body()
    }

    func file(of identifier: String) -> URL {
        entries.appendingPathComponent(QueueFormat.fileName(of: identifier))
    }

    /// Writes an entry, inside ``changing(_:)``.
    func write(_ entry: QueueEntry) throws(TransferError) {
        let data = try QueueFormat.data(entry)
        // The temporary file is not in the folder of the entries, where it would be set aside as invalid while
        // incomplete.
        try QueueDisk.replace(
            file(of: entry.identifier),
            with: data,
            by: url.appendingPathComponent("entry.new")
        )
    }

    /// - Returns: `nil` if the entry does not exist or is invalid.
    func entry(_ identifier: String) -> QueueEntry? {
        let name = QueueFormat.fileName(of: identifier)
        guard QueueFormat.isIdentifier(identifier), let data = Self.read(file(of: identifier)) else { return nil }
        return QueueFormat.entry(in: data, named: name)
    }

    /// Returns the bytes of a private file; `nil` if it does not exist, is too long, or can be changed by others.
    ///
    /// - Parameter limit: The maximum size in bytes; the maximum size of an entry by default.
    static func read(_ url: URL, limit: Int = QueueFormat.maximumFileSize) -> Data? {
        try? PrivateFile.read(url.path, upTo: limit)
    }

    /// Moves an invalid file among the entries to the folder `aside`, unless it has become valid meanwhile.
    func setAside(_ name: String) throws(TransferError) {
        try changing { () throws(TransferError) in
            let file = entries.appendingPathComponent(name)
            guard FileState(file) != nil, !isEntry(name) else { return }
            let taken = Set(try QueueDisk.names(in: aside))
            guard taken.count < Self.maximumSetAside else { return }
            var other = name
            var number = 2
            while taken.contains(other) {
                other = "\(name.prefix(200))-\(number)"
                number += 1
            }
            try QueueDisk.move(file, to: aside.appendingPathComponent(other))
        }
    }

    private func isEntry(_ name: String) -> Bool {
        guard let data = Self.read(entries.appendingPathComponent(name)) else { return false }
        return QueueFormat.entry(in: data, named: name) != nil
    }
}
