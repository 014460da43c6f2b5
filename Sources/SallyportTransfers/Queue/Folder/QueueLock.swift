import Foundation
import Sallyport
import SallyportStorage

/// A lock between processes, and between the queues in one process.
struct QueueLock: Sendable {
    private let lock: FileLock
    private let url: URL

    /// Opens the lock file, and creates it if it does not exist.
    init(_ url: URL) throws(TransferError) {
        do throws(FileSystemError) { lock = try FileLock(url) } catch { throw error.transferError(url) }
        self.url = url
    }

    /// Acquires the lock if it is free.
    ///
    /// - Returns: `false` if it is not.
    func tryLock() throws(TransferError) -> Bool {
        do throws(FileSystemError) { return try lock.tryLock() } catch { throw error.transferError(url) }
    }

    /// Blocks the calling thread until the lock is free; it is held only while a few files are written.
    ///
    /// - Throws: ``TransferError`` after ten seconds, naming the process that holds the lock.
    func wait() throws(TransferError) {
        do {
            try lock.lockBlocking(within: .seconds(10))
        } catch let error as FileLock.Timeout {
            let problem = "\(error.holder) has held it for 10 seconds; end it if it hangs"
            throw TransferError(.file(url, problem))
        } catch {
            throw ((error as? FileSystemError) ?? .last("cannot be locked")).transferError(url)
        }
    }

    /// Releases the lock.
    func unlock() {
        lock.unlock()
    }

    /// Returns a Boolean value that indicates whether the lock is held, by this process or another.
    static func isLocked(_ url: URL) throws(TransferError) -> Bool {
        let opened = try QueueLock(url)
        do throws(FileSystemError) { return try opened.lock.isLocked() } catch { throw error.transferError(url) }
    }
}
