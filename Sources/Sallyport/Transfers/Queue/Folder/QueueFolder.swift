import Foundation
import SallyportTransport

/// The folder of a queue, and the files in it.
///
///     entries/NAME.json   a transfer each, replaced as a whole
///     gone/KEY.json       one that was removed while it was made, until the one who makes it has let go of it
///     uploads/KEY         what an upload that broke needs to go on
///     aside/              what was found among the entries, and is none
///     running             what is being made, by the process that has `runner.lock`
///     runner.lock         held by the process that makes the transfers
///     changes.lock        held for moments, while an entry is changed
struct QueueFolder: Sendable {
    /// How much is put aside at most. What is found beyond stays where it is.
    static let maximumSetAside = 100

    let url: URL

    var entries: URL { url.appendingPathComponent("entries", isDirectory: true) }
    var gone: URL { url.appendingPathComponent("gone", isDirectory: true) }
    var uploads: URL { url.appendingPathComponent("uploads", isDirectory: true) }
    var aside: URL { url.appendingPathComponent("aside", isDirectory: true) }
    var running: URL { url.appendingPathComponent("running") }
    var runnerLock: URL { url.appendingPathComponent("runner.lock") }
    var changesLock: URL { url.appendingPathComponent("changes.lock") }

    /// Names of the folder's own. Others in it are strange.
    static let ownNames: Set<String> = [
        "entries", "gone", "uploads", "aside", "running", "running.new", "entry.new", "runner.lock", "changes.lock",
    ]

    /// Makes the folder, and those in it, unless they are there.
    func create() throws(TransferError) {
        try makeFolders(url)
        try QueueDisk.checkGuarded(url)
        for folder in [entries, gone, uploads, aside] {
            try QueueDisk.makeFolder(folder)
            try QueueDisk.checkGuarded(folder)
        }
    }

    private func makeFolders(_ folder: URL) throws(TransferError) {
        let parent = folder.deletingLastPathComponent()
        if FileState(folder) == nil, parent.path != folder.path, FileState(parent) == nil { try makeFolders(parent) }
        try QueueDisk.makeFolder(folder)
    }

    /// Runs a closure while nobody else changes an entry.
    func changing<Result>(_ body: () throws(TransferError) -> Result) throws(TransferError) -> Result {
        let lock = try QueueLock(changesLock)
        try lock.wait()
        defer { lock.giveBack() }
        return try body()
    }

    func file(of identifier: String) -> URL {
        entries.appendingPathComponent(QueueFormat.fileName(of: identifier))
    }

    /// Replaces an entry, or adds it. Only while ``changing(_:)``.
    func write(_ entry: QueueEntry) throws(TransferError) {
        let data = try QueueFormat.data(entry)
        // Written outside the folder of entries, which nobody is to see half of anything in.
        try QueueDisk.replace(
            file(of: entry.identifier),
            with: data,
            by: url.appendingPathComponent("entry.new")
        )
    }

    /// - Returns: `nil` if there is none, or what is there is no entry.
    func entry(_ identifier: String) -> QueueEntry? {
        let name = QueueFormat.fileName(of: identifier)
        guard QueueFormat.isIdentifier(identifier), let data = Self.read(file(of: identifier)) else { return nil }
        return QueueFormat.entry(in: data, named: name)
    }

    /// The bytes of a private file; `nil` if there is none, it is too long, or others can change it.
    ///
    /// - Parameter limit: How long it may be; as long as an entry unless given.
    static func read(_ url: URL, limit: Int = QueueFormat.maximumFileSize) -> Data? {
        try? PrivateFile.read(url.path, upTo: limit)
    }

    /// Puts aside what stands among the entries and is none, unless it has become one meanwhile.
    func putAside(_ name: String) throws(TransferError) {
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
