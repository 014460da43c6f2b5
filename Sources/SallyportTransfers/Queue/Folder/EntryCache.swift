import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The entries of a queue's folder. Only files that have changed are read again.
struct EntryCache: Sendable {
    private struct CachedFile: Sendable {
        var state: FileState
        var date: Date
        /// The entry; `nil` if the file is invalid and could not be set aside.
        var entry: QueueEntry?
    }

    private var folder: (state: FileState, date: Date)?
    private var files: [String: CachedFile] = [:]

    /// All entries, in no particular order.
    private(set) var entries: [QueueEntry] = []

    /// Updates the entries from the folder.
    mutating func refresh(_ queue: QueueFolder) throws(TransferError) {
        let date = Date()
        guard let state = FileState(queue.entries) else { throw QueueDisk.problem(queue.entries) }
        if let folder, folder.state == state, state.isSettled(at: folder.date) { return }
        var found: [String: CachedFile] = [:]
        for name in try QueueDisk.names(in: queue.entries) {
            let file = queue.entries.appendingPathComponent(name)
            guard let state = FileState(file) else { continue }
            if let cached = files[name], cached.state == state, state.isSettled(at: cached.date) {
                found[name] = cached
                continue
            }
            let entry = QueueFolder.read(file).flatMap { QueueFormat.entry(in: $0, named: name) }
            if entry == nil { try queue.setAside(name) }
            if entry != nil || FileState(file) != nil {
                found[name] = CachedFile(state: state, date: date, entry: entry)
            }
        }
        files = found
        entries = found.values.compactMap(\.entry)
        folder = (state, date)
    }
}
