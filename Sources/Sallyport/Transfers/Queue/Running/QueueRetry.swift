import Foundation
import SallyportTransport

extension QueueEntry {
    /// Takes note of a failure.
    ///
    /// A whole file that has not the digest that the caller gave is fetched once more, and only once: what was put
    /// together of several answers, or was damaged on its way, is mended by that, and a wrong digest by nothing.
    ///
    /// - Parameter progress: How far the attempt has come.
    mutating func note(_ error: TransferError, after progress: QueueProgress, _ retry: RetryPolicy, at date: Date) {
        failedAttempts += 1
        self.error = String(error.textInQueue.prefix(2_000))
        let isFinal = error.isWrongDigest && hadWrongDigest == true
        if error.isWrongDigest { hadWrongDigest = true }
        if !isFinal, let delay = retry.delay(ofTransferAfter: error, attempt: failedAttempts, now: date) {
            nextAttempt = date.addingTimeInterval(delay / .seconds(1))
        } else {
            end = End(kind: .failed, date: date, progress: progress)
            nextAttempt = nil
        }
    }
}

extension TransferError {
    /// What went wrong, and what one who has a queue can do.
    fileprivate var textInQueue: String {
        guard case .fileExists(let url) = reason else { return TransferError(reason).description }
        return """
            \(url.path) is there already, and stays; move it away and have the transfer made again, or remove the \
            transfer and add it anew: under another name, or so that it replaces the file or gets a number
            """
    }
}

extension RetryPolicy {
    /// How long to wait before a transfer is begun again; `nil` if it is not.
    ///
    /// - Parameter attempt: Which attempt has failed; the first is 1.
    func delay(ofTransferAfter error: TransferError, attempt: Int, now: Date) -> Duration? {
        guard attempt < attempts, covers(error) else { return nil }
        if case .status(let response) = error.reason, let asked = RetryAfter.wait(response, now: now) {
            return asked <= longestRetryAfter ? asked : nil
        }
        return backoff.delay(afterAttempt: attempt)
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
