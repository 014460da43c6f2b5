import Foundation
import HTTPTypes
import SallyportTransport

extension Redaction {
    /// Returns the method and URL of a request, with secrets in the query masked.
    static func line(_ request: HttpRequest) -> String {
        var masker = SecretMasker(style: .display)
        return line(request, &masker)
    }

    static func line(_ request: HttpRequest, _ masker: inout SecretMasker) -> String {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        return target.map { "\(request.getMethod().rawValue) \(masker.text($0.url))" } ?? request.description
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
