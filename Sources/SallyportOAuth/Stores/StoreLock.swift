import Foundation
import Sallyport

/// The lock of a store's file. Waiting for it suspends the task and blocks no thread.
struct StoreLock: Sendable {
    private let lock: FileLock
    private let path: String

    /// - Parameter descriptor: An open file, which is closed when the lock is deallocated.
    init(descriptor: Int32, path: String) {
        lock = FileLock(descriptor: descriptor)
        self.path = path
    }

    /// Waits for the lock.
    ///
    /// - Throws: ``TokenStoreError`` after the limit, which names the process that holds the lock, or `CancellationError`.
    func take(within limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        var pause = Duration.milliseconds(1)
        while try !takeIfFree() {
            guard ContinuousClock.now < end else {
                throw TokenStoreError(
                    .busy,
                    "\(lock.holder) has held \(path) for \(limit); end it if it hangs, and try again"
                )
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
    }

    /// Releases the lock.
    func giveBack() {
        lock.giveBack()
    }

    private func takeIfFree() throws(TokenStoreError) -> Bool {
        do throws(POSIXError) {
            return try lock.takeIfFree()
        } catch {
            let problem = String(cString: strerror(error.code.rawValue))
            throw TokenStoreError(.cannotWrite, "the file \(path) cannot be locked: \(problem)")
        }
    }
}
