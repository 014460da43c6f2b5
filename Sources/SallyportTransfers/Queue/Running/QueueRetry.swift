import Foundation
import Sallyport
import SallyportTransport

extension QueueEntry {
    /// Records a failed attempt.
    ///
    /// A complete file that does not have the digest that the caller specified is fetched again once: this repairs a
    /// file that was combined from different responses or damaged in transit, but not a wrong digest.
    ///
    /// - Parameter progress: The progress of the attempt.
    mutating func recordFailure(
        _ error: TransferError,
        after progress: QueueProgress,
        _ retry: RetryPolicy,
        at date: Date
    ) {
        failedAttempts += 1
        self.error = String(error.queueDescription.prefix(2_000))
        let isFinal = error.isWrongDigest && hadWrongDigest == true
        if error.isWrongDigest { hadWrongDigest = true }
        if !isFinal, let delay = retry.delay(ofTransferAfter: error, attempt: failedAttempts, now: date) {
            nextAttempt = date.addingTimeInterval(delay / .seconds(1))
        } else {
            end = End(kind: .failed, date: date, result: error.refusal, progress: progress)
            nextAttempt = nil
        }
    }
}

extension TransferError {
    /// The response with which the server refused the transfer; `nil` if there was none.
    fileprivate var refusal: TransferReport.Result? {
        guard case .status(let response) = reason else { return nil }
        let body = (response.body ?? Data()).prefix(QueueFormat.maximumResponseSize)
        return .response(status: response.status.code, body: Data(body))
    }

    /// The failure, with advice for the user of a queue.
    fileprivate var queueDescription: String {
        guard case .fileExists(let url) = reason else { return TransferError(reason).description }
        return """
            \(url.path) exists already, and was kept; move it and retry the transfer, or remove the transfer and \
            add it again with another name, or so that it replaces the file or gets a number
            """
    }
}

extension RetryPolicy {
    /// Returns the delay before the next attempt of a transfer; `nil` if no further attempt is to be made.
    ///
    /// - Parameter attempt: The number of the failed attempt; the first is 1.
    func delay(ofTransferAfter error: TransferError, attempt: Int, now: Date) -> Duration? {
        guard attempt < attempts, covers(error) else { return nil }
        if case .status(let response) = error.reason, let requested = RetryAfter.wait(response, now: now) {
            return requested <= longestRetryAfter ? requested : nil
        }
        return backoff.delay(afterAttempt: attempt)
    }

    private func covers(_ error: TransferError) -> Bool {
        switch error.reason {
        case .network(let error): ErrorKind(error).map(errors.contains) ?? false
        case .status(let response): statuses.contains(response.status.code)
        // The content was damaged or replaced, or another transfer is about to release the file: retry.
        case .mismatch, .inUse: true
        case .fileExists, .file, .diskFull: false
        }
    }
}
