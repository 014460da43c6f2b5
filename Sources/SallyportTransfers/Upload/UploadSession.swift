import Foundation
import Sallyport
import SallyportTransport

/// One upload, from its first request to the server's final response.
///
/// From top to bottom: take over the journal of an earlier process, send the bytes that the server does not have,
/// handle each response, wait before another attempt, and keep or remove the journal.
struct UploadSession: Sendable {
    private let client: HttpClient
    private let request: HttpRequest
    private let options: UploadOptions
    private let control: TransferControl
    private let content: UploadContent
    private let sentBytes: SentBytes
    private let resumption: ResumptionState
    private let journal: UploadJournal?

    func run() async throws(TransferError) -> HttpResponse {
        // Release the journal here, as the result, which contains the body that was sent, may outlive this run.
        defer { journal?.release() }
        do throws(TransferError) {
            let response = try await control.whileNotPaused { () async throws(TransferError) in try await attempts() }
            if !options.keepsJournal { journal?.remove() }
            return response
        } catch {
            throw await finish(with: error)
        }
    }

    // MARK: Begin

    /// Prepares an upload, and takes over the journal that an earlier process left.
    ///
    /// - Throws: ``TransferError`` if the request is invalid, the body cannot be read, or the journal cannot be written or is in use by
    ///   another upload.
    static func begin(
        _ request: HttpRequest,
        by client: HttpClient,
        _ options: UploadOptions,
        _ control: TransferControl
    ) async throws(TransferError) -> UploadSession {
        // Each request of the upload gets a new body, which clears the recorded problem of an invalid one.
        do throws(NetworkError) {
            try client.check(request)
        } catch {
            throw TransferError(error.naming(request.description))
        }
        let sentBytes = SentBytes(reportingTo: control)
        let content = try UploadContent(request.body, options.rateLimit, sentBytes: sentBytes)
        sentBytes.expect(content.length)
        let resumption = ResumptionState(of: request.sentUrl, sentBytes)
        func session(_ request: HttpRequest, _ journal: UploadJournal? = nil) -> UploadSession {
            UploadSession(
                client: client,
                request: request,
                options: options,
                control: control,
                content: content,
                sentBytes: sentBytes,
                resumption: resumption,
                journal: journal
            )
        }
        guard let url = options.journal else { return session(request.asUpload(by: client, options.retry)) }
        let journal = try UploadJournal(at: url)
        let previous = journal.previous
        let name = request.uploadName(with: content)
        let isSame = previous != nil && previous?.upload == name
        let prepared = request.asUpload(
            by: client,
            options.retry,
            idempotencyKey: isSame ? previous?.idempotencyKey : nil
        )
        var entry = UploadJournal.Entry(upload: name ?? "")
        entry.boundary = request.boundary
        entry.idempotencyKey = prepared.getHeader(name: NetworkConstants.headerIdempotencyKey)
        let resource = previous?.resource.flatMap { try? UploadResource(location: $0, of: request.sentUrl) }
        if isSame, let previous {
            (entry.resource, entry.mayBeComplete) = (resource?.url, previous.mayBeComplete)
            (entry.sent, entry.length) = (previous.sent, previous.length)
            // The journal records whether the last byte may have been sent, but not every byte before it.
            let maximum = content.length.map { previous.mayBeComplete ? $0 : max($0 - 1, 0) } ?? .max
            sentBytes.resume(
                offered: resource == nil && !previous.mayBeComplete ? 0 : maximum,
                isComplete: previous.mayBeComplete
            )
            if let resource { resumption.resume(resource) }
        }
        try journal.begin(entry)
        let logger = client.configuration.logger
        sentBytes.beforeLastByte {
            do throws(TransferError) { try journal.recordLastByte() } catch { logger.warning("\(error)") }
        }
        let session = session(prepared, journal)
        if let previous, !isSame {
            let isFile = if case .file = request.body { true } else { false }
            logger.notice(
                "\(request): the journal \(url.path) belongs to another upload, or \(isFile ? "the file" : "its body") has changed; it starts over"
            )
            if previous.resource != nil {
                control.startOver("\(isFile ? "the file" : "the body") has changed since")
                if let resource { await session.cancel(resource) }
            }
        }
        return session
    }

    // MARK: Attempts

    /// Sends the body until it has arrived, or no further attempt is allowed.
    private func attempts() async throws(TransferError) -> HttpResponse {
        try prepareForAttempts()
        var attempt = 0
        var highest = resumption.highest
        var wasLost = false
        while true {
            attempt += 1
            let step = await step()
            let hasProgressed = resumption.highest > highest
            if hasProgressed { (attempt, highest) = (1, resumption.highest) }
            switch step {
            case .arrived(let response): return response
            case .failed(let error): throw error
            case .interrupted(let outcome):
                try check(outcome)
                try await wait(after: outcome, attempt, isResumption: hasProgressed)
                if resumption.resource == nil { try startOver("the server does not keep interrupted uploads") }
            case .lost(let response):
                guard mayStartOver else { throw TransferError(.mismatch(lossDescription(response))) }
                // The first loss may date from before this run, so the upload starts over without waiting.
                if wasLost { try await wait(after: .success(response), attempt) }
                wasLost = true
                client.configuration.logger.notice("\(request): the server has lost the upload, which starts over")
                try startOver("the server has lost the upload")
            }
        }
    }

    /// Starts over if bytes were sent before a pause or by an earlier process, and the server has not kept them.
    ///
    /// - Throws: ``TransferError`` if the upload could then be processed twice.
    private func prepareForAttempts() throws(TransferError) {
        guard resumption.resource == nil, sentBytes.offered > 0 || sentBytes.isComplete else { return }
        guard mayStartOver else {
            throw TransferError(
                .mismatch(
                    "\(request): the complete upload may have been sent before it was paused or its process ended, "
                        + "or its body cannot be sent again; check at the server whether it has arrived"
                )
            )
        }
        try startOver("the server does not keep paused uploads")
    }

    /// A Boolean value that indicates whether the upload can be sent again from its beginning without being processed
    /// twice.
    private var mayStartOver: Bool {
        !content.isSpent && (!sentBytes.isComplete || options.retry.isRepeatable(request))
    }

    private func startOver(_ reason: String) throws(TransferError) {
        if sentBytes.offered > 0 { control.startOver(reason) }
        resumption.startOver()
        try journal?.record(nil)
    }

    // MARK: Request and handle

    /// The state of an attempt after a request other than its last one.
    private enum Progress {
        /// The server has the bytes before this offset.
        case next(Int64)
        /// The attempt has ended.
        case ended(UploadStep)
    }

    /// Sends the bytes that the server does not have.
    private func step() async -> UploadStep {
        guard let resource = resumption.resource else { return await create() }
        switch await requestOffset(resource) {
        case .next(let offset): return await append(from: offset)
        case .ended(let step): return step
        }
    }

    private var offersResumption: Bool { options.isResumable && content.isReplayable }

    /// Sends the complete body.
    private func create() async -> UploadStep {
        var creation = request
        creation.body = content.part(from: 0)
        if offersResumption { creation.offerResumption(length: content.length) }
        return lastStep(await send(creation))
    }

    /// Requests the number of bytes that the server has.
    private func requestOffset(_ resource: UploadResource) async -> Progress {
        let outcome = await send(request.offsetRequest(to: resource))
        guard case .success(let response) = outcome else {
            return .ended(.broken(outcome, isResumable: true, options.retry))
        }
        guard response.status.isSuccess() else { return .ended(.refused(response, options.retry)) }
        let report = UploadReport(response.headers.fields)
        do throws(UploadProblem) {
            try resumption.check(response)
            let offset = try resumption.acknowledge(report, length: content.length)
            // The response to the last part was lost with its connection; this one replaces it.
            return report.isComplete == true ? .ended(.arrived(response)) : .next(offset)
        } catch {
            return .ended(.failed(error.error(of: response)))
        }
    }

    /// Sends the rest, in as many parts as the server requires.
    private func append(from start: Int64) async -> UploadStep {
        var offset = start
        while let resource = resumption.resource {
            let limit = resource.largestPart ?? .max
            let isLast = content.length.map { $0 - offset <= limit } ?? (limit == .max)
            let part = content.part(from: offset, limit: limit, isLast: isLast)
            let outcome = await send(request.append(part, at: offset, isLast: isLast, to: resource))
            if isLast { return lastStep(outcome) }
            switch handle(outcome) {
            case .ended(let step): return step
            // A body of unknown length has ended if it yields less than the limit.
            case .next(let next) where next < offset + limit && content.length == nil:
                let end = content.end(at: next)
                return lastStep(await send(request.append(end, at: next, isLast: true, to: resource)))
            case .next(let next): offset = next
            }
        }
        return .failed(TransferError(.mismatch("\(request): the upload has no URL at the server")))
    }

    /// Handles the outcome of a part that is not the last.
    private func handle(_ outcome: Result<HttpResponse, NetworkError>) -> Progress {
        guard case .success(let response) = outcome else {
            return .ended(.broken(outcome, isResumable: true, options.retry))
        }
        var report = UploadReport(response.headers.fields)
        if report.isComplete == true, !response.status.isSuccess() {
            return .ended(.failed(TransferError(.status(response))))
        }
        guard response.status.isSuccess() else { return .ended(.refused(response, options.retry)) }
        let sent = sentBytes.position
        report.offset = report.offset ?? sent
        do throws(UploadProblem) {
            let offset = try resumption.acknowledge(report, length: content.length)
            // If the server accepted only some of the bytes, the next attempt requests the offset again.
            return offset == sent ? .next(offset) : .ended(.interrupted(outcome))
        } catch {
            return .ended(.failed(error.error(of: response)))
        }
    }

    private func lastStep(_ outcome: Result<HttpResponse, NetworkError>) -> UploadStep {
        .end(
            outcome,
            isResumable: resumption.resource != nil,
            isComplete: sentBytes.isComplete,
            length: content.length,
            options.retry
        )
    }

    /// Sends one request, and records the upload resource that the server announces before its response.
    private func send(_ request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        let (resources, continuation) = AsyncStream.makeStream(of: UploadResource.self)
        var request = request
        request.onInformational = self.request.onInformational
        request.onInformationalFrom = { [resumption, offersResumption] response, url in
            if offersResumption, let resource = resumption.receive(response, from: url) { continuation.yield(resource) }
        }
        async let recording: Void = {
            for await resource in resources { journal?.record(resource, loggingTo: client) }
        }()
        let outcome: Result<HttpResponse, NetworkError>
        do throws(NetworkError) {
            outcome = .success(try await client.request(request: request))
        } catch {
            outcome = .failure(error)
        }
        continuation.finish()
        await recording
        // If the task was cancelled, the stream may have ended before the resource was recorded.
        if Task.isCancelled, let resource = resumption.resource { journal?.record(resource, loggingTo: client) }
        return outcome
    }

    // MARK: Wait

    /// - Throws: ``TransferError`` if no further attempt may be made after an outcome.
    private func check(_ outcome: Result<HttpResponse, NetworkError>) throws(TransferError) {
        if resumption.resource == nil {
            if options.retry.covers(outcome, of: request), !content.isSpent { return }
            throw TransferError(outcome).adding(resumption.problem)
        }
        if !content.isReplayable { throw TransferError(outcome) }
    }

    private func lossDescription(_ response: HttpResponse) -> String {
        "\(response.request): the server no longer has the upload (status \(response.status.code)); it may have been "
            + "processed, or its body cannot be sent again; check at the server whether it has arrived"
    }

    /// Waits until the next attempt is due.
    ///
    /// - Parameters:
    ///   - attempt: The number of successive attempts without progress.
    ///   - isResumption: A Boolean value that indicates whether the last attempt made progress.
    /// - Throws: ``TransferError`` of the outcome, if there is to be no further attempt.
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
            .adding(resumption.problem)
        case .wait(let delay):
            let event = RetryEvent(request: request, outcome: outcome, attempt: attempt, delay: delay)
            do throws(NetworkError) {
                try await client.retries.wait(event)
            } catch {
                throw TransferError(.network(error))
            }
        }
    }

    // MARK: Finish

    /// Keeps the journal if a later upload can continue, and otherwise removes it and cancels the upload at the server.
    ///
    /// - Returns: The error, with the advice to continue if that is possible.
    private func finish(with error: TransferError) async -> TransferError {
        guard let resource = resumption.resource else {
            journal?.remove()
            return error
        }
        if let journal, !error.isHopeless, !control.isAbandoned {
            journal.recordSent(control.progress.completedBytes, of: content.length)
            return error.addingResumption()
        }
        journal?.remove()
        if error.isHopeless || control.isAbandoned || Task.isCancelled { await cancel(resource) }
        return error
    }

    /// Cancels the upload at the server, which can then discard the bytes that it has received.
    private func cancel(_ resource: UploadResource) async {
        // A new task, as this one may have been cancelled.
        _ = await Task { [client, request] in await client.cancelUpload(request, at: resource) }.value
    }
}

extension UploadJournal {
    /// Records an upload resource. A failure to write is logged, as the upload itself can continue.
    fileprivate func record(_ resource: UploadResource, loggingTo client: HttpClient) {
        do throws(TransferError) { try record(resource) } catch { client.configuration.logger.warning("\(error)") }
    }
}
