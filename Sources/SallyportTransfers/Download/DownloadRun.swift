import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// One download, from its request to the finished file.
///
/// From top to bottom: take over the partial file of an earlier transfer, request the missing bytes, handle each
/// response, wait before another attempt, and rename the complete file.
final class DownloadRun: Sendable {
    private struct State {
        var partial: PartialFile?
        /// The last response that was accepted.
        var response: HttpResponse?
        /// The name of the finished file; `nil` until the server's response determines it.
        var name: String?
        var digests: DownloadDigests
        /// The largest number of bytes that the partial file has held.
        var mostBytes: Int64 = 0
        /// The number of times that the partial file had to be discarded.
        var restarts = 0
    }

    private let client: HttpClient
    private let request: HttpRequest
    /// The digest of the URL, which identifies the download in the journal.
    private let key: String
    private let paths: DownloadPaths
    private let options: DownloadOptions
    private let control: TransferControl
    private let receiver: DownloadReceiver
    private let segments: DownloadSegments
    private let state: Locked<State>

    init(
        _ request: HttpRequest,
        by client: HttpClient,
        to destination: DownloadDestination,
        options: DownloadOptions,
        control: TransferControl
    ) throws(TransferError) {
        do throws(NetworkError) {
            self.request = try request.asDownload()
            key = try request.downloadKey()
        } catch {
            throw TransferError(.network(error))
        }
        self.client = client
        self.options = options
        self.control = control
        paths = DownloadPaths(destination, key: key)
        receiver = DownloadReceiver(of: self.request, options, control)
        segments = DownloadSegments(of: self.request, by: client, connections: options.connections, receiver)
        state = Locked(State(name: paths.name, digests: DownloadDigests(required: options.digest)))
    }

    /// Downloads the file.
    func run() async throws(TransferError) -> DownloadedFile {
        // Unlock the file even if this object is still referenced: the next transfer may start when this one returns.
        defer { unlock() }
        do throws(TransferError) {
            try await begin()
            try await control.whileNotPaused { [self] () throws(TransferError) in try await fetch() }
            return try await finish()
        } catch {
            throw addingPartialFile(to: error)
        }
    }

    private func unlock() {
        state.withLock { state in
            state.partial?.unlock()
            state.partial = nil
        }
    }

    private var partial: PartialFile? { state.withLock { $0.partial } }

    // MARK: Begin

    /// Checks the destination, and takes over the partial file that an earlier transfer left.
    private func begin() async throws(TransferError) {
        try paths.checkFolder()
        try checkName()
        var removalReason: String?
        let found = try PartialFile.open(paths, creating: false) { removalReason = $0 }
        if let removalReason { control.startOver(removalReason) }
        guard let partial = found else { return }
        state.withLock { $0.partial = partial }
        guard options.resumes else { return }
        let rejection = try await partial.load { header in
            if header.url != key { return "the partial file belongs to another URL" }
            return isResumable(header) ? nil : "the partial file has no validator that identifies its version"
        }
        guard let header = partial.header else {
            if partial.fileLength > 0, let rejection, removalReason == nil { control.startOver(rejection) }
            return
        }
        state.withLock { state in
            // Anyone who can write into the folder could have written the journal.
            state.name = state.name ?? header.name.map { SafeFileName.make($0) }
            state.mostBytes = partial.completedBytes
            state.digests.replace(with: header.digests)
        }
        try checkName()
        control.start(completed: partial.completedBytes, total: partial.total, isResumption: true)
    }

    /// Fails before anything is fetched if the finished file cannot have its name.
    private func checkName() throws(TransferError) {
        guard let name = state.withLock({ $0.name }) else { return }
        try paths.check(name, ifExists: existingFile(named: name))
        if let file = options.finalFolder?.appendingPathComponent(name), FileState(file) != nil {
            throw TransferError(.fileExists(file))
        }
    }

    /// Returns the treatment of an existing file with the name of the download, which the server may have chosen.
    private func existingFile(named name: String) -> DownloadOptions.ExistingFile {
        paths.name == nil ? options.existingFile.inFolder(name, requested: request.url) : options.existingFile
    }

    /// Returns a Boolean value that indicates whether the bytes of later requests can be verified to belong to the same
    /// version of the file.
    private func isResumable(_ header: DownloadJournal.Header) -> Bool {
        header.validators.ifRange != nil || options.digest != nil
    }

    // MARK: Request

    /// Sends requests until the partial file is complete.
    private func fetch() async throws(TransferError) {
        var attempt = 0
        // The server must also confirm the version of a complete file that an earlier transfer left.
        while partial?.isComplete != true || state.withLock({ $0.response }) == nil {
            let before = state.withLock { $0.mostBytes }
            do throws(AttemptFailure) {
                try await fetchOnce()
                _ = reportProgress()
                attempt = 0
            } catch {
                switch error {
                case .final(let error): throw error
                case .outcome(let outcome):
                    let hasProgressed = reportProgress() > before
                    attempt = hasProgressed ? 1 : attempt + 1
                    try await wait(after: outcome, attempt, isResumption: hasProgressed)
                }
            }
        }
    }

    /// Sends one request for the first missing range.
    private func fetchOnce() async throws(AttemptFailure) {
        let range = missingRange()
        do {
            try await client.stream(request: request.requesting(range)) { response in
                try await handle(response, to: range)
            }
        } catch let error as AttemptFailure {
            throw error
        } catch let error as TransferError {
            throw .final(error)
        } catch {
            throw .outcome(.failure(NetworkError(wrapping: error, reason: "the download failed")))
        }
    }

    private func missingRange() -> RangeRequest {
        guard let partial, let header = partial.header, isResumable(header) else { return RangeRequest() }
        // Of a complete file, the last byte is requested to find out whether the version on the server is the same.
        let gap = partial.isComplete ? (start: max(0, (partial.total ?? 0) - 1), end: nil) : partial.firstGap()
        if gap.start == 0, gap.end == nil { return RangeRequest() }
        return RangeRequest(start: gap.start, end: gap.end, total: partial.total, validators: header.validators)
    }

    /// Reports the progress.
    ///
    /// - Returns: The largest number of bytes that the partial file has held.
    private func reportProgress() -> Int64 {
        let count = partial?.completedBytes ?? 0
        control.update(completed: count, total: partial?.total)
        return state.withLock { state in
            state.mostBytes = max(state.mostBytes, count)
            return state.mostBytes
        }
    }

    // MARK: Handle

    /// Handles a response according to its plan.
    private func handle(_ response: HttpResponse, to range: RangeRequest) async throws {
        let plan = DownloadPlan(DownloadHead(response), for: range)
        if plan.isAccepted { state.withLock { $0.response = response } }
        switch plan {
        case .append(let end, let total):
            guard let partial, let start = range.start else { return }
            if let total {
                try receiver.checkSize(total)
                partial.setTotal(total)
            }
            if partial.isComplete { return }
            state.withLock { $0.digests.add(response.headers.fields, isWholeFile: false) }
            try await receive(response, into: partial, from: start, until: end)
        case .replace(let total):
            if let partial, partial.completedBytes > 0 { control.startOver(reason(for: response, to: range)) }
            let partial = try await beginVersion(response, total)
            try await receive(response, into: partial, from: 0, until: total)
        case .complete:
            guard let partial, let start = range.start else { return }
            if partial.isComplete { return }
            var writer = PartialWriter(partial, at: start)
            writer.resume()
            try writer.end(isEndOfFile: true)
        case .restart(let problem):
            let restarts = state.withLock { state in
                state.restarts += 1
                return state.restarts
            }
            guard restarts <= 3 else { throw TransferError(.mismatch("\(request): \(problem), repeatedly")) }
            control.startOver(problem)
            if let partial { try await runBlocking { () throws(TransferError) in try partial.reset() } }
            control.start(completed: 0, total: nil)
        case .reject(let problem): throw TransferError(.mismatch("\(request): \(problem)"))
        case .fail where response.status.isSuccess():
            let status = response.statusSummary
            throw TransferError(.mismatch("\(request): the server answered \(status), and sent no file"))
        case .fail: throw await AttemptFailure(response, client.configuration.retryTime)
        }
    }

    /// Returns the reason why the bytes in the partial file are discarded for a response with the complete file.
    private func reason(for response: HttpResponse, to range: RangeRequest) -> String {
        guard range.start != nil else {
            return "the server sends no validator that identifies this version, so its parts cannot be combined"
        }
        if let validators = partial?.header?.validators, !validators.allow(DownloadHead(response)) {
            return "the file on the server has changed"
        }
        return "the server sent the complete file instead of the missing part"
    }

    /// Prepares the partial file for a version of the server's file, which a response begins.
    private func beginVersion(_ response: HttpResponse, _ total: Int64?) async throws(TransferError) -> PartialFile {
        try receiver.checkSize(total ?? 0)
        let url = response.request.url ?? request.url ?? ""
        let name = paths.name ?? suggestedFileName(from: response, url: url, limit: maximumNameLength)
        let isDecoded = response.bodyStream.isDecoded
        let digests = state.withLock { state in
            state.name = name
            state.digests.replace(with: nil)
            if !isDecoded { state.digests.add(response.headers.fields, isWholeFile: true) }
            return state.digests.field
        }
        try checkName()
        let partial = try openedPartialFile()
        if existingFile(named: name) == .replace { partial.restrictAccess(replacing: name) }
        let header = DownloadJournal.Header(
            url: key,
            validators: isDecoded
                ? DownloadValidators()
                : DownloadValidators(
                    response.headers,
                    from: try? response.request.downloadLocation(),
                    now: client.configuration.retryTime.date()
                ),
            total: total,
            blockSize: DownloadBlocks.blockSize(for: total),
            name: name,
            digests: digests
        )
        // Truncating a long file takes time.
        try await runBlocking { () throws(TransferError) in try partial.begin(header) }
        return partial
    }

    /// The maximum length of a name from the server, in bytes of UTF-8. It leaves space for a number if one may be
    /// added.
    private var maximumNameLength: Int {
        options.existingFile == .number ? DownloadPaths.maximumNameLength - 8 : DownloadPaths.maximumNameLength
    }

    private func openedPartialFile() throws(TransferError) -> PartialFile {
        if let partial { return partial }
        guard let partial = try PartialFile.open(paths, creating: true, onRemoval: control.startOver) else {
            throw TransferError(.file(paths.partialFile, "cannot be created"))
        }
        state.withLock { $0.partial = partial }
        return partial
    }

    /// Writes a response's body into the partial file, while other requests fetch segments from the end of the file.
    private func receive(
        _ response: HttpResponse,
        into partial: PartialFile,
        from start: Int64,
        until end: Int64?
    ) async throws {
        control.start(completed: partial.completedBytes, total: partial.total)
        let others = segments.count(besides: response, of: partial)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var writer = PartialWriter(partial, at: start)
            writer.resume()
            for _ in 0..<others {
                group.addTask { [self] in
                    await segments.fetch(partial) { error, attempt, isResumption in
                        (try? await wait(after: .failure(error), attempt, isResumption: isResumption)) != nil
                    }
                }
            }
            try await receiver.receive(response, into: &writer, until: end)
            try await group.waitForAll()
        }
        // The digest of a partial response covers only that part, even if it is the first one.
        let isWholeFile = response.status != .partialContent
        if !response.bodyStream.isDecoded {
            state.withLock { $0.digests.add(response.trailers, isWholeFile: isWholeFile) }
        }
    }

    // MARK: Wait

    /// Waits until the next attempt is due.
    ///
    /// - Parameters:
    ///   - attempt: The number of successive attempts without progress.
    ///   - isResumption: A Boolean value that indicates whether the last attempt made progress.
    /// - Throws: ``TransferError`` if the retry policy allows no further attempt.
    private func wait(
        after outcome: Result<HttpResponse, NetworkError>,
        _ attempt: Int,
        isResumption: Bool
    ) async throws(TransferError) {
        guard options.retry.covers(outcome, of: request) else { throw TransferError(outcome) }
        let plan = client.retries.plan(after: outcome, isResumption: isResumption) {
            options.retry.plan(afterAttempt: attempt, retryAfter: $0, left: nil)
        }
        guard case .wait(let delay) = plan else { throw TransferError(outcome) }
        let event = RetryEvent(request: request, outcome: outcome, attempt: attempt, delay: delay)
        do throws(NetworkError) {
            try await client.retries.wait(event)
        } catch {
            throw TransferError(.network(error))
        }
    }

    // MARK: Finish

    /// Checks the digests of the complete file, and renames it.
    private func finish() async throws(TransferError) -> DownloadedFile {
        let (found, response, name, digests) = state.withLock { state in
            (state.partial, state.response, state.name, state.digests)
        }
        guard let partial = found, let response, let name, let total = partial.total else {
            throw TransferError(.network(.networkError("the download ended without a response")))
        }
        try await digests.check(partial, of: request)
        let url = try await partial.finish(as: name, if: existingFile(named: name))
        var head = response
        head.body = nil
        return DownloadedFile(
            url: url,
            length: total,
            fetchedBytes: receiver.receivedBytes,
            digest: digests.all.first,
            response: head
        )
    }

    /// Returns the error with the partial file from which a later download can continue. Removes a file that cannot be
    /// used.
    private func addingPartialFile(to error: TransferError) -> TransferError {
        guard let partial, partial.isAtPath else { return error }
        guard let header = partial.header else {
            if partial.fileLength == 0 { partial.remove() }
            return error
        }
        let count = partial.completedBytes
        guard count > 0, isResumable(header) else {
            partial.remove()
            return error
        }
        return TransferError(error.reason, partialFile: paths.partialFile, resumableBytes: count)
    }
}
