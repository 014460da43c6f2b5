import Foundation
import SallyportTransport

extension RetryPolicy {
    /// How long to wait before a transfer is begun again; `nil` if it is not.
    ///
    /// - Parameter attempt: Which attempt has failed; the first is 1.
    func delay(ofTransferAfter error: TransferError, attempt: Int, now: Date) -> Duration? {
        guard attempt < attempts, covers(error) else { return nil }
        if case .status(let response) = error.reason, let asked = RetryAfter.wait(response, now: now) {
            return asked <= longestRetryAfter ? asked : nil
        }
        var generator = SystemRandomNumberGenerator()
        return backoff.delay(afterAttempt: attempt, using: &generator)
    }

    private func covers(_ error: TransferError) -> Bool {
        switch error.reason {
        case .network(let error): ErrorKind(error).map(errors.contains) ?? false
        case .status(let response): statuses.contains(response.status.code)
        // What came was damaged or another file by now, or one who has not quite ended has it: worth another attempt.
        case .mismatch, .inUse: true
        case .fileExists, .file, .diskFull: false
        }
    }
}
