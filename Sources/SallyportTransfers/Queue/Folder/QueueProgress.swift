import Foundation
import Sallyport

/// The progress of a transfer as it is written to files.
struct QueueProgress: Sendable, Hashable, Codable {
    var completed: Int64 = 0
    var total: Int64?
    var rate: Double = 0
    var startedOver: String?

    /// Returns the progress of a transfer with a state.
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

/// The contents of a status file. The process that runs the queue writes it to publish its progress to other processes.
struct QueueStatus: Sendable, Hashable, Codable {
    /// The process identifier.
    var process: Int32
    /// The progress of the transfers that the process is performing, by the keys of their entries.
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
