import Foundation

/// What the process that makes the transfers tells the others of them, by a file.
struct QueueStatus: Sendable, Hashable, Codable {
    /// The number of that process.
    var process: Int32
    /// How far each transfer has come that is being made, by its entry's key.
    var running: [String: QueueProgress]

    static func read(in folder: QueueFolder) -> QueueStatus? {
        QueueFolder.read(folder.running).flatMap { try? JSONDecoder().decode(QueueStatus.self, from: $0) }
    }

    func write(in folder: QueueFolder) throws(TransferError) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let other = folder.url.appendingPathComponent("running.new")
        try QueueDisk.replace(folder.running, with: data, by: other, durably: false)
    }
}
