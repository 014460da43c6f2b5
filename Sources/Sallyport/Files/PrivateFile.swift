import Foundation

/// Writes files that only their owner may read.
package enum PrivateFile {
    /// Replaces a file at once, by renaming a new one onto it, so that no reader sees half of it.
    package static func replace(_ path: String, with data: Data) throws {
        let temporary = "\(path).\(UUID().uuidString)"
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw lastError() }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, path) == 0 else { throw lastError() }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func lastError() -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
