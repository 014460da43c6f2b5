import Foundation
import Sallyport

/// An interceptor that shows each request and response on standard error.
struct VerboseInterceptor: Interceptor {
    let asksForCompression: Bool

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        show(try request.head(), bodyLength: request.body.length)
        var request = request
        request.onInformational = { [onInformational = request.onInformational] response in
            onInformational?(response)
            Self.show(response, version: .http1_1)
        }
        let response = try await next(request)
        show(response.connection)
        let head = HTTPResponse(status: response.status, headerFields: response.headers.fields)
        Self.show(head, version: response.connection.httpVersion)
        return response
    }

    /// Shows the part that the cache had in a response, and the head of a response that comes from the cache, which no
    /// interceptor sees.
    static func showCacheStatus(of response: HttpResponse) {
        guard let status = response.cacheStatus else { return }
        show("*", ["cache: \(VisibleText.line("\(status)"))"])
        if status.isHit {
            show(HTTPResponse(status: response.status, headerFields: response.headers.fields), version: nil)
        }
    }

    /// Shows a request head, including the fields that the transport adds.
    private func show(_ head: HTTPRequest, bodyLength: Int64?) {
        var fields = HTTPFields()
        if let host = HTTPField.Name("Host"), !head.headerFields.contains(host) { fields[host] = head.authority }
        fields.append(contentsOf: head.headerFields)
        if asksForCompression, fields[.acceptEncoding] == nil { fields[.acceptEncoding] = "gzip, deflate" }
        switch bodyLength {
        case 0? where ![.post, .put, .patch].contains(head.method): break
        case let length?: fields[.contentLength] = "\(length)"
        case nil: fields[.transferEncoding] = "chunked"
        }
        let target = Redaction.text(head.path ?? "/")
        Self.show(">", ["\(head.method.rawValue) \(target)"] + fields.map(Redaction.line) + [""])
    }

    private func show(_ connection: ConnectionFacts) {
        let kind = "\(connection.isReused ? "reused" : "new") connection"
        let facts = [connection.remoteAddress, connection.httpVersion?.rawValue, connection.tlsVersion]
        let phases = [
            ("resolve", connection.resolve), ("connect", connection.connect), ("TLS", connection.tls),
            ("first byte", connection.firstByte),
        ]
        let times = phases.compactMap { name, time in time.map { "\(name) \(Format.time($0))" } }
        Self.show("*", [([kind] + facts.compactMap(\.self)).joined(separator: ", ")])
        if !times.isEmpty { Self.show("*", [times.joined(separator: ", ")]) }
    }

    private static func show(_ head: HTTPResponse, version: ConnectionFacts.Version?) {
        show("<", [head.status.line(version)] + head.headerFields.map(Redaction.line) + [""])
    }

    private static func show(_ prefix: String, _ lines: [String]) {
        StandardError.print(lines.map { $0.isEmpty ? prefix : "\(prefix) \($0)" }.joined(separator: "\n"))
    }
}

extension HttpStatus {
    /// Returns the status line of a response.
    func line(_ version: ConnectionFacts.Version?) -> String {
        let start = "\(version?.rawValue ?? "HTTP") \(code)"
        return reasonPhrase.isEmpty ? start : "\(start) \(reasonPhrase)"
    }
}

extension RequestBody {
    /// The number of bytes; `nil` if it is unknown before they are sent.
    fileprivate var length: Int64? {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let url): (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize).flatMap { $0 }.map(Int64.init)
        case .stream(let stream): stream.length
        }
    }
}
