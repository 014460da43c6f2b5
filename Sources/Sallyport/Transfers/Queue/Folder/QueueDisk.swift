import Foundation
import SallyportTransport

#if canImport(Darwin)
import Darwin
#endif

/// What a queue does with the disk. Once a call returns, the disk has it.
enum QueueDisk {
    /// Makes a folder for its owner alone, unless it is there.
    static func makeFolder(_ url: URL) throws(TransferError) {
        if mkdir(url.path, 0o700) == 0 { return try synchronize(url.deletingLastPathComponent()) }
        if errno != EEXIST { throw problem(url) }
    }

    /// - Throws: ``TransferError`` if it is no folder, is another user's, or others can write in it.
    static func checkGuarded(_ url: URL) throws(TransferError) {
        guard let state = FileState(url, followingLinks: true) else { throw problem(url) }
        guard state.isFolder else { throw TransferError(.file(url, "is no folder")) }
        if !state.isOwn {
            throw TransferError(.file(url, "belongs to another user; keep the queue in a folder of your own"))
        }
        if !state.isGuarded {
            throw TransferError(.file(url, "others can write in it: chmod 700 it, or use another"))
        }
    }

    /// Replaces a file at once, by writing another and renaming it.
    ///
    /// - Parameter durably: Whether to wait for the disk, so that it outlasts a failure of power, too.
    static func replace(_ url: URL, with data: Data, by other: URL, durably: Bool = true) throws(TransferError) {
        do throws(FileProblem) {
            try PrivateFile.replace(url, with: data, by: other, durably: durably)
        } catch {
            throw error.transferError(url)
        }
        if durably { try synchronize(url.deletingLastPathComponent()) }
    }

    /// Renames a file, in its folder or to another.
    static func move(_ url: URL, to other: URL) throws(TransferError) {
        guard rename(url.path, other.path) == 0 else { throw problem(url) }
        try synchronize(other.deletingLastPathComponent())
        try synchronize(url.deletingLastPathComponent())
    }

    /// Removes a file, or a folder with all that is in it, if it is there. What a symbolic link leads to stays.
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

    /// The names in a folder but `.` and `..`, in no order.
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

    /// Waits until the disk knows what is in a folder.
    static func synchronize(_ url: URL) throws(TransferError) {
        do throws(FileProblem) { try Disk.synchronizeFolder(url) } catch { throw error.transferError(url) }
    }

    /// What the system says of a failure: that of the last call, unless another is given.
    static func problem(_ url: URL, _ code: Int32 = errno) -> TransferError {
        if code == ENOSPC || code == EDQUOT { return TransferError(.diskFull(url)) }
        return TransferError(.file(url, String(cString: strerror(code))))
    }
}
