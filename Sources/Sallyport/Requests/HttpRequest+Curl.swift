import Foundation
import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// The request as a command line of curl, with secrets masked, to be shown or logged.
    public var curlDescription: String { curlDescription(showingSecrets: false) }

    /// The request as a command line of curl, for a POSIX shell.
    ///
    /// ```swift
    /// print(request.curlDescription(showingSecrets: true))
    /// // curl --request PUT --header 'Accept: application/json' --data-raw '{"a":1}' 'https://api.example.com/a'
    /// ```
    ///
    /// - Parameter showingSecrets: Whether the command holds passwords and tokens, and can be run as it is; otherwise
    ///   they are masked, as are bodies that are neither JSON nor a form.
    public func curlDescription(showingSecrets: Bool) -> String {
        let target = try? RequestTarget(url: url, parameters: parameters)
        let plainUrl = target?.url ?? url ?? ""
        var words = ["curl"] + methodWords + urlWords(plainUrl)
        for field in fields {
            words += ["--header", ShellText.quoted(header(field, showingSecrets))]
        }
        if expectsContinue { words += ["--header", "'Expect: 100-continue'"] }
        let (bodyWords, source) = bodyWords(showingSecrets)
        words += bodyWords
        let maskedUrl = target.map { Redaction.text($0.url) } ?? Redaction.refusedUrl(plainUrl)
        words.append(ShellText.quoted(showingSecrets ? plainUrl : maskedUrl))
        return source + words.joined(separator: " ")
    }

    private var methodWords: [String] {
        if method == .head { return ["--head"] }
        if method == .get, case .none = body { return [] }
        // With a body curl posts by itself; told to, it would post again after a redirect that asks for a GET.
        if method == .post, hasBody { return [] }
        return ["--request", ShellText.quoted(method.rawValue)]
    }

    private var hasBody: Bool { if case .none = body { false } else { true } }

    /// The options that keep curl from reading more into a URL than there is.
    private func urlWords(_ url: String) -> [String] {
        (url.contains { "[]{}".contains($0) } ? ["--globoff"] : []) + (url.contains("/.") ? ["--path-as-is"] : [])
    }

    private func header(_ field: HTTPField, _ showingSecrets: Bool) -> String {
        if field.value.isEmpty { return "\(field.name.rawName);" }
        return showingSecrets ? "\(field.name.rawName): \(field.value)" : Redaction.line(field)
    }

    /// The options for the body, and the command that makes it where it cannot stand in an option.
    private func bodyWords(_ showingSecrets: Bool) -> (words: [String], source: String) {
        // curl announces a form where no type is given.
        let type = fields[.contentType] == nil ? ["--header", "'Content-Type:'"] : []
        switch body {
        case .none: return ([], "")
        case .file(let file): return (type + ["--data-binary", ShellText.quoted("@" + file.path)], "")
        case .stream: return (type + ["--data-binary", "@-"], "")
        case .data(let data) where !showingSecrets:
            let masked = Redaction.text(of: data, contentType: fields[.contentType])
            return (type + ["--data-raw", ShellText.quoted(masked)], "")
        case .data(let data):
            if let text = String(data: data, encoding: .utf8), !text.contains("\0") {
                return (type + ["--data-raw", ShellText.quoted(text)], "")
            }
            return (type + ["--data-binary", "@-"], "printf '\(ShellText.octal(data))' | ")
        }
    }
}
