import Foundation
import SallyportTransport

/// Why a request brought less than was asked for, and whether another may help.
enum DownloadStop: Error {
    /// The call failed, or was answered with a status that is no success.
    case outcome(Result<HttpResponse, NetworkError>)
    /// The transfer is over.
    case final(TransferError)
}

extension DownloadRun {
    /// Sends requests until all is there.
    func fetch() async throws(TransferError) {
        var attempt = 0
        // What an earlier transfer has left whole is not named before the server has been asked about it.
        while partial?.isWhole != true || state.withLock({ $0.response }) == nil {
            let before = state.withLock { $0.mostBytes }
            do throws(DownloadStop) {
                try await fetchOnce()
                _ = noteProgress()
                attempt = 0
            } catch {
                guard case .outcome(let outcome) = error else {
                    guard case .final(let error) = error else { return }
                    throw error
                }
                let hasProgressed = noteProgress() > before
                attempt = hasProgressed ? 1 : attempt + 1
                try await wait(after: outcome, attempt, isResumption: hasProgressed)
            }
        }
    }

    /// How many bytes were ever there.
    private func noteProgress() -> Int64 {
        let count = partial?.completedBytes ?? 0
        control.note(completed: count, total: partial?.total)
        return state.withLock { state in
            state.mostBytes = max(state.mostBytes, count)
            return state.mostBytes
        }
    }

    /// Waits until the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of successive attempts without progress.
    ///   - isResumption: A Boolean value that indicates whether the last attempt made progress.
    /// - Throws: ``TransferError`` if there is to be no other attempt.
    func wait(
        after outcome: Result<HttpResponse, NetworkError>,
        _ attempt: Int,
        isResumption: Bool
    ) async throws(TransferError) {
        guard options.retry.covers(outcome, of: request) else { throw TransferError(outcome) }
        let plan = client.retries.plan(after: outcome, isResumption: isResumption) {
            options.retry.plan(afterAttempt: attempt, retryAfter: $0, left: nil)
        }
        guard case .wait(let delay) = plan else { throw TransferError(outcome) }
        let notice = RetryNotice(request: request, outcome: outcome, attempt: attempt, delay: delay)
        do throws(NetworkError) {
            try await client.retries.wait(notice)
        } catch {
            throw TransferError(.network(error))
        }
    }

    /// Sends one request for what is missing first.
    private func fetchOnce() async throws(DownloadStop) {
        let question = question()
        do {
            try await client.stream(request: request.asking(question)) { response in
                try await take(response, to: question)
            }
        } catch let error as DownloadStop {
            throw error
        } catch let error as TransferError {
            throw .final(error)
        } catch {
            throw .outcome(.failure(NetworkError(wrapping: error, reason: "the download failed")))
        }
    }

    /// What to ask for next.
    private func question() -> DownloadPlan.Question {
        guard let partial, let header = partial.header, isResumable(header) else { return DownloadPlan.Question() }
        // All that is there is asked about by its last byte: is it still the same on the server?
        let hole = partial.isWhole ? (start: max(0, (partial.total ?? 0) - 1), end: nil) : partial.firstHole()
        if hole.start == 0, hole.end == nil { return DownloadPlan.Question() }
        return DownloadPlan.Question(
            start: hole.start,
            end: hole.end,
            total: partial.total,
            validators: header.validators
        )
    }
}
