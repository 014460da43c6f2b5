import ArgumentParser
import Foundation
import Sallyport

/// Which queue a command is about.
struct QueueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the queue, which is made if it is not there. (default: in XDG_STATE_HOME)",
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
    /// - Parameter client: Makes the transfers; `nil` to list and change the queue only. No server is called then,
    ///   because only the command that makes the transfers has the proxies and credentials.
    func open(client: HttpClient?, options: TransferQueueOptions = TransferQueueOptions()) throws -> TransferQueue {
        if folder == nil { try StateFolder.makePrivate(StateFolder().root) }
        guard let client else { return try TransferQueue(folder: url) }
        return try TransferQueue(folder: url, client: client, options: options)
    }

    /// Opens the queue for as long as a closure takes, which makes no transfers.
    func withQueue<Value>(_ body: (TransferQueue) async throws -> Value) async throws -> Value {
        try await body(open(client: nil))
    }

    /// A command about the same queue, as it is typed.
    func command(_ name: String, _ identifiers: [String] = []) -> String {
        let place = folder.map { ["--folder", ShellText.quoted($0)] } ?? []
        return (["sallyport queue", name] + identifiers + place).joined(separator: " ")
    }

    /// How to have a transfer made again that has been made.
    func howToMakeAgain(_ report: TransferReport) -> String {
        let removal = "to have it made again: \(command("remove", [report.identifier])), and add it once more"
        guard case .download(let download) = report.transfer.work, download.existingFile == .fail else {
            return removal
        }
        return "\(removal), with --replace if the file is to be replaced"
    }
}
