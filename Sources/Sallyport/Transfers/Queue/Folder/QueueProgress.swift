import Foundation

/// How far a transfer has come, as it is written to files.
struct QueueProgress: Sendable, Hashable, Codable {
    var completed: Int64 = 0
    var total: Int64?
    var rate: Double = 0
    var startedOver: String?

    func progress(of state: TransferReport.State) -> TransferProgress {
        let progressState: TransferProgress.State =
            switch state {
            case .waiting: .waiting
            case .running: .running
            case .paused: .paused
            case .finished, .failed, .cancelled: .finished
            }
        return TransferProgress(
            state: progressState,
            completedBytes: completed,
            totalBytes: total,
            bytesPerSecond: state == .running ? rate : 0,
            startedOver: startedOver
        )
    }
}

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
