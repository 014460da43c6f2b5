import Foundation
import HTTPTypes
import SallyportTransport

/// The work of one upload, from its first request to its answer.
struct UploadWork: Sendable {
    let client: HttpClient
    let request: HttpRequest
    let options: UploadOptions
    let control: TransferControl
    let content: UploadContent
    let tally: UploadTally
    let course: UploadCourse
    let journal: UploadJournal?

    func run() async throws(TransferError) -> HttpResponse {
        // What comes of it may outlive it, and holds the body that was sent.
        defer { journal?.letGo() }
        do throws(TransferError) {
            let response = try await control.whileNotPaused { () async throws(TransferError) in try await attempts() }
            if !options.keepsJournal { journal?.remove() }
            return response
        } catch {
            throw await end(with: error)
        }
    }

    /// Sends it until it has arrived, or there is no hope.
    private func attempts() async throws(TransferError) -> HttpResponse {
        try prepareToBeginAgain()
        var attempt = 0
        var highest = course.highest
        var wasForgotten = false
        while true {
            attempt += 1
            let step = await step()
            let hasProgressed = course.highest > highest
            if hasProgressed { (attempt, highest) = (1, course.highest) }
            switch step {
            case .arrived(let response): return response
            case .failed(let error): throw error
            case .interrupted(let outcome):
                try check(outcome)
                try await wait(after: outcome, attempt, isResumption: hasProgressed)
                if course.resource == nil { try startOver("the server keeps nothing of an upload that breaks") }
            case .forgotten(let response):
                guard mayStartOver else { throw TransferError(.mismatch(forgotten(response))) }
                // The first time it is no failure of this run, and no wait would bring it back.
                if wasForgotten { try await wait(after: .success(response), attempt) }
                wasForgotten = true
                client.configuration.logger.notice("\(request): the server has lost the upload, which starts over")
                try startOver("the server has lost what it had of the upload")
            }
        }
    }

    /// - Throws: ``TransferError`` when what was sent before a pause could be processed twice.
    private func prepareToBeginAgain() throws(TransferError) {
        guard course.resource == nil, tally.furthest > 0 || tally.isWhole else { return }
        guard mayStartOver else {
            throw TransferError(
                .mismatch(
                    "\(request): its last byte had left before it was held or its process ended, or it cannot be sent "
                        + "twice; see at the server whether it has arrived"
                )
            )
        }
        try startOver("the server keeps nothing of an upload that is held")
    }

    /// Whether it can be sent once more from its beginning, without being processed twice.
    private var mayStartOver: Bool {
        !content.isSpent && (!tally.isWhole || options.retry.isRepeatable(request))
    }

    private func startOver(_ reason: String) throws(TransferError) {
        if tally.furthest > 0 { control.startOver(reason) }
        course.startOver()
        try journal?.note(nil)
    }

    /// - Throws: ``TransferError`` when the outcome is not worth another attempt, or none may be made.
    private func check(_ outcome: Result<HttpResponse, NetworkError>) throws(TransferError) {
        if course.resource == nil {
            if options.retry.covers(outcome, of: request), !content.isSpent { return }
            throw TransferError(outcome).adding(course.problem)
        }
        if !content.isReplayable { throw TransferError(outcome) }
    }

    private func forgotten(_ response: HttpResponse) -> String {
        "\(response.request): the server does not know of the upload any more (status \(response.status.code)), and "
            + "may have processed it, as its last byte had left; see there whether it has arrived"
    }

    /// Waits until the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of successive attempts without progress.
    ///   - isResumption: A Boolean value that indicates whether the last attempt made progress.
    /// - Throws: The error of the last attempt, if there is to be no other.
    private func wait(
        after outcome: Result<HttpResponse, NetworkError>,
        _ attempt: Int,
        isResumption: Bool = false
    ) async throws(TransferError) {
        let plan = client.retries.plan(after: outcome, isResumption: isResumption) {
            options.retry.plan(afterAttempt: attempt, retryAfter: $0, left: nil)
        }
        switch plan {
        case .giveUp(let reason):
            throw TransferError(
                outcome.mapError { error in
                    var error = error
                    error.failure.reason += reason.note(attempt: attempt, of: options.retry.attempts)
                    return error
                }
            )
            .adding(course.problem)
        case .wait(let delay):
            let notice = RetryNotice(request: request, outcome: outcome, attempt: attempt, delay: delay)
            do throws(NetworkError) {
                try await client.retries.wait(notice)
            } catch {
                throw TransferError(.network(error))
            }
        }
    }

    /// Leaves nothing behind that nobody can go on with.
    ///
    /// - Returns: The error, saying how to go on.
    private func end(with error: TransferError) async -> TransferError {
        guard let resource = course.resource else {
            journal?.remove()
            return error
        }
        if let journal, !error.isHopeless, !control.isGivenUp {
            journal.noteSent(control.progress.completedBytes, of: content.length)
            return error.addingResumption()
        }
        journal?.remove()
        if error.isHopeless || control.isGivenUp || Task.isCancelled { await cancel(resource) }
        return error
    }

    /// Cancels the upload at the server, which can then discard the bytes that it has received.
    func cancel(_ resource: UploadResource) async {
        // A new task, as this one may have been cancelled.
        _ = await Task { [client, request] in await client.cancelUpload(request, at: resource) }.value
    }
}

extension HttpClient {
    /// Cancels an upload at the server, which can then discard the bytes that it has received.
    ///
    /// - Parameters:
    ///   - request: The request of the upload.
    ///   - resource: The upload resource that the server has created.
    /// - Returns: `true` if the server confirmed it within five seconds.
    func cancelUpload(_ request: HttpRequest, at resource: UploadResource) async -> Bool {
        var cancellation = request.cancellation(of: resource)
        cancellation.timeout = 5
        cancellation.retry = .never
        return (try? await self.request(request: cancellation))?.status.isSuccess() ?? false
    }
}
