import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// A request and its response, as a recording contains them.
struct RecordedExchange: Sendable {
    var request: RecordedRequest
    var result: RecordedResult
    /// The position in the file, beginning with 1.
    var number = 0
    var start = Date()
    var duration = Duration.zero
}

/// A request of a recording.
struct RecordedRequest: Sendable {
    /// The method, URL and header fields.
    var head: HTTPRequest
    /// The body; `nil` if there was one that the recording does not contain.
    var body: Data?
    /// The size of a body that the recording does not contain, in bytes.
    var omittedSize = 0

    var url: String { "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")" }

    /// The method and URL for messages.
    var summary: String { "\(head.method) \(VisibleText.line(url, longest: 300))" }
}

/// The result of a recorded request.
enum RecordedResult: Sendable {
    case response(RecordedResponse)
    /// There is no response to replay, for the given reason.
    case failure(String)
}

/// A response of a recording.
struct RecordedResponse: Sendable {
    var head: HTTPResponse
    /// The body after decoding.
    var body: Data
    /// A Boolean value that indicates whether the body was decoded, so that digests of the received bytes do not apply.
    var isDecoded = false
    /// A Boolean value that indicates whether the recording contains only the beginning of the body.
    var isPartial = false
    var version: ConnectionFacts.Version?
}

// MARK: Reading entries of archives

extension RecordedExchange {
    /// The comment on an incomplete body. Only its beginning was read, and therefore recorded.
    private static let partialComment = "incomplete: the reader stopped here"

    /// The comment on a request's body with a content coding.
    private static let omittedComment = "not recorded: an encoded body cannot be searched for secrets"

    /// Creates a call from an entry of any archive; `nil` if it is not a call over HTTP, such as one of a `data:` URL.
    init?(_ entry: HttpArchive.Entry, number: Int) {
        guard let request = RecordedRequest(entry.request) else { return nil }
        self.request = request
        self.number = number
        start = entry.startedDateTime
        let status = entry.response.status
        if status == 0 {
            result = .failure("the recorded call has no response")
        } else if !(200...999).contains(status) {
            result = .failure("the recorded response has the status \(status), which cannot be replayed")
        } else if let response = RecordedResponse(entry.response, isEmpty: entry.request.method == "HEAD") {
            result = .response(response)
        } else {
            let size = entry.response.content.size
            result = .failure(
                "the recording does not contain the \(size) bytes of the response; export the archive again with content"
            )
        }
    }

    /// The call as an entry of an archive.
    var entry: HttpArchive.Entry? {
        guard case .response(let response) = result else { return nil }
        let time = (duration / .milliseconds(1)).rounded()
        let fields = response.head.headerFields
        let version = response.version?.rawValue ?? ""
        let postData = HttpArchive.PostData(
            mimeType: request.head.headerFields[.contentType] ?? "",
            data: request.body ?? Data(),
            comment: request.body == nil ? Self.omittedComment : nil
        )
        return HttpArchive.Entry(
            startedDateTime: start,
            time: time,
            request: HttpArchive.Request(
                method: request.head.method.rawValue,
                url: request.url,
                httpVersion: version,
                cookies: request.head.headerFields[values: .cookie].flatMap(Self.cookies),
                headers: Self.fields(request.head.headerFields),
                queryString: Self.query(of: request.head.path ?? ""),
                postData: request.body?.isEmpty == true ? nil : postData,
                bodySize: request.body?.count ?? request.omittedSize
            ),
            response: HttpArchive.Response(
                status: response.head.status.code,
                statusText: response.head.status.reasonPhrase,
                httpVersion: version,
                cookies: fields[values: .setCookie].flatMap { Self.cookies(String($0.prefix { $0 != ";" })) },
                headers: Self.fields(fields),
                content: HttpArchive.Content(
                    mimeType: fields[.contentType] ?? "",
                    data: response.body,
                    comment: response.isPartial ? Self.partialComment : nil
                ),
                redirectURL: fields[.location] ?? ""
            ),
            timings: HttpArchive.Timings(wait: time)
        )
    }

    /// Returns `true` if an archive contains only the beginning of a body. The archive of a `TrafficRecorder` may do so.
    fileprivate static func isPartial(_ content: HttpArchive.Content, _ body: Data) -> Bool {
        content.comment == partialComment || content.comment != nil && content.size > body.count
    }

    private static func fields(_ fields: HTTPFields) -> [HttpArchive.Field] {
        fields.map { HttpArchive.Field(name: $0.name.rawName, value: $0.value) }
    }

    private static func query(of path: String) -> [HttpArchive.Field] {
        QueryText.pairs(of: path.drop { $0 != "?" }.dropFirst()).map {
            HttpArchive.Field(name: $0.name, value: $0.value)
        }
    }

    private static func cookies(_ pairs: String) -> [HttpArchive.Cookie] {
        pairs.split(separator: ";").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].trimmingBlanks()) : ""
            return HttpArchive.Cookie(name: String(parts[0].trimmingBlanks()), value: value)
        }
    }
}

extension RecordedRequest {
    fileprivate init?(_ request: HttpArchive.Request) {
        guard let method = HTTPRequest.Method(request.method),
            let scheme = request.url.firstRange(of: "://"),
            ["http", "https"].contains(request.url[..<scheme.lowerBound].lowercased())
        else { return nil }
        let rest = request.url[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest[authority.endIndex...].prefix { $0 != "#" }
        head = HTTPRequest(
            method: method,
            scheme: request.url[..<scheme.lowerBound].lowercased(),
            authority: authority.split(separator: "@").last.map(String.init) ?? "",
            path: target.first == "/" ? String(target) : "/\(target)",
            headerFields: HTTPFields(request.headers)
        )
        if let postData = request.postData {
            let fields = postData.params.map { ($0.name, $0.value ?? "") }
            body =
                postData.data.flatMap { $0.isEmpty && !fields.isEmpty ? nil : $0 }
                ?? Self.form(fields, postData.mimeType)
            if postData.comment != nil, request.bodySize ?? 0 > body?.count ?? 0 { body = nil }
            if !head.headerFields.contains(.contentType), !postData.mimeType.isEmpty {
                head.headerFields[.contentType] = postData.mimeType
            }
        } else {
            body = request.bodySize ?? 0 > 0 ? nil : Data()
        }
    }

    /// Returns the text of a form from its fields, which an archive may contain instead of the text.
    private static func form(_ fields: [(name: String, value: String)], _ mimeType: String) -> Data? {
        guard isForm(mimeType) else { return nil }
        let pairs = fields.map { "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.value))" }
        return Data(pairs.joined(separator: "&").utf8)
    }
}

extension RecordedResponse {
    /// Creates a response that can be replayed; `nil` if the archive does not contain its body.
    fileprivate init?(_ response: HttpArchive.Response, isEmpty: Bool) {
        let hasBody = !isEmpty && response.content.size > 0 && ![204, 304].contains(response.status)
        guard let body = response.content.data ?? (hasBody ? nil : Data()) else { return nil }
        var fields = HTTPFields(response.headers)
        // The body is decoded, and the transport does not frame it.
        isDecoded = fields.contains(.contentEncoding)
        fields[.contentEncoding] = nil
        fields[.transferEncoding] = nil
        if isDecoded { fields[.contentLength] = nil }
        let status = HTTPResponse.Status(code: response.status, reasonPhrase: response.statusText)
        head = HTTPResponse(status: status, headerFields: fields)
        self.body = body
        isPartial = RecordedExchange.isPartial(response.content, body)
        version = ConnectionFacts.Version(archived: response.httpVersion)
    }
}

extension HTTPFields {
    /// Creates the fields of an archive, without pseudo-header fields and those that are invalid. Browsers join the values of a name with
    /// line feeds.
    fileprivate init(_ fields: [HttpArchive.Field]) {
        self.init()
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            for value in field.value.split(separator: "\n", omittingEmptySubsequences: false) {
                let value = String(value.trimmingBlanks())
                if HTTPField.isValidValue(value) { append(HTTPField(name: name, value: value)) }
            }
        }
    }
}

extension ConnectionFacts.Version {
    /// Creates the version that an archive contains, such as `h2` of a browser.
    fileprivate init?(archived text: String) {
        switch text.uppercased() {
        case "HTTP/1.0": self = .http1_0
        case "HTTP/1.1": self = .http1_1
        case "H2", "HTTP/2", "HTTP/2.0": self = .http2
        case "H3", "HTTP/3", "HTTP/3.0": self = .http3
        default: return nil
        }
    }
}
