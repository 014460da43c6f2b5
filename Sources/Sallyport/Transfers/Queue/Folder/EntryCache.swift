import Foundation
import SallyportTransport

/// The entries of a queue's folder. Only files that have changed are read again.
struct EntryCache: Sendable {
    private struct Seen: Sendable {
        var state: FileState
        var date: Date
        /// The entry; `nil` if the file is invalid and could not be set aside.
        var entry: QueueEntry?
    }

    private var folder: (state: FileState, date: Date)?
    private var files: [String: Seen] = [:]

    /// All entries, in no particular order.
    private(set) var entries: [QueueEntry] = []

    /// Updates the entries from the folder.
    mutating func refresh(_ queue: QueueFolder) throws(TransferError) {
        let date = Date()
        guard let state = FileState(queue.entries) else { throw QueueDisk.problem(queue.entries) }
        if let folder, folder.state == state, state.isSettled(at: folder.date) { return }
        var found: [String: Seen] = [:]
        for name in try QueueDisk.names(in: queue.entries) {
            let file = queue.entries.appendingPathComponent(name)
            guard let state = FileState(file) else { continue }
            if let seen = files[name], seen.state == state, state.isSettled(at: seen.date) {
                found[name] = seen
                continue
            }
            let entry = QueueFolder.read(file).flatMap { QueueFormat.entry(in: $0, named: name) }
            if entry == nil { try queue.putAside(name) }
            if entry != nil || FileState(file) != nil { found[name] = Seen(state: state, date: date, entry: entry) }
        }
        files = found
        entries = found.values.compactMap(\.entry)
        folder = (state, date)
    }
}
