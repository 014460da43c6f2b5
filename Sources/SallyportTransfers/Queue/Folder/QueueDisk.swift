import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The file operations of a queue. When a call returns, its effect is on the disk.
package enum QueueDisk {
    /// Creates a folder that only its owner can access, with its parents, unless it exists.
    package static func makeFolder(_ url: URL) throws(TransferError) {
        try converting(url) { () throws(FileSystemError) in try PrivateDirectory.create(url.path) }
    }

    /// - Throws: ``TransferError`` if it is not a folder, belongs to another user, or is writable by others.
    package static func checkGuarded(_ url: URL) throws(TransferError) {
        do throws(PrivateAccessError) {
            try PrivateDirectory.checkGuarded(url)
        } catch {
            switch error {
            case .system(let error): throw error.transferError(url)
            case .otherOwner:
                throw TransferError(.file(url, "belongs to another user; keep the queue in a folder of your own"))
            case .writableByOthers, .accessibleToOthers:
                throw TransferError(.file(url, "is writable by others: chmod 700 it, or use another folder"))
            case .notDirectory, .notFile, .symbolicLink, .tooLong:
                throw TransferError(.file(url, "is not a folder"))
            }
        }
    }

    /// Replaces a file atomically, by writing another file and renaming it.
    ///
    /// - Parameter durably: If `true`, waits until the data is on the disk, so that it survives a power failure.
    static func replace(_ url: URL, with data: Data, by other: URL, durably: Bool = true) throws(TransferError) {
        try converting(url) { () throws(FileSystemError) in
            try PrivateFile.replace(url, with: data, by: other, durably: durably)
        }
        if durably { try synchronize(url.deletingLastPathComponent()) }
    }

    /// Renames a file, possibly to another folder.
    static func move(_ url: URL, to other: URL) throws(TransferError) {
        try converting(url) { () throws(FileSystemError) in try FileSystem.move(url, to: other, replacing: true) }
        try synchronize(other.deletingLastPathComponent())
        try synchronize(url.deletingLastPathComponent())
    }

    /// Removes a file or a folder with its contents, if it exists. Symbolic links are not followed.
    static func remove(_ url: URL) throws(TransferError) {
        guard try converting(url, { () throws(FileSystemError) in try FileSystem.remove(url) }) else { return }
        try synchronize(url.deletingLastPathComponent())
    }

    /// Returns the names in a folder except `.` and `..`, in no particular order.
    static func names(in url: URL) throws(TransferError) -> [String] {
        try converting(url) { () throws(FileSystemError) in try FileSystem.names(in: url) }
    }

    /// Waits until the names in a folder are on the disk.
    static func synchronize(_ url: URL) throws(TransferError) {
        try converting(url) { () throws(FileSystemError) in try FileSystem.synchronizeDirectory(url) }
    }

    /// Returns the error of the last system call.
    static func problem(_ url: URL) -> TransferError { FileSystemError.last("cannot be accessed").transferError(url) }

    @discardableResult
    private static func converting<Result>(
        _ url: URL,
        _ body: () throws(FileSystemError) -> Result
    ) throws(TransferError) -> Result {
        do throws(FileSystemError) { return try body() } catch { throw error.transferError(url) }
    }
}

extension FileSystemError {
    /// Returns the error of a transfer that failed because of this error.
    package func transferError(_ url: URL) -> TransferError {
        switch code {
        case ENOSPC, EDQUOT: TransferError(.diskFull(url))
        case EWOULDBLOCK: TransferError(.inUse(url))
        default: TransferError(.file(url, description))
        }
    }
}
