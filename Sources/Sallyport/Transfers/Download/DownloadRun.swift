import Foundation
import SallyportTransport

/// One download, from its request to the finished file.
final class DownloadRun: Sendable {
    struct State {
        var partial: PartialFile?
        var response: HttpResponse?
        /// The name that the file will have.
        var name: String?
        /// How many bytes came.
        var fetchedBytes: Int64 = 0
        /// The most bytes that were ever there.
        var mostBytes: Int64 = 0
        /// How often the bytes at hand were of no use.
        var restarts = 0
        /// Whether the server has refused to be asked for several ranges at a time.
        var isOneByOne = false
        /// The digests that the server told.
        var digests: [ContentDigest] = []
    }

    let client: HttpClient
    let request: HttpRequest
    let place: DownloadPlace
    let destination: DownloadDestination
    let options: DownloadOptions
    let control: TransferControl
    let key: String
    let state = Locked(State())

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
        self.destination = destination
        self.options = options
        self.control = control
        place = DownloadPlace(destination, key: key)
        state.withLock { $0.name = place.name }
    }

    /// Downloads the file.
    func run() async throws(TransferError) -> DownloadedFile {
        // A transfer that begins when this one returns must find the file unlocked, whoever still refers to it.
        defer { unlock() }
        do throws(TransferError) {
            try checkDestination()
            try await openPartialFile()
            try await control.whileNotPaused { [self] () throws(TransferError) in try await fetch() }
            return try await finish()
        } catch {
            throw keeping(error)
        }
    }

    private func unlock() {
        state.withLock { state in
            state.partial?.unlock()
            state.partial = nil
        }
    }

    var partial: PartialFile? { state.withLock { $0.partial } }

    // MARK: The beginning

    private func checkDestination() throws(TransferError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place.folder.path, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw TransferError(.file(place.folder, "there is no such folder; make it first"))
        }
        guard access(place.folder.path, W_OK | X_OK) == 0 else {
            throw TransferError(.file(place.folder, "no file can be made in this folder: permission denied"))
        }
        try checkName()
    }

    /// Fails early where the end would fail.
    func checkName() throws(TransferError) {
        guard let name = state.withLock({ $0.name }) else { return }
        let url = place.folder.appendingPathComponent(name)
        var facts = stat()
        guard lstat(url.path, &facts) == 0 else { return }
        switch options.existingFile {
        case .fail: throw TransferError(.fileExists(url))
        case .replace where facts.st_mode & S_IFMT == S_IFDIR:
            throw TransferError(.file(url, "a folder cannot be replaced by a file"))
        case .replace, .number: break
        }
    }

    /// Opens the partial file that an earlier transfer left.
    private func openPartialFile() async throws(TransferError) {
        var distrust: String?
        let found = try PartialFile.open(place, creating: false) { distrust = $0 }
        if let distrust { control.startOver(distrust) }
        guard let partial = found else { return }
        state.withLock { $0.partial = partial }
        guard options.resumes else { return }
        let objection = try await partial.load { header in
            if header.url != key { return "what is kept is of another URL" }
            return isResumable(header) ? nil : "what is kept has nothing by which to know the file again"
        }
        guard let header = partial.header else {
            if partial.fileLength > 0, let objection, distrust == nil { control.startOver(objection) }
            return
        }
        state.withLock { state in
            // Whoever can write into the folder could have written the journal.
            state.name = state.name ?? header.name.map { SafeFileName.make($0) }
            state.mostBytes = partial.completedBytes
            state.digests = header.digests.map(ContentDigest.parse) ?? []
        }
        try checkName()
        control.start(completed: partial.completedBytes, total: partial.total)
    }

    // MARK: The end

    private func finish() async throws(TransferError) -> DownloadedFile {
        let (found, response, name, fetched, told) = state.withLock { state in
            (state.partial, state.response, state.name, state.fetchedBytes, state.digests)
        }
        guard let partial = found, let response, let name, let total = partial.total else {
            throw TransferError(.network(.networkError("the download ended without a response")))
        }
        let expected = (options.digest.map { [$0] } ?? []) + told
        try await check(partial, expected)
        let url = try await partial.finish(as: name, if: options.existingFile)
        var head = response
        head.body = nil
        return DownloadedFile(
            url: url,
            length: total,
            fetchedBytes: fetched,
            digest: expected.first,
            response: head
        )
    }

    private func check(_ partial: PartialFile, _ expected: [ContentDigest]) async throws(TransferError) {
        if expected.isEmpty { return }
        let actual = try await partial.digests(Set(expected.map(\.algorithm)))
        for digest in expected {
            guard let found = actual.first(where: { $0.algorithm == digest.algorithm }), found != digest else {
                continue
            }
            partial.remove()
            var error = TransferError(
                .mismatch(
                    "\(request): the file has the digest \(found.words(like: digest)) and not "
                        + "\(digest.words(like: digest)), as was expected; what was fetched has been removed"
                )
            )
            error.isWrongDigest = digest == options.digest
            throw error
        }
    }

    /// Whether bytes that were fetched later can be known to be of the same file.
    func isResumable(_ header: DownloadJournal.Header) -> Bool {
        header.validators.ifRange != nil || options.digest != nil
    }

    /// The error with what is kept.
    private func keeping(_ error: TransferError) -> TransferError {
        guard let partial, partial.isInPlace else { return error }
        guard let header = partial.header else {
            if partial.fileLength == 0 { partial.remove() }
            return error
        }
        let count = partial.completedBytes
        guard count > 0, isResumable(header) else {
            partial.remove()
            return error
        }
        return TransferError(error.reason, partialFile: place.partialFile, keptBytes: count)
    }
}
