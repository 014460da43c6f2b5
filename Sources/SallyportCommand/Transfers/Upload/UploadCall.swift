import Foundation
import Sallyport
import SallyportTransfers

/// The upload of one command. Its options have been checked.
struct UploadCall: Sendable {
    private let name: String
    private let request: HttpRequest
    private let options: UploadOptions
    private let journal: UploadJournalFolder?
    private let display: TransferDisplay
    private let client: TransferClient
    private let output: ResponseOutput
    private let run: TransferRun<HttpResponse>

    /// - Throws: ``CommandFailure`` for the first option that cannot be used. In that case, nothing has been sent.
    init(_ command: UploadCommand) async throws {
        let contents = try UploadContents(command.arguments)
        name = contents.name
        try command.options.checkURL(contents.url)
        let isForm = if case .form = contents.content { true } else { false }
        if !isForm, !command.field.isEmpty {
            throw CommandFailure(
                .usage,
                "--field needs a form: add a key to the file, as in KEY=\(contents.files[0].path)"
            )
        }
        let method = command.method?.method ?? contents.standardMethod
        var identity = [method.rawValue, contents.url]
        identity += command.field.flatMap { ["field", $0.name, $0.value] }
        for part in contents.files {
            identity += ["file", part.name, part.filename ?? "", part.contentType ?? ""]
            identity.append(try FileIdentity.of(part.path))
        }
        let display = command.options.display
        journal = command.resume ? Self.journal(of: identity, display) : nil
        var request = HttpRequest(url: contents.url)
        try await contents.apply(to: &request, fields: command.field, boundary: journal?.boundary)
        request.setMethod(method)
        try command.options.apply(try await command.options.head.headers(), to: &request)
        _ = try request.head()
        self.request = request
        var options = UploadOptions()
        options.isResumable = command.resume
        options.journal = journal?.file
        options.retry = command.options.retries.policy(replacing: options.retry)
        options.rateLimit = try command.options.connection.rateLimit()
        // The upload creates the key itself, so that a later run uses the same one.
        if command.options.retries.idempotencyKey { options.retry.addsIdempotencyKey = true }
        self.options = options
        self.display = display
        client = try await TransferClient(command.options, for: [contents.address], display: display)
        output = try ResponseOutput(path: command.output)
        run = TransferRun(display: display, atOnce: 1, timeout: command.options.timeout)
    }

    /// Returns the folder for the state of the upload; `nil`, after a warning, if it cannot be used.
    private static func journal(of identity: [String], _ display: TransferDisplay) -> UploadJournalFolder? {
        do throws(CommandFailure) {
            return try UploadJournalFolder(of: identity)
        } catch {
            display.warn("\(error.message); the upload cannot be resumed by another command")
            return nil
        }
    }

    /// Runs the upload and writes the response.
    func run() async throws {
        var end: TransferRun<HttpResponse>.End?
        let job = TransferRun<HttpResponse>.Job(name: name, reportsResumption: true) {
            client.client.upload(request, options: options)
        }
        await run.run([job]) { end = $0 }
        try await client.finish()
        guard let end else { throw CommandFailure(.interrupted) }
        do {
            try await report(end)
            try await output.finish()
        } catch {
            output.discard()
            throw error
        }
    }

    /// Writes the body of the response, without its head.
    private var writer: ResponseWriter { ResponseWriter(style: ResponseStyle(), output: output) }

    private func report(_ end: TransferRun<HttpResponse>.End) async throws {
        switch end.result {
        case .success(let response):
            journal?.remove()
            let sent = Self.summary(of: end.progress, in: end.time)
            display.inform("\(name): \(sent); the server answered \(response.statusSummary)")
            try await writer.writeCollectedBody(of: response)
        case .failure(let error) where error.isCancellation:
            let reason = end.isTimedOut ? "stopped after the time limit" : "stopped"
            let canResume = journal?.canResume == true
            if !canResume { journal?.remove() }
            let advice = canResume ? "run the same command again to resume" : "it cannot be resumed"
            display.warn("\(name): \(reason); \(advice)")
            throw CommandFailure(end.isTimedOut ? .timeout : .interrupted)
        case .failure(let error):
            if journal?.canResume == false { journal?.remove() }
            let failure = client.failure(error, isWriting: false)
            // The body may contain the server's explanation.
            if case .status(let response) = error.reason {
                try await writer.writeCollectedBody(of: response)
                try await output.finish()
            }
            throw failure
        }
    }

    private static func summary(of progress: TransferProgress, in time: Duration) -> String {
        let total = progress.completedBytes
        if total == 0, progress.totalBytes ?? 0 > 0 { return "the server had received it completely" }
        let now = max(total - progress.resumedBytes, 0)
        let part = progress.resumedBytes > 0 ? ", of which \(Format.size(now)) now," : ""
        return "\(Format.size(total)) sent\(part) in \(Format.time(time)), \(Format.rate(now, in: time))"
    }
}

extension UploadContents {
    /// Sets the files as the body of a request.
    ///
    /// - Throws: A failure that names a file that cannot be read.
    func apply(to request: inout HttpRequest, fields: [NameAndValue], boundary: String?) async throws {
        switch content {
        case .form(let parts):
            var form = try boundary.map { try MultipartForm(boundary: $0) } ?? MultipartForm()
            for field in fields { form.append(name: field.name, value: field.value) }
            for part in parts { try await part.append(to: &form) }
            request.multipart(form)
        case .file(let part):
            request.body = try await part.source.body()
            let type = part.contentType ?? MediaType.ofFile(named: part.filename ?? part.path)
            request.setHeader(name: NetworkConstants.headerContentType, value: type)
        }
    }
}
