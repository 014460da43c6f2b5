import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Where the command keeps what outlives it and is no setting: how far uploads have come, and the queue.
struct StateFolder {
    let root: URL

    /// In the place that XDG has for states.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        root = UserFolders.sallyport(in: "XDG_STATE_HOME", else: ".local/state", environment)
    }

    /// Where the queue is, unless another folder is named.
    var queue: URL { root.appendingPathComponent("queue", isDirectory: true) }

    /// Where uploads are that have not ended, each in a folder of its own.
    var uploads: URL { root.appendingPathComponent("uploads", isDirectory: true) }

    /// Makes a folder for its owner alone, unless it is there.
    ///
    /// - Throws: A failure if it cannot be made, or if others could change what is in it.
    static func makePrivate(_ folder: URL) throws(CommandFailure) {
        try OwnFolder.make(folder)
        guard let state = FileState(folder) else {
            throw CommandFailure(.writeError, "the folder \(folder.path) cannot be looked at: \(systemReason())")
        }
        guard state.isFolder, state.isGuarded else {
            throw CommandFailure(
                .writeError,
                "the folder \(folder.path) is not yours alone to write in; remove it, or chmod 700 it"
            )
        }
    }
}
