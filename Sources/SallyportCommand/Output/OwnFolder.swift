import Foundation

/// Makes folders that only their owner may look into.
enum OwnFolder {
    /// Makes a folder, with those above it, unless it is there.
    static func make(_ folder: URL) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            let reason = (error as NSError).localizedDescription
            throw CommandFailure(.writeError, "the folder \(folder.path) cannot be made: \(reason)")
        }
    }
}
