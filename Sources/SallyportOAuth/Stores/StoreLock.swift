import Foundation
import Sallyport

/// The lock on a store's file, for which no thread is kept waiting.
struct StoreLock: Sendable {
    private let lock: FileLock
    private let path: String

    /// - Parameter descriptor: An open file, which is closed with the lock.
    init(descriptor: Int32, path: String) {
        lock = FileLock(descriptor: descriptor)
        self.path = path
    }

    /// Asks for the lock again and again.
    ///
    /// - Throws: ``TokenStoreError`` after the limit, naming who holds it, or `CancellationError`.
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

    /// Lets the next one have it.
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
