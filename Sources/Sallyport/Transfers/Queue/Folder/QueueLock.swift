import Foundation

/// A lock among processes, and among the queues of one; the system takes it back from a process that has ended.
final class QueueLock: Sendable {
    private let descriptor: Int32
    private let url: URL

    /// Opens the file of a lock, which is made if it is not there.
    init(_ url: URL) throws(TransferError) {
        self.url = url
        descriptor = open(url.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw QueueDisk.problem(url) }
    }

    deinit {
        close(descriptor)
    }

    /// Takes the lock if nobody has it.
    func take() throws(TransferError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw QueueDisk.problem(url) }
            return false
        }
        note()
        return true
    }

    /// Waits for the lock, for which nobody waits longer than for a few files. It keeps its thread.
    ///
    /// - Throws: ``TransferError`` after ten seconds, naming who has it.
    func wait() throws(TransferError) {
        let end = ContinuousClock.now + .seconds(10)
        var pause: UInt32 = 200
        while try !take() {
            guard ContinuousClock.now < end else {
                throw TransferError(.file(url, "\(holder) has held it for 10 seconds; end it if it hangs"))
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Lets the next one have it.
    func giveBack() {
        flock(descriptor, LOCK_UN)
    }

    /// Whether somebody has it now, this one included.
    static func isTaken(_ url: URL) throws(TransferError) -> Bool {
        let lock = try QueueLock(url)
        if flock(lock.descriptor, LOCK_SH | LOCK_NB) == 0 { return false }
        guard errno == EWOULDBLOCK else { throw QueueDisk.problem(url) }
        return true
    }

    /// Writes down who has the lock, for the one who waits for it in vain.
    private func note() {
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    private var holder: String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let digits = String(decoding: bytes.prefix(count).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        return digits.isEmpty ? "another process" : "the process \(digits)"
    }
}
