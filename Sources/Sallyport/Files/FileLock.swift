import Foundation

/// A lock on a file, among processes and within one; the system releases the lock of a process that ends.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Parameter descriptor: An open file, which is closed with the lock.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // A process that another thread is starting has a copy of the descriptor, see ``OpenedFile/unlock()``.
        giveBack()
        close(descriptor)
    }

    /// Takes the lock if nobody has it.
    package func takeIfFree() throws(POSIXError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw Self.lastError() }
            return false
        }
        note()
        return true
    }

    /// Releases the lock.
    package func giveBack() {
        flock(descriptor, LOCK_UN)
    }

    /// Whether somebody has it now, this one included. One that nobody has is shared from then on.
    package func isTaken() throws(POSIXError) -> Bool {
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return false }
        guard errno == EWOULDBLOCK else { throw Self.lastError() }
        return true
    }

    /// Who has the lock, for the one who waits for it in vain.
    package var holder: String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let digits = String(decoding: bytes.prefix(count).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        return digits.isEmpty ? "another process" : "the process \(digits)"
    }

    private func note() {
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    private static func lastError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
