import ArgumentParser
import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers

/// Manages the queue of transfers.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Stores transfers until they have been completed, by this or a later process.",
        discussion: """
            queue add adds transfers. queue watch runs them until all have ended; queue run runs them until it is \
            interrupted. Only one process runs the transfers of a queue at a time. When it ends or is killed, another one \
            takes over and resumes the transfers.

            Examples:
              sallyport queue add https://example.com/large.iso /tmp/large.iso
              sallyport queue add photo=beach.jpg https://api.example.com/photos
              sallyport queue watch
              sallyport queue list

            The queue is stored in the folder sallyport/queue of XDG_STATE_HOME (~/.local/state), or in the folder of --folder. \
            It contains complete URLs, which only you can read, and no credentials: pass those to queue watch and queue run.
            """,
        subcommands: [
            QueueAddCommand.self, QueueListCommand.self, QueueWatchCommand.self, QueueRunCommand.self,
            QueueCancelCommand.self, QueueRetryCommand.self, QueuePauseCommand.self, QueueResumeCommand.self,
            QueueRemoveCommand.self, QueueClearCommand.self,
        ]
    )
}

/// The option for the queue that a command uses.
struct QueueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the queue. It is created if necessary. (default: in XDG_STATE_HOME)",
            valueName: "folder"
        ),
        completion: .directory
    )
    var folder: String?

    /// The folder of the queue.
    private var url: URL { folder.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? StateFolder().queue }

    /// A Boolean value that indicates whether the folder of the queue exists.
    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Opens the queue, and creates its folder if it does not exist.
    ///
    /// - Parameter client: The client that runs the transfers; `nil` to only list and change them. In that case no server
    ///   is called, because only the command that runs the transfers has the proxies and credentials.
    func open(client: HttpClient?, options: TransferQueueOptions = TransferQueueOptions()) throws -> TransferQueue {
        if folder == nil { try PrivateDirectory.makeGuarded(StateFolder().root) }
        guard let client else { return try TransferQueue(folder: url) }
        return try TransferQueue(folder: url, client: client, options: options)
    }

    /// Runs a closure with the queue, without running transfers.
    func withQueue<Value>(_ body: (TransferQueue) async throws -> Value) async throws -> Value {
        try await body(open(client: nil))
    }

    /// Returns a command line for the same queue.
    func command(_ name: String, _ identifiers: [String] = []) -> String {
        let option = folder.map { ["--folder", ShellText.quoted($0)] } ?? []
        return (["sallyport queue", name] + identifiers + option).joined(separator: " ")
    }

    /// Returns the advice for repeating a completed transfer.
    func adviceToRepeat(_ report: TransferReport) -> String {
        let removal = "to repeat it: \(command("remove", [report.identifier])), and add it again"
        guard case .download(let download) = report.transfer.work, download.existingFile == .fail else {
            return removal
        }
        return "\(removal), with --replace to replace the file"
    }
}
