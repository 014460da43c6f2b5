import Foundation
import Sallyport
import SallyportEngine

/// An interceptor that shows each request and response on standard error.
struct VerboseInterceptor: Interceptor {
    let asksForCompression: Bool
    /// A Boolean value that indicates whether redirects are followed.
    var followsRedirects = false
    var color = ColorChoice.auto

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let paint = color.paint(on: STDERR_FILENO)
        let masker = SecretMasker(sentBy: request)
        Self.show(try SentHead(request, asksForCompression: asksForCompression), masker, paint)
        var request = request
        request.onInformational = { [onInformational = request.onInformational, masker] response in
            onInformational?(response)
            Self.show(response, version: .http1_1, masker, paint)
        }
        let response = try await next(request)
        Self.show(response.connection, paint)
        let head = HTTPResponse(status: response.status, headerFields: response.headers.fields)
        Self.show(head, version: response.connection.httpVersion, masker, paint)
        if followsRedirects, [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.getHeader(name: "Location")
        {
            var masker = masker
            Self.comment("redirected to \(VisibleText.line(masker.masked(masker.text(location))))", paint)
        }
        return response
    }

    /// Shows the part that the cache had in a response, and the head of a response that comes from the cache, which no
    /// interceptor sees.
    static func showCacheStatus(of response: HttpResponse, _ color: ColorChoice = .auto) {
        guard let status = response.cacheStatus else { return }
        let paint = color.paint(on: STDERR_FILENO)
        comment("cache: \(VisibleText.line("\(status)"))", paint)
        if status.isHit {
            let head = HTTPResponse(status: response.status, headerFields: response.headers.fields)
            show(head, version: nil, SecretMasker(sentBy: response.request), paint)
        }
    }

    private static func show(_ head: SentHead, _ masker: SecretMasker, _ paint: Paint) {
        var masker = masker
        let line = "\(head.method) \(masker.masked(masker.text(head.target)))"
        show(">", [paint(VisibleText.line(line), .bold)] + head.fields.map { painted($0, &masker, paint) } + [""])
    }

    private static func show(_ connection: ConnectionFacts, _ paint: Paint) {
        let kind = "\(connection.isReused ? "reused" : "new") connection"
        let facts = [connection.remoteAddress, connection.httpVersion?.rawValue, connection.tlsVersion]
        let proxy = connection.details?.proxy.map { "proxy \($0)" }
        comment(([kind] + (facts + [proxy]).compactMap(\.self)).joined(separator: ", "), paint)
        if !connection.isReused, let details = connection.details { show(details, paint) }
        let times = Timings.phases(of: connection).map { name, time in "\(name) \(Format.time(time))" }
        if !times.isEmpty { comment(times.joined(separator: ", "), paint) }
    }

    /// Shows the cipher suite and the certificates of a connection.
    private static func show(_ details: ConnectionDetails, _ paint: Paint) {
        if let suite = details.cipherSuite {
            comment("cipher \(suite)\(details.keyExchange.map { ", key exchange \($0)" } ?? "")", paint)
        }
        for (index, der) in details.certificates.enumerated() {
            let name = "certificate \(index + 1) of \(details.certificates.count)"
            guard let certificate = CertificateSummary(der: der) else {
                comment("\(name): it cannot be read", paint)
                continue
            }
            let subject = certificate.subject.isEmpty ? "no subject" : certificate.subject
            let dates = [certificate.notBefore, certificate.notAfter].map {
                $0.formatted(.iso8601.year().month().day())
            }
            let names =
                certificate.names.prefix(5).joined(separator: ", ")
                + (certificate.names.count > 5 ? " and \(certificate.names.count - 5) more" : "")
            comment("\(name): \(subject)", paint)
            if !names.isEmpty { comment("  names: \(names)", paint) }
            comment("  issuer: \(certificate.issuer)", paint)
            comment("  valid: \(dates[0]) to \(dates[1])", paint)
            comment("  pin: \(certificate.pin)", paint)
        }
    }

    private static func show(
        _ head: HTTPResponse,
        version: ConnectionFacts.Version?,
        _ masker: SecretMasker,
        _ paint: Paint
    ) {
        var masker = masker
        let line = paint(VisibleText.line(masker.masked(head.status.line(version))), .bold)
        show("<", [line] + head.headerFields.map { painted($0, &masker, paint) } + [""])
    }

    /// Returns a header as one line with secrets masked.
    private static func painted(_ field: HTTPField, _ masker: inout SecretMasker, _ paint: Paint) -> String {
        let line = Redaction.line(field, &masker)
        guard paint.isOn, let colon = line.firstIndex(of: ":") else { return line }
        return paint(String(line[..<colon]), .blue) + line[colon...]
    }

    private static func comment(_ text: String, _ paint: Paint) {
        show("*", [paint(text, .dim)])
    }

    /// Shows lines. The caller has escaped their control characters.
    private static func show(_ prefix: String, _ lines: [String]) {
        StandardError.draw(lines.map { $0.isEmpty ? "\(prefix)\n" : "\(prefix) \($0)\n" }.joined())
    }
}

extension HttpStatus {
    /// Returns the status line of a response.
    func line(_ version: ConnectionFacts.Version?) -> String {
        let start = "\(version?.rawValue ?? "HTTP") \(code)"
        return reasonPhrase.isEmpty ? start : "\(start) \(reasonPhrase)"
    }
}
