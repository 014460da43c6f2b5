import Foundation
import HTTPTypes
import SallyportTransport

extension UploadWork {
    /// Makes ready what an upload needs, and takes up what an earlier process has left.
    ///
    /// - Throws: ``TransferError`` when the body cannot be read, or the journal not be written, or
    ///   another upload has it.
    static func begin(
        _ request: HttpRequest,
        by client: HttpClient,
        _ options: UploadOptions,
        _ control: TransferControl
    ) async throws(TransferError) -> UploadWork {
        let tally = UploadTally(reportingTo: control)
        let content = try UploadContent(request.body, tally: tally)
        tally.expect(content.length)
        let course = UploadCourse(of: request.sentUrl, tally)
        guard let url = options.journal else {
            let request = client.prepared(request, options.retry)
            return UploadWork(client, request, options, control, content, tally, course, nil)
        }
        let journal = try UploadJournal(at: url)
        let kept = journal.kept
        let name = request.uploadName(with: content)
        let isSame = kept != nil && kept?.upload == name
        let prepared = client.prepared(request, options.retry, idempotencyKey: isSame ? kept?.idempotencyKey : nil)
        var entry = UploadJournal.Entry(upload: name ?? "")
        entry.boundary = request.boundary
        entry.idempotencyKey = prepared.getHeader(name: NetworkConstants.headerIdempotencyKey)
        let resource = kept?.resource.flatMap { try? UploadResource(location: $0, of: request.sentUrl) }
        if isSame, let kept {
            (entry.resource, entry.isWhole) = (resource?.url, kept.isWhole)
            (entry.sent, entry.length) = (kept.sent, kept.length)
            let furthest = content.length.map { kept.isWhole ? $0 : max($0 - 1, 0) } ?? .max
            tally.resume(furthest: resource == nil && !kept.isWhole ? 0 : furthest, isWhole: kept.isWhole)
            if let resource { course.resume(resource) }
        }
        try journal.begin(entry)
        let logger = client.configuration.logger
        tally.beforeWhole {
            do throws(TransferError) { try journal.noteWhole() } catch { logger.warning("\(error)") }
        }
        let work = UploadWork(client, prepared, options, control, content, tally, course, journal)
        if let kept, !isSame {
            let isFile = if case .file = request.body { true } else { false }
            logger.notice(
                "\(request): the journal \(url.path) is of another upload, or \(isFile ? "the file" : "its body") has changed; it starts over"
            )
            if kept.resource != nil { control.startOver("\(isFile ? "the file" : "what is sent") has changed since") }
            if kept.resource != nil, let resource { await work.cancel(resource) }
        }
        return work
    }

    private init(
        _ client: HttpClient,
        _ request: HttpRequest,
        _ options: UploadOptions,
        _ control: TransferControl,
        _ content: UploadContent,
        _ tally: UploadTally,
        _ course: UploadCourse,
        _ journal: UploadJournal?
    ) {
        self.client = client
        self.request = request
        self.options = options
        self.control = control
        self.content = content
        self.tally = tally
        self.course = course
        self.journal = journal
    }
}

extension HttpClient {
    /// The request of an upload as it is sent: by a method that has a body, without a limit on its whole time.
    fileprivate func prepared(
        _ request: HttpRequest,
        _ retry: RetryPolicy,
        idempotencyKey: String? = nil
    ) -> HttpRequest {
        var request = request.asUpload
        if request.timeout == nil, request.timeouts == nil { request.timeouts = streamTimeouts }
        // It is the upload itself that is repeated, as it knows from where.
        request.retry = .never
        guard retry.attempts > 1, retry.addsIdempotencyKey, !retry.isRepeatable(request) else { return request }
        if let idempotencyKey {
            request.setHeader(name: NetworkConstants.headerIdempotencyKey, value: idempotencyKey)
        } else {
            IdempotencyKey.add(to: &request)
        }
        return request
    }
}

extension HttpRequest {
    fileprivate var asUpload: HttpRequest {
        var upload = self
        if getMethod() == .get { upload.setMethod(.post) }
        return upload
    }

    /// The URL with all its parameters; the request is refused later if that is none.
    fileprivate var sentUrl: String {
        (try? RequestTarget(url: url, parameters: parameters))?.url ?? ""
    }

    /// What tells the upload from others in a later process; `nil` if its body cannot be told from others.
    fileprivate func uploadName(with content: UploadContent) -> String? {
        guard let fingerprint = content.fingerprint else { return nil }
        let type = getHeader(name: NetworkConstants.headerContentType) ?? ""
        let parts = ["\(asUpload.getMethod())", sentUrl, type, fingerprint]
        return UploadFingerprint.digest(Data(parts.joined(separator: "\n").utf8))
    }

    /// The line between the parts, if it is a form.
    fileprivate var boundary: String? {
        let type = getHeader(name: NetworkConstants.headerContentType) ?? ""
        guard type.lowercased().hasPrefix(NetworkConstants.contentTypeMultipart),
            let start = type.range(of: "boundary=", options: .caseInsensitive)
        else { return nil }
        let value = type[start.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return value.trimmingCharacters(in: ["\""])
    }
}
