import Foundation
import HTTPTypes
import SallyportTransport

extension SecretMasker {
    /// Creates a masker for texts about a request and its response, which knows the secrets that the request sends.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - secrets: Further secrets. Texts of fewer than six bytes are ignored, because they are parts of ordinary words.
    package init(sentBy request: HttpRequest, and secrets: [String] = []) {
        self.init(SecretPolicy(values: Set(secrets.filter { $0.utf8.count >= 6 })), style: .display)
        collectSecrets(of: request)
    }

    /// Collects the secrets that a request sends.
    ///
    /// - Parameter includesBody: `true` to search the body too, if it is in memory.
    package mutating func collectSecrets(of request: HttpRequest, includesBody: Bool = true) {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        let body: Data? = if includesBody, case .data(let data) = request.body { data } else { nil }
        collectSent(url: target?.url ?? request.url ?? "", fields: request.fields, body: body)
    }
}

extension NetworkError {
    /// Returns the error with the secrets masked that a request has sent, as a server may repeat them in what the error quotes.
    ///
    /// It is called only when a call has failed, because it searches the request.
    // Not inlined, so that the frames of its callers stay small.
    @inline(never)
    package func masking(secretsOf request: HttpRequest) -> NetworkError {
        let masker = SecretMasker(sentBy: request)
        if masker.values.isEmpty { return self }
        var masked = self
        masked.failure.reason = masker.masked(failure.reason)
        masked.failure.request = failure.request.map(masker.masked)
        masked.failure.advice = failure.advice.map(masker.masked)
        return masked
    }
}

extension Redaction {
    /// Returns the method and URL of a request, with secrets in the query masked.
    static func line(_ request: HttpRequest) -> String {
        var masker = SecretMasker(style: .display)
        return line(request, &masker)
    }

    /// Returns the method and URL of a request, with secrets masked.
    static func line(_ request: HttpRequest, _ masker: inout SecretMasker) -> String {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        let line = target.map { "\(request.getMethod().rawValue) \(masker.text($0.url))" } ?? request.description
        return masker.masked(line)
    }

    /// Returns a message on several lines, with secrets masked.
    static func message(_ request: HttpRequest, _ masker: inout SecretMasker) -> String {
        let start = line(request, &masker)
        let type = request.fields[.contentType]
        let body =
            switch request.body {
            case .none: ""
            case .data(let data): text(of: data, contentType: type, &masker)
            case .file: "(a file)"
            case .stream: "(a stream)"
            }
        return message(start, request.fields, body, &masker)
    }

    /// Returns a message on several lines, with secrets masked.
    static func message(_ response: HttpResponse, _ masker: inout SecretMasker) -> String {
        let fields = response.headers.fields
        let body = response.body.map { text(of: $0, contentType: fields[.contentType], &masker) } ?? "(a stream)"
        return message("\(response.status.code)", fields, body, &masker)
    }

    private static func message(
        _ start: String,
        _ fields: HTTPFields,
        _ body: String,
        _ masker: inout SecretMasker
    ) -> String {
        let lines = [start] + fields.map { line($0, &masker) } + [body]
        return masker.masked(lines.filter { !$0.isEmpty }.joined(separator: "\n"))
    }
}
