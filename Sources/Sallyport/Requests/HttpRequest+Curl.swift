import Foundation
import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// The request as a curl command with masked secrets, for display and logs.
    public var curlDescription: String { curlDescription(showingSecrets: false) }

    /// Returns the request as a curl command for a POSIX shell.
    ///
    /// ```swift
    /// print(request.curlDescription(showingSecrets: true))
    /// // curl --request PUT --header 'Accept: application/json' --data-raw '{"a":1}' 'https://api.example.com/a'
    /// ```
    ///
    /// - Parameter showingSecrets: A Boolean value that indicates whether the command contains passwords and tokens, so that it can be
    ///   run. Otherwise they are masked, as are bodies that are neither JSON nor a form.
    public func curlDescription(showingSecrets: Bool) -> String {
        let target = try? RequestTarget(url: url, parameters: parameters)
        let plainUrl = target?.url ?? url ?? ""
        var arguments = ["curl"] + methodArguments + urlArguments(plainUrl)
        for field in fields {
            arguments += ["--header", ShellText.quoted(header(field, showingSecrets))]
        }
        if expectsContinue { arguments += ["--header", "'Expect: 100-continue'"] }
        let (bodyArguments, source) = bodyArguments(showingSecrets)
        arguments += bodyArguments
        let maskedUrl = target.map { Redaction.text($0.url) } ?? Redaction.refusedUrl(plainUrl)
        arguments.append(ShellText.quoted(showingSecrets ? plainUrl : maskedUrl))
        return source + arguments.joined(separator: " ")
    }

    private var methodArguments: [String] {
        if method == .head { return ["--head"] }
        if method == .get, case .none = body { return [] }
        // curl uses POST for a body. With an explicit method, it would also use POST after a redirect that requires GET.
        if method == .post, hasBody { return [] }
        return ["--request", ShellText.quoted(method.rawValue)]
    }

    private var hasBody: Bool { if case .none = body { false } else { true } }

    /// Returns the options that prevent curl from expanding a URL, or from removing segments with percent-encoded dots.
    private func urlArguments(_ url: String) -> [String] {
        (url.contains { "[]{}".contains($0) } ? ["--globoff"] : [])
            + (url.lowercased().contains("/%2e") || url.lowercased().contains("/.%2e") ? ["--path-as-is"] : [])
    }

    private func header(_ field: HTTPField, _ showingSecrets: Bool) -> String {
        if field.value.isEmpty { return "\(field.name.rawName);" }
        return showingSecrets ? "\(field.name.rawName): \(field.value)" : Redaction.line(field)
    }

    /// Returns the options for the body, and the start of a pipeline that writes the body if it cannot be an argument.
    private func bodyArguments(_ showingSecrets: Bool) -> (arguments: [String], source: String) {
        // curl sends the type of a form by default.
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

/// Quoting of text for a POSIX shell.
package enum ShellText {
    /// Returns a text quoted as one word.
    package static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        return "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }

    /// Returns bytes as a format string of `printf`.
    package static func octal(_ data: Data) -> String {
        data.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-._/:@,".utf8.contains(byte)
    }
}
