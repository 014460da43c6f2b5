import Foundation
import SallyportTransport

#if canImport(Darwin)
import Darwin
#endif

/// Waits until the disk has what was written.
package enum Disk {
    /// Waits until the disk has an open file.
    package static func synchronize(_ descriptor: Int32) throws(FileProblem) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard retried({ fsync(descriptor) }) == 0 else { throw .last("cannot be written to the disk") }
    }

    /// Waits until the disk has the names in an open folder. Some file systems cannot do it with folders, and need not.
    package static func synchronizeFolder(_ descriptor: Int32) throws(FileProblem) {
        do throws(FileProblem) { try synchronize(descriptor) } catch { if error.code != EINVAL { throw error } }
    }

    /// Waits until the disk has the names in a folder.
    static func synchronizeFolder(_ url: URL) throws(FileProblem) {
        let folder = retried { open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else { throw .last("cannot be opened") }
        defer { close(folder) }
        try synchronizeFolder(folder)
    }
}
