import Foundation

/// A lock among processes, and among the queues of one.
struct QueueLock: Sendable {
    private let lock: FileLock
    private let url: URL

    /// Opens the file of a lock, which is made if it is not there.
    init(_ url: URL) throws(TransferError) {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw QueueDisk.problem(url) }
        lock = FileLock(descriptor: descriptor)
        self.url = url
    }

    /// Takes the lock if nobody has it.
    func take() throws(TransferError) -> Bool {
        do throws(POSIXError) { return try lock.takeIfFree() } catch {
            throw QueueDisk.problem(url, error.code.rawValue)
        }
    }

    /// Waits for the lock, for which nobody waits longer than for a few files. It keeps its thread.
    ///
    /// - Throws: ``TransferError`` after ten seconds, naming who has it.
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

    /// Lets the next one have it.
    func giveBack() {
        lock.giveBack()
    }

    /// Whether somebody has it now, this one included.
    static func isTaken(_ url: URL) throws(TransferError) -> Bool {
        let opened = try QueueLock(url)
        do throws(POSIXError) { return try opened.lock.isTaken() } catch {
            throw QueueDisk.problem(url, error.code.rawValue)
        }
    }
}
