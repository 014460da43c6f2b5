import Foundation

/// A lock on a file that excludes other processes, and other locks on the file in this process.
///
/// The system releases the lock when the process ends. The file contains the identifier of the process that locked it last.
package final class FileLock: Sendable {
    /// The error of waiting for a lock that was not released in time.
    package struct Timeout: Error, Sendable, Hashable {
        /// The process that holds the lock, such as "the process 4711".
        package let holder: String
        /// The maximum time to wait.
        package let limit: Duration
    }

    private let descriptor: Int32

    /// Creates a lock on an open file.
    ///
    /// - Parameter descriptor: The file, which is closed with the lock.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a file to lock, and creates it if it does not exist.
    package convenience init(_ url: URL) throws(FileSystemError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = retryingOnEINTR { open(url.path, flags, 0o600) }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        self.init(descriptor: descriptor)
    }

    deinit {
        // Closing the file may not release the lock; see ``OpenedFile/unlock()``.
        unlock()
        close(descriptor)
    }

    /// Acquires the lock if it is free.
    ///
    /// - Returns: `false` if it is not.
    package func tryLock() throws(FileSystemError) -> Bool {
        guard try lockIfFree(LOCK_EX) else { return false }
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
        return true
    }

    /// Waits for the lock without blocking a thread.
    ///
    /// - Throws: ``Timeout``, ``FileSystemError`` or `CancellationError`.
    package func lock(within limit: Duration) async throws {
        var polling = Polling(limit)
        while try !tryLock() {
            guard let pause = polling.next() else { throw Timeout(holder: holder, limit: limit) }
            try await Task.sleep(for: pause)
        }
    }

    /// Blocks the calling thread until the lock is acquired.
    ///
    /// - Throws: ``Timeout`` or ``FileSystemError``.
    package func lockBlocking(within limit: Duration) throws {
        var polling = Polling(limit)
        while try !tryLock() {
            guard let pause = polling.next() else { throw Timeout(holder: holder, limit: limit) }
            usleep(UInt32(pause / .microseconds(1)))
        }
    }

    /// Releases the lock.
    package func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Returns a Boolean value that indicates whether the lock is held, by this object or another.
    ///
    /// If it is free, this object acquires a shared lock, which it holds until ``unlock()`` or its release.
    package func isLocked() throws(FileSystemError) -> Bool { try !lockIfFree(LOCK_SH) }

    private func lockIfFree(_ kind: Int32) throws(FileSystemError) -> Bool {
        if retryingOnEINTR({ flock(descriptor, kind | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .last("cannot be locked") }
        return false
    }

    /// A description of the process that holds the lock.
    private var holder: String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let digits = String(decoding: bytes.prefix(count).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        return digits.isEmpty ? "another process" : "the process \(digits)"
    }
}

/// The pauses between attempts to acquire a lock.
private struct Polling {
    private let end: ContinuousClock.Instant
    private var pause = Duration.microseconds(200)

    init(_ limit: Duration) { end = ContinuousClock.now + limit }

    /// Returns the next pause; `nil` if no time is left.
    mutating func next() -> Duration? {
        guard ContinuousClock.now < end else { return nil }
        defer { pause = min(pause * 2, .milliseconds(20)) }
        return pause
    }
}
