import Foundation

/// Writes files that only their owner may read.
package enum PrivateFile {
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
        unlink(other.path)
        let file = try OpenedFile(other, flags: O_CREAT | O_EXCL, mode: 0o600)
        do throws(FileProblem) {
            if locked { try file.lock() }
            try file.write(data, at: 0)
            if durably { try file.synchronize() }
            try FilePlacing.move(other, to: url, replacing: true)
            return file
        } catch {
            unlink(other.path)
            throw error
        }
    }
}
