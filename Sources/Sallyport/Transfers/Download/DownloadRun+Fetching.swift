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
                attempt = noteProgress() > before ? 1 : attempt + 1
                try await wait(after: outcome, attempt)
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

    /// Waits for the time of the next attempt.
    ///
    /// - Throws: ``TransferError`` if there is none.
    func wait(after outcome: Result<HttpResponse, NetworkError>, _ attempt: Int) async throws(TransferError) {
        let time = client.configuration.retryTime
        guard options.retry.covers(outcome, of: request) else { throw TransferError(outcome) }
        var generator = SystemRandomNumberGenerator()
        let retryAfter = (try? outcome.get()).flatMap { RetryAfter.wait($0, now: time.date()) }
        let plan = options.retry.plan(afterAttempt: attempt, retryAfter: retryAfter, left: nil, using: &generator)
        guard case .wait(let delay) = plan else { throw TransferError(outcome) }
        let notice = RetryNotice(request: request, outcome: outcome, attempt: attempt, delay: delay)
        for hook in client.configuration.retryHooks { hook(notice) }
        do {
            try await time.sleep(delay)
        } catch {
            throw TransferError(.network(.cancelled("the transfer was cancelled")))
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

    private func take(_ response: HttpResponse, to question: DownloadPlan.Question) async throws {
        let plan = DownloadPlan(DownloadHead(response), to: question)
        if plan.isAccepted { state.withLock { $0.response = response } }
        switch plan {
        case .goOn(let end, let total):
            guard let partial, let start = question.start else { return }
            if partial.isWhole { return }
            if let total { partial.setTotal(total) }
            noteDigests(response.headers.fields, isWhole: false)
            try await lead(response, into: partial, from: start, until: end)
        case .startOver(let total):
            let partial = try begin(response, total)
            try await lead(response, into: partial, from: 0, until: total)
        case .isWhole:
            guard let partial, let start = question.start else { return }
            if partial.isWhole { return }
            var writer = PartialWriter(partial, at: start)
            writer.resume()
            try writer.end(isEnd: true)
        case .askAgain(let problem):
            let restarts = state.withLock { state in
                state.restarts += 1
                return state.restarts
            }
            guard restarts <= 3 else { throw TransferError(.mismatch("\(request): \(problem), again and again")) }
            try partial?.reset()
            control.start(completed: 0, total: nil)
        case .refuse(let problem): throw TransferError(.mismatch("\(request): \(problem)"))
        case .fail: throw DownloadStop.outcome(.success(await response.withBeginningOfBody()))
        }
    }

    /// Begins with a version of the file.
    private func begin(_ response: HttpResponse, _ total: Int64?) throws(TransferError) -> PartialFile {
        try checkSize(total ?? 0)
        let url = response.request.url ?? request.url ?? ""
        let name = place.name ?? suggestedFileName(from: response, url: url, limit: DownloadPlace.longestName)
        state.withLock { state in
            state.name = name
            state.digests = []
        }
        try checkName()
        if !response.bodyStream.isDecoded { noteDigests(response.headers.fields, isWhole: true) }
        let digests = state.withLock { $0.digests.map(\.description).joined(separator: ", ") }
        let partial = try partialFile()
        try partial.begin(
            DownloadJournal.Header(
                url: key,
                validators: response.bodyStream.isDecoded
                    ? DownloadValidators()
                    : DownloadValidators(response.headers, now: client.configuration.retryTime.date()),
                total: total,
                blockSize: DownloadBlocks.blockSize(for: total),
                name: name,
                digests: digests.isEmpty ? nil : digests
            )
        )
        return partial
    }

    /// The partial file, which is made if there is none.
    private func partialFile() throws(TransferError) -> PartialFile {
        if let partial { return partial }
        guard let partial = try PartialFile.open(place, creating: true) else {
            throw TransferError(.file(place.partialFile, "cannot be made"))
        }
        state.withLock { $0.partial = partial }
        return partial
    }

    /// Writes what comes, while others fetch the rest from its end, if that is wanted and possible.
    private func lead(
        _ response: HttpResponse,
        into partial: PartialFile,
        from start: Int64,
        until end: Int64?
    ) async throws {
        control.start(completed: partial.completedBytes, total: partial.total)
        let helpers = helpers(response, partial)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var writer = PartialWriter(partial, at: start)
            writer.resume()
            for _ in 0..<helpers { group.addTask { [self] in await help(partial) } }
            try await read(response, into: &writer, until: end)
            try await group.waitForAll()
        }
        if !response.bodyStream.isDecoded { noteDigests(response.trailers, isWhole: start == 0) }
    }

    /// Writes what comes.
    ///
    /// - Parameter end: Where the body ends, where that is known.
    func read(_ response: HttpResponse, into writer: inout PartialWriter, until end: Int64?) async throws {
        do {
            for try await chunk in response.bodyStream {
                if let end, Int64(chunk.count) > end - writer.position {
                    throw TransferError(.mismatch("\(request): the server sent more bytes than it had announced"))
                }
                try checkSize(writer.position + Int64(chunk.count))
                state.withLock { $0.fetchedBytes += Int64(chunk.count) }
                let before = writer.position
                let isWanted = try writer.write(chunk)
                control.advance(by: Int(writer.position - before))
                guard isWanted else {
                    response.bodyStream.cancel()
                    return try writer.end(isEnd: false)
                }
            }
            if let end, writer.position < end {
                throw NetworkError.incompleteBody(
                    NetworkFailure("the body ended \(end - writer.position) bytes early", phase: .body)
                )
            }
        } catch {
            try writer.end(isEnd: false)
            throw error
        }
        try writer.end(isEnd: end == nil)
    }

    private func checkSize(_ size: Int64) throws(TransferError) {
        guard let limit = options.maximumSize, size > limit else { return }
        throw TransferError(
            .network(
                .responseTooLarge(
                    NetworkFailure(
                        "the file is longer than the \(limit) bytes that are accepted",
                        request: request.description,
                        phase: .body,
                        advice: "raise the limit"
                    )
                )
            )
        )
    }

    /// Takes note of the digests that the server tells of the whole file.
    private func noteDigests(_ fields: HTTPFields, isWhole: Bool) {
        let names = isWhole ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"]
        let told = names.flatMap { name in
            HTTPField.Name(name).flatMap { fields[$0] }.map(ContentDigest.parse) ?? []
        }
        state.withLock { state in
            for digest in told where !state.digests.contains(digest) { state.digests.append(digest) }
        }
    }
}

extension HttpResponse {
    /// The response with as much of its body as an error needs.
    fileprivate func withBeginningOfBody() async -> HttpResponse {
        var body = Data()
        do {
            for try await chunk in bodyStream {
                body += chunk.prefix(65_536 - body.count)
                if body.count == 65_536 { break }
            }
        } catch {
            // What has come of it is better than nothing.
        }
        var copy = self
        copy.body = body
        return copy
    }
}
