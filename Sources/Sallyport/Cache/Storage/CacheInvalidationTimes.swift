import Foundation
import SallyportStorage

/// The times at which the processes that share a directory have invalidated resources.
///
/// A response is not stored if its resource was invalidated after the request for it was sent: the server may have created it before.
/// ``CacheInvalidations`` detects this within a process, and the times detect it between processes, by the system's clock.
///
/// A time is the modification time of an empty file. Resources share a file if their digests have the same last digits, so that there are
/// at most 4,096 files. The invalidation of one of these resources therefore discards responses of the others that are under way.
struct CacheInvalidationTimes: Sendable {
    let layout: CacheLayout

    /// Records that a resource has been invalidated now. Blocks for the disk.
    ///
    /// The caller then removes its stored responses. If the directory of a response was opened before, the response is removed with them.
    func record(_ resource: String) throws(FileSystemError) {
        try PrivateDirectory.create(layout.invalidations.path)
        let file = file(of: resource)
        _ = try OpenedFile(file, flags: O_CREAT, mode: 0o600)
        try FileSystem.touch(file.path)
    }

    /// Returns a Boolean value that indicates whether a resource has been invalidated since a time. Blocks for the disk.
    ///
    /// A time in the future is ignored: the clock was set back.
    func isInvalidated(_ resource: String, since date: Date) -> Bool {
        guard let state = FileState(file(of: resource)) else { return false }
        let invalidated = Date(timeIntervalSince1970: TimeInterval(state.version.modified) / 1e9)
        return invalidated >= date && invalidated <= Date()
    }

    private func file(of resource: String) -> URL {
        layout.invalidations.appendingPathComponent(String(resource.suffix(3)))
    }
}
