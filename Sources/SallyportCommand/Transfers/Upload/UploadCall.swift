import Foundation
import Sallyport

/// One upload, checked in all its parts, and what becomes of its answer.
struct UploadCall: Sendable {
    private let name: String
    private let request: HttpRequest
    private let options: UploadOptions
    private let journal: UploadJournal?
    private let display: TransferDisplay
    private let client: TransferClient
    private let output: ResponseOutput
    private let run: TransferRun<HttpResponse>

    /// - Throws: ``CommandFailure`` naming the first thing that cannot be used. Nothing has been sent then.
    init(_ command: UploadCommand) async throws {
        let contents = try UploadContents(command.arguments)
        name = contents.name
        try command.options.client.check(contents.url)
        let isForm = if case .form = contents.content { true } else { false }
        if !isForm, !command.field.isEmpty {
            throw CommandFailure(.usage, "--field is of a form: give the file a key, as KEY=\(contents.files[0].path)")
        }
        let method = command.method?.method ?? contents.standardMethod
        var identity = [method.rawValue, contents.url]
        identity += command.field.flatMap { ["field", $0.name, $0.value] }
        for part in contents.files {
            identity += ["file", part.name, part.filename ?? "", part.contentType ?? ""]
            identity.append(try FileIdentity.of(part.path))
        }
        journal = command.resume ? try UploadJournal(of: identity) : nil
        var request = HttpRequest(url: contents.url)
        try await contents.apply(to: &request, fields: command.field, boundary: journal?.boundary)
        request.setMethod(method)
        try command.options.apply(try await command.options.head.headers(), to: &request)
        _ = try request.head()
        self.request = request
        var options = UploadOptions()
        options.isResumable = command.resume
        options.journal = journal?.file
        options.retry = command.options.client.retries.transferPolicy ?? options.retry
        // The key is the upload's own, so that a later run has the same.
        if command.options.client.retries.idempotencyKey { options.retry.addsIdempotencyKey = true }
        self.options = options
        display = command.options.client.display
        client = try await TransferClient(command.options.client, for: [contents.address], display: display)
        output = try ResponseOutput(path: command.output)
        run = TransferRun(display: display, atOnce: 1, timeout: command.options.client.timeout)
    }

    /// Uploads, and writes the answer.
    func run() async throws {
        var end: TransferRun<HttpResponse>.End?
        let job = TransferRun<HttpResponse>.Job(name: name) { client.client.upload(request, options: options) }
        await run.run([job]) { end = $0 }
        try await client.finish()
        guard let end else { throw CommandFailure(.interrupted) }
        do {
            try await tell(end)
            try await output.finish()
        } catch {
            output.discard()
            throw error
        }
    }

    private func tell(_ end: TransferRun<HttpResponse>.End) async throws {
        switch end.result {
        case .success(let response):
            journal?.remove()
            display.tell("\(name): sent in \(Format.time(end.time)); the server answered \(response.status.words)")
            try await ResponseWriter.writeBody(atHand: response, to: output)
        case .failure(let error) where error.isCancellation:
            let reason = end.isTimedOut ? "it took too long, and was stopped" : "stopped"
            let isKept = journal?.isUseful == true
            if !isKept { journal?.remove() }
            let advice = isKept ? "the same command goes on from what the server has" : "nothing of it is kept"
            display.warn("\(name): \(reason); \(advice)")
            throw CommandFailure(end.isTimedOut ? .timeout : .interrupted)
        case .failure(let error):
            if journal?.isUseful == false { journal?.remove() }
            let failure = client.failure(error, writing: false)
            // What the server has to say of it is in the body.
            if case .status(let response) = error.reason {
                let written = try await ResponseWriter.writeBody(atHand: response, to: output)
                // What went wrong begins on a line of its own.
                if output.isTerminal, let last = written.last, last != UInt8(ascii: "\n") {
                    try await output.write(Data("\n".utf8))
                }
                try await output.finish()
            }
            throw failure
        }
    }
}

extension UploadContents {
    /// Puts the files into a request.
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
