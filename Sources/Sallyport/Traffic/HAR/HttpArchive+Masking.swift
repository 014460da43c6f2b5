import Foundation
import HTTPTypes
import SallyportTransport

extension HttpArchive.Request {
    /// Creates a record of a request, with its secrets masked.
    ///
    /// - Parameters:
    ///   - bodyLimit: The maximum size of the body that is recorded.
    ///   - masker: The masker, which collects the secrets of the request.
    init(masking request: HttpRequest, bodyLimit: Int, _ masker: inout SecretMasker) {
        masker.collectSecrets(of: request)
        masker.isSent = true
        defer { masker.isSent = false }
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        let url = masker.masked(target.map { masker.text($0.url) } ?? Redaction.refusedUrl(request.url ?? ""))
        let query = url.drop { $0 != "?" }.dropFirst()
        self.init(
            method: request.getMethod().rawValue,
            url: url,
            httpVersion: "",
            cookies: request.fields[values: .cookie].flatMap { CookiePair.all(in: $0) }.map(HttpArchive.Cookie.init),
            headers: request.fields.map { HttpArchive.Field($0, &masker) },
            queryString: QueryText.pairs(of: query).map { HttpArchive.Field(name: $0.name, value: $0.value) }
        )
        let type = request.fields[.contentType]
        switch request.body {
        case .none:
            bodySize = 0
        case .data(let data):
            bodySize = data.count
            let (text, comment) = MaskedBody.text(of: data, size: data.count, type, limit: bodyLimit, &masker)
            if !data.isEmpty {
                postData = HttpArchive.PostData(mimeType: type ?? "", text: text, comment: comment)
            }
        case .file:
            postData = HttpArchive.PostData(mimeType: type ?? "", text: nil, comment: "a file, which is not recorded")
        case .stream(let stream):
            bodySize = stream.length.map { Int($0) }
            postData = HttpArchive.PostData(mimeType: type ?? "", text: nil, comment: "a stream, which is not recorded")
        }
    }
}

extension HttpArchive.Response {
    /// Creates a record of a response, with its secrets masked. A streamed body is not recorded.
    ///
    /// - Parameters:
    ///   - bodyLimit: The maximum size of the body that is recorded.
    ///   - masker: The masker that has collected the secrets of the request.
    init(masking response: HttpResponse, bodyLimit: Int, _ masker: inout SecretMasker) {
        let fields = response.headers.fields
        let type = fields[.contentType]
        self.init(
            status: response.status.code,
            statusText: VisibleText.line(masker.masked(response.status.reasonPhrase)),
            httpVersion: response.connection.httpVersion?.rawValue ?? "",
            cookies: fields[values: .setCookie].compactMap { CookiePair($0) }.map(HttpArchive.Cookie.init),
            headers: fields.map { HttpArchive.Field($0, &masker) },
            content: HttpArchive.Content(size: 0, mimeType: type ?? "", text: nil),
            redirectURL: fields[.location].map { masker.masked(masker.text($0)) } ?? ""
        )
        guard let body = response.body else { return }
        content = HttpArchive.Content(masking: body, of: body.count, limit: bodyLimit, type: type, &masker)
        if !response.bodyStream.isDecoded { bodySize = body.count }
    }
}

extension HttpArchive.Content {
    /// Creates a record of the body of a response, with its secrets masked.
    ///
    /// - Parameters:
    ///   - start: The body, or its beginning if it is longer than the limit.
    ///   - size: The size of the complete body.
    ///   - limit: The maximum size of a body that is recorded.
    init(masking start: Data, of size: Int, limit: Int, type: String?, _ masker: inout SecretMasker) {
        let (text, comment) = MaskedBody.text(of: start, size: size, type, limit: limit, &masker)
        self.init(size: size, mimeType: type ?? "", text: text, comment: comment)
    }
}

extension HttpArchive.Field {
    fileprivate init(_ field: HTTPField, _ masker: inout SecretMasker) {
        self.init(name: field.name.rawName, value: masker.masked(masker.value(of: field)))
    }
}

extension HttpArchive.Cookie {
    /// Creates a cookie with a masked value.
    fileprivate init(_ pair: CookiePair) {
        self.init(name: pair.name, value: Redaction.mask)
    }
}

private enum MaskedBody {
    /// Returns the text of a body with secrets masked, and the reason if it is not complete.
    static func text(
        of start: Data,
        size: Int,
        _ type: String?,
        limit: Int,
        _ masker: inout SecretMasker
    ) -> (text: String?, comment: String?) {
        if size > limit {
            let text = Redaction.bodyStart(start.prefix(limit), contentType: type, &masker)
            if let text { return (text, "the first \(text.utf8.count) of \(size) bytes") }
            return (nil, "\(size) bytes, which are not recorded: the limit is \(limit) bytes")
        }
        if let text = Redaction.body(start, contentType: type, &masker) { return (text, nil) }
        return (nil, "\(size) bytes, which are not recorded: they cannot be searched for secrets")
    }
}

extension HttpRequest {
    /// Creates a request from an archive. Header fields that are not valid, such as the pseudo-header fields of HTTP/2, are ignored.
    package init(_ archived: HttpArchive.Request) {
        self.init(url: archived.url)
        setMethod(archived.method)
        for header in archived.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            fields.append(HTTPField(name: name, value: header.value))
        }
        if let data = archived.postData?.data { body = .data(data) }
    }
}
