import Foundation
import SallyportTransport

#if canImport(Darwin)
import Darwin
#endif

/// Files that only their owner may read or write. A path may begin in a folder that is held open.
package enum PrivateFile {
    /// Why a file is not trusted, or not read.
    package enum Refusal: Error, Sendable, Hashable {
        case problem(FileProblem)
        case symbolicLink
        /// It is no plain file.
        case notFile
        /// It belongs to another user.
        case foreign
        /// Others can read or change it.
        case open
        case longer(than: Int)
    }

    /// The bytes of a file; `nil` if there is none.
    package static func read(
        _ path: String,
        in folder: Int32 = AT_FDCWD,
        upTo most: Int
    ) throws(Refusal) -> Data? {
        // Not waiting for the other end, should it be a pipe.
        let file = retried { openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .symbolicLink : .problem(.last("cannot be read"))
        }
        defer { close(file) }
        try check(file)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= most {
            let count = retried { Foundation.read(file, &chunk, chunk.count) }
            guard count >= 0 else { throw .problem(.last("cannot be read")) }
            if count == 0 { return Data(bytes) }
            bytes += chunk.prefix(count)
        }
        throw .longer(than: most)
    }

    /// Looks at an open file.
    ///
    /// - Throws: ``Refusal`` if it is not a plain file of its owner's alone.
    package static func check(_ descriptor: Int32) throws(Refusal) {
        guard let state = FileState(descriptor: descriptor) else { throw .problem(.last("cannot be looked at")) }
        if !state.isFile { throw .notFile }
        if !state.isOwn { throw .foreign }
        if !state.isPrivate { throw .open }
    }

    /// Writes a new file in place of what had its name, and waits until the disk has it.
    package static func write(_ data: Data, to path: String, in folder: Int32) throws(FileProblem) {
        try make(path, in: folder, with: data)
    }

    /// Replaces a file at once, by renaming a new one onto it, so that no reader sees half of it.
    ///
    /// - Throws: `POSIXError`.
    package static func replace(_ path: String, with data: Data) throws {
        do throws(FileProblem) {
            let other = URL(fileURLWithPath: "\(path).\(UUID().uuidString)")
            try replace(URL(fileURLWithPath: path), with: data, by: other)
        } catch {
            throw POSIXError(POSIXErrorCode(rawValue: error.code) ?? .EIO)
        }
    }

    /// Replaces a file at once.
    ///
    /// - Parameters:
    ///   - other: The name of the new file until it is whole, which nobody else writes to.
    ///   - durably: Whether to wait until the disk has the new file.
    ///   - locked: Whether to lock the new file before it has its name.
    /// - Returns: The new file.
    @discardableResult
    static func replace(
        _ url: URL,
        with data: Data,
        by other: URL,
        durably: Bool = true,
        locked: Bool = false
    ) throws(FileProblem) -> OpenedFile {
        let file = try make(other.path, with: data, durably: durably, locked: locked)
        do throws(FileProblem) {
            try FilePlacing.move(other, to: url, replacing: true)
            return file
        } catch {
            unlink(other.path)
            throw error
        }
    }

    @discardableResult
    private static func make(
        _ path: String,
        in folder: Int32 = AT_FDCWD,
        with data: Data,
        durably: Bool = true,
        locked: Bool = false
    ) throws(FileProblem) -> OpenedFile {
        unlinkat(folder, path, 0)
        let file = try OpenedFile(path, in: folder, flags: O_CREAT | O_EXCL, mode: 0o600)
        do throws(FileProblem) {
            if locked { try file.lock() }
            try file.write(data, at: 0)
            if durably { try file.synchronize() }
            return file
        } catch {
            unlinkat(folder, path, 0)
            throw error
        }
    }
}
