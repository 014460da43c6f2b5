import Foundation

/// A lock on a file, among processes and within one; the system takes it back from a process that has ended.
final class FileLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// - Parameter descriptor: An open file, which is closed with the lock.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Asks for the lock again and again, as no thread is to be kept waiting for it.
    ///
    /// - Throws: ``TokenStoreError`` after the limit, naming who holds it, or `CancellationError`.
    func take(within limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        var pause = Duration.milliseconds(1)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else {
                let problem = String(cString: strerror(errno))
                throw TokenStoreError(.cannotWrite, "the file \(path) cannot be locked: \(problem)")
            }
            guard ContinuousClock.now < end else { throw busy(limit) }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
        note()
    }

    /// Lets the next one have it.
    func giveBack() {
        flock(descriptor, LOCK_UN)
    }

    /// Writes down who holds the lock, for the one who waits for it in vain.
    private func note() {
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    private func busy(_ limit: Duration) -> TokenStoreError {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let holder = String(decoding: bytes.prefix(count).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        let name = holder.isEmpty ? "another process" : "the process \(holder)"
        return TokenStoreError(.busy, "\(name) has held \(path) for \(limit); end it if it hangs, and try again")
    }
}
