import Foundation
import SallyportTransport

extension DownloadRun {
    /// Does with a response what is to be done with it.
    func take(_ response: HttpResponse, to question: DownloadPlan.Question) async throws {
        let plan = DownloadPlan(DownloadHead(response), to: question)
        if plan.isAccepted { state.withLock { $0.response = response } }
        switch plan {
        case .goOn(let end, let total):
            guard let partial, let start = question.start else { return }
            if let total {
                try checkSize(total)
                partial.setTotal(total)
            }
            if partial.isWhole { return }
            noteDigests(response.headers.fields, isWhole: false)
            try await lead(response, into: partial, from: start, until: end)
        case .startOver(let total):
            if let partial, partial.completedBytes > 0 { control.startOver(reason(for: response, to: question)) }
            let partial = try await begin(response, total)
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
            control.startOver(problem)
            if let partial { try await onAnotherThread { () throws(TransferError) in try partial.reset() } }
            control.start(completed: 0, total: nil)
        case .refuse(let problem): throw TransferError(.mismatch("\(request): \(problem)"))
        case .fail where response.status.isSuccess():
            throw TransferError(.mismatch("\(request): the server answered \(response.status.words), and sent no file"))
        case .fail: throw DownloadStop.outcome(.success(await beginning(of: response)))
        }
    }

    /// Why the bytes at hand are given up for the whole that a response brings.
    private func reason(for response: HttpResponse, to question: DownloadPlan.Question) -> String {
        guard question.start != nil else {
            return "the server says nothing by which to know the file again, so that no part of it can be added"
        }
        if let validators = partial?.header?.validators, !validators.allow(DownloadHead(response)) {
            return "the file on the server has changed"
        }
        return "the server sent the whole file and not the part that is missing"
    }

    /// Begins with a version of the file.
    private func begin(_ response: HttpResponse, _ total: Int64?) async throws(TransferError) -> PartialFile {
        try checkSize(total ?? 0)
        let url = response.request.url ?? request.url ?? ""
        let name = place.name ?? suggestedFileName(from: response, url: url, limit: longestName)
        state.withLock { state in
            state.name = name
            state.digests = []
        }
        try checkName()
        if !response.bodyStream.isDecoded { noteDigests(response.headers.fields, isWhole: true) }
        let digests = state.withLock { $0.digests.map(\.description).joined(separator: ", ") }
        let partial = try partialFile()
        let header = DownloadJournal.Header(
            url: key,
            validators: response.bodyStream.isDecoded
                ? DownloadValidators()
                : DownloadValidators(
                    response.headers,
                    from: try? response.request.downloadPlace(),
                    now: client.configuration.retryTime.date()
                ),
            total: total,
            blockSize: DownloadBlocks.blockSize(for: total),
            name: name,
            digests: digests.isEmpty ? nil : digests
        )
        // Cutting off a long file takes time.
        try await onAnotherThread { () throws(TransferError) in try partial.begin(header) }
        return partial
    }

    /// The longest name that the server may give it, with room for a number where it may get one.
    private var longestName: Int {
        options.existingFile == .number ? DownloadPlace.longestName - 8 : DownloadPlace.longestName
    }

    /// The partial file, which is made if there is none.
    private func partialFile() throws(TransferError) -> PartialFile {
        if let partial { return partial }
        guard let partial = try PartialFile.open(place, creating: true, onRemoval: control.startOver) else {
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
        // A part has a digest of its own, even the first one.
        let isWhole = response.status != .partialContent
        if !response.bodyStream.isDecoded { noteDigests(response.trailers, isWhole: isWhole) }
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
                        advice: SettingAdvice.raiseMaximumSize.rawValue
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

extension DownloadRun {
    /// The longest wait for the body of a refusal.
    private static let longestWait = Duration.seconds(10)

    /// The response with as much of its body as an error needs, and as comes soon.
    private func beginning(of response: HttpResponse) async -> HttpResponse {
        if response.bodyStream.length == 0 { return response }
        let body = Locked(Data())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    for try await chunk in response.bodyStream {
                        let isEnough = body.withLock { body in
                            body += chunk.prefix(65_536 - body.count)
                            return body.count == 65_536
                        }
                        if isEnough { return }
                    }
                } catch {
                    // What has come of it is better than nothing.
                }
            }
            group.addTask { [time = client.configuration.retryTime] in try? await time.sleep(Self.longestWait) }
            await group.next()
            group.cancelAll()
        }
        var copy = response
        copy.body = body.withLock { $0 }
        return copy
    }
}
