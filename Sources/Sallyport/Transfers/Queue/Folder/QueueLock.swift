import Foundation
import SallyportStorage

/// A lock between processes, and between the queues in one process.
struct QueueLock: Sendable {
    private let lock: FileLock
    private let url: URL

    /// Opens the lock file, and creates it if it does not exist.
    init(_ url: URL) throws(TransferError) {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw QueueDisk.problem(url) }
        lock = FileLock(descriptor: descriptor)
        self.url = url
    }

    /// Takes the lock if it is free.
    ///
    /// - Returns: `true` if the lock was taken.
    func take() throws(TransferError) -> Bool {
        do throws(POSIXError) { return try lock.takeIfFree() } catch {
            throw QueueDisk.problem(url, error.code.rawValue)
        }
    }

    /// Blocks the calling thread until the lock is free; it is held only while a few files are written.
    ///
    /// - Throws: ``TransferError`` after ten seconds, naming the process that holds the lock.
    func wait() throws(TransferError) {
        let end = ContinuousClock.now + .seconds(10)
        var pause: UInt32 = 200
        while try !take() {
            guard ContinuousClock.now < end else {
                throw TransferError(.file(url, "\(lock.holder) has held it for 10 seconds; end it if it hangs"))
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
    }

    /// Releases the lock.
    func giveBack() {
        lock.giveBack()
    }

    /// Returns whether the lock is held, by this process or another.
    static func isTaken(_ url: URL) throws(TransferError) -> Bool {
        let opened = try QueueLock(url)
        do throws(POSIXError) { return try opened.lock.isTaken() } catch {
            throw QueueDisk.problem(url, error.code.rawValue)
        }
    }
}
