import Foundation
import SallyportTransport

#if canImport(Darwin)
import Darwin
import SallyportStorage
#endif

/// The file operations of a queue. When a call returns, its effect is on the disk.
enum QueueDisk {
    /// Creates a folder that only its owner can access, unless it exists.
    static func makeFolder(_ url: URL) throws(TransferError) {
        if mkdir(url.path, 0o700) == 0 { return try synchronize(url.deletingLastPathComponent()) }
        if errno != EEXIST { throw problem(url) }
    }

    /// - Throws: ``TransferError`` if it is not a folder, belongs to another user, or is writable by others.
    static func checkGuarded(_ url: URL) throws(TransferError) {
        guard let state = FileState(url, followingLinks: true) else { throw problem(url) }
        guard state.isFolder else { throw TransferError(.file(url, "is not a folder")) }
        if !state.isOwn {
            throw TransferError(.file(url, "belongs to another user; keep the queue in a folder of your own"))
        }
        if !state.isGuarded {
            throw TransferError(.file(url, "is writable by others: chmod 700 it, or use another folder"))
        }
    }

    /// Replaces a file atomically, by writing another file and renaming it.
    ///
    /// - Parameter durably: If `true`, waits until the data is on the disk, so that it survives a power failure.
    static func replace(_ url: URL, with data: Data, by other: URL, durably: Bool = true) throws(TransferError) {
        do throws(FileSystemError) {
            try PrivateFile.replace(url, with: data, by: other, durably: durably)
        } catch {
            throw error.transferError(url)
        }
        if durably { try synchronize(url.deletingLastPathComponent()) }
    }

    /// Renames a file, possibly to another folder.
    static func move(_ url: URL, to other: URL) throws(TransferError) {
        guard rename(url.path, other.path) == 0 else { throw problem(url) }
        try synchronize(other.deletingLastPathComponent())
        try synchronize(url.deletingLastPathComponent())
    }

    /// Removes a file or a folder with its contents, if it exists. Symbolic links are not followed.
    static func remove(_ url: URL) throws(TransferError) {
        if unlink(url.path) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return }
            guard errno == EISDIR || errno == EPERM else { throw problem(url) }
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                var info = stat()
                if lstat(url.path, &info) == 0 { throw TransferError(.file(url, error.localizedDescription)) }
            }
        }
        try synchronize(url.deletingLastPathComponent())
    }

    /// Returns the names in a folder except `.` and `..`, in no particular order.
    static func names(in url: URL) throws(TransferError) -> [String] {
        guard let folder = opendir(url.path) else { throw problem(url) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Waits until the names in a folder are on the disk.
    static func synchronize(_ url: URL) throws(TransferError) {
        do throws(FileSystemError) { try FileSystem.synchronizeDirectory(url) } catch { throw error.transferError(url) }
    }

    /// Returns the error of a system call: of the last one, unless a code is specified.
    static func problem(_ url: URL, _ code: Int32 = errno) -> TransferError {
        if code == ENOSPC || code == EDQUOT { return TransferError(.diskFull(url)) }
        return TransferError(.file(url, String(cString: strerror(code))))
    }
}
