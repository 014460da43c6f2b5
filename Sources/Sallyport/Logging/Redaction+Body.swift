import Foundation
import HTTPTypes
import SallyportTransport

extension Redaction {
    /// The longest body that is shown, in bytes.
    private static let longestBody = 8192

    /// A whole message, on several lines, with secrets masked.
    static func message(_ start: String, _ fields: HTTPFields, body: RequestBody) -> String {
        let bodyText =
            switch body {
            case .none: ""
            case .data(let data): text(of: data, contentType: fields[.contentType])
            case .file: "(a file)"
            case .stream: "(a stream)"
            }
        return ([start] + fields.map(line) + [bodyText]).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// A whole message, on several lines, with secrets masked. No body stands for one that is streamed.
    static func message(_ start: String, _ fields: HTTPFields, body: Data?) -> String {
        let bodyText = body.map { text(of: $0, contentType: fields[.contentType]) } ?? "(a stream)"
        return ([start] + fields.map(line) + [bodyText]).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// A body of JSON or of a form, with secrets masked; of any other only its size, as it cannot be searched for them.
    static func text(of body: Data, contentType: String?) -> String {
        if body.isEmpty { return "" }
        let size = "(\(body.count) bytes)"
        if body.count > longestBody { return size }
        if isJson(contentType) { return json(body) ?? size }
        if contentType?.lowercased().hasPrefix(NetworkConstants.contentTypeForm) == true {
            return text(String(decoding: body, as: UTF8.self))
        }
        return size
    }

    /// The value of a field, masked as a whole if the field's name is that of a secret.
    package static func value(_ text: String, of name: String) -> String {
        SecretNames.contains(name) ? mask : json(Data(text.utf8)) ?? self.text(text)
    }

    /// JSON with secrets masked, or `nil` if it is not JSON.
    static func json(_ data: Data, depth: Int = 0) -> String? {
        guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        let masked = try? JSONSerialization.data(withJSONObject: redacted(value, depth), options: options)
        return masked.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func redacted(_ value: Any, _ depth: Int) -> Any {
        switch value {
        case let object as [String: Any]: redacted(object: object, depth)
        case let array as [Any]: array.map { redacted($0, depth) }
        case let string as String:
            "{[".contains(string.first ?? " ")
                ? json(Data(string.utf8), depth: depth) ?? text(string, depth: depth) : text(string, depth: depth)
        default: value
        }
    }

    /// Masks members with a secret name, and the value beside a name that is secret, as in `{"name": …, "value": …}`.
    private static func redacted(object: [String: Any], _ depth: Int) -> [String: Any] {
        let namesSecret = ["name", "key", "id", "field"].contains { member in
            (object[member] as? String).map { SecretNames.contains($0) } ?? false
        }
        var copy: [String: Any] = [:]
        for (name, value) in object {
            let isSecret = SecretNames.contains(name) || namesSecret && ["value", "values"].contains(name)
            copy[name] = isSecret ? mask : redacted(value, depth)
        }
        return copy
    }
}
