import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The folder for the state of the command: unfinished uploads and the transfer queue.
struct StateFolder {
    let root: URL

    /// Creates the folder's path by the XDG Base Directory Specification.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        root = UserFolders.sallyport(in: "XDG_STATE_HOME", else: ".local/state", environment)
    }

    /// The default folder of the queue.
    var queue: URL { root.appendingPathComponent("queue", isDirectory: true) }

    /// The folder of the unfinished uploads. Each upload has a folder of its own.
    var uploads: URL { root.appendingPathComponent("uploads", isDirectory: true) }
}

extension PrivateDirectory {
    /// Creates a directory that only its owner can access, with its parents, unless it exists.
    static func make(_ folder: URL) throws(CommandFailure) {
        do throws(FileSystemError) {
            try create(folder.path)
        } catch {
            throw WriteFailure.of("the folder", folder.path, error)
        }
    }

    /// Creates a directory that only its owner can access, unless it exists, and checks that no other user can write to it.
    static func makeGuarded(_ folder: URL) throws(CommandFailure) {
        try make(folder)
        do throws(PrivateAccessError) {
            try checkGuarded(folder)
        } catch {
            if case .system(let error) = error { throw WriteFailure.of("the folder", folder.path, error) }
            throw CommandFailure(
                .writeError,
                "the folder \(folder.path) can be changed by other users; remove it, or run chmod 700 on it"
            )
        }
    }
}
