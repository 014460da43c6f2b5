import Foundation
import HTTPTypes
import SallyportTransport

/// A request in the parts that a trace compares.
struct RequestOutline {
    let method: String
    let place: OutlinedPlace
    let query: [OutlinedValue]
    let headers: [OutlinedValue]
    let cookies: [OutlinedValue]
    let body: OutlinedBody?
    let timeouts: [OutlinedValue]

    init(_ request: HttpRequest) {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        method = request.getMethod().rawValue
        place = OutlinedPlace(target, orElse: request.url)
        query = (target?.path).map(OutlinedValue.query) ?? []
        headers = request.fields.filter { $0.name != .cookie }.map { OutlinedValue($0) }
        cookies = request.fields.filter { $0.name == .cookie }.flatMap { OutlinedValue.cookies($0.value) }
        body = OutlinedBody(request.body, type: request.fields[.contentType])
        timeouts = OutlinedValue.timeouts(request.timeouts(orElse: Timeouts()))
    }
}

/// A URL without its query.
struct OutlinedPlace: Equatable {
    private let url: String
    let shown: String

    init(_ target: RequestTarget?, orElse url: String?) {
        self.url = target?.urlWithoutQuery ?? url ?? ""
        shown = cut(target.map { Redaction.shortUrl($0.urlWithoutQuery) } ?? url.map(Redaction.refusedUrl) ?? "(none)")
    }
}

/// A value with a name, and how it is shown.
struct OutlinedValue {
    /// The name, equal for all that mean the same.
    let key: String
    /// The name, as it is shown.
    let name: String
    let value: String
    /// The value, as it is shown if it is not secret.
    let shown: String
    let isSecret: Bool

    private init(_ name: String, key: String, value: String, shown: String, isSecret: Bool) {
        self.key = key
        self.name = cut(name)
        self.value = value
        self.shown = cut(shown)
        self.isSecret = isSecret
    }

    init(_ field: HTTPField) {
        self.init(
            field.name.rawName,
            key: field.name.canonicalName,
            value: field.value,
            shown: Redaction.text(field.value),
            isSecret: Redaction.isSecret(field)
        )
    }

    /// The parameters of a path's query, decoded.
    static func query(of path: String) -> [OutlinedValue] {
        let query = path.drop { $0 != "?" }.dropFirst().split(separator: "&")
        return query.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            let value = parts.count > 1 ? decoded(parts[1]) : ""
            return OutlinedValue(
                Redaction.text(name),
                key: name,
                value: value,
                shown: shown(value),
                isSecret: SecretNames.contains(name)
            )
        }
    }

    /// The cookies of a header. What is none, having no name, is there without one.
    static func cookies(_ header: String) -> [OutlinedValue] {
        header.split(separator: ";").map { text in
            let pair = CookiePair(text)
            let name = pair?.name ?? ""
            return OutlinedValue(name, key: name, value: pair?.value ?? String(text), shown: "", isSecret: true)
        }
    }

    static func timeouts(_ timeouts: Timeouts) -> [OutlinedValue] {
        let phases = [
            ("queue", timeouts.queue), ("resolve", timeouts.resolve), ("connect", timeouts.connect),
            ("tls", timeouts.tls), ("head", timeouts.head), ("idle", timeouts.idle), ("total", timeouts.total),
        ]
        return phases.compactMap { name, time in
            let text = time.map { "\($0)" } ?? "none"
            return OutlinedValue(name, key: name, value: text, shown: text, isSecret: false)
        }
    }

    /// A value that has a secret in it is masked as a whole, as it may hold what ends other values.
    private static func shown(_ value: String) -> String {
        if "{[".contains(value.first ?? " "), let json = Redaction.json(Data(value.utf8)) { return json }
        return Redaction.text(value) == value ? value : Redaction.mask
    }

    private static func decoded(_ text: Substring) -> String {
        text.removingPercentEncoding ?? String(text)
    }
}

/// A body, by what tells it from another.
struct OutlinedBody: Equatable {
    private enum Content: Equatable {
        case data(Data)
        case file(URL)
        case stream(ObjectIdentifier)
    }

    private let content: Content
    let shown: String

    init?(_ body: RequestBody, type: String?) {
        let size: String
        switch body {
        case .none:
            return nil
        case .data(let data):
            content = .data(data)
            size = "\(data.count) bytes"
        case .file(let url):
            content = .file(url)
            size = "a file"
        case .stream(let stream):
            content = .stream(stream.identity)
            size = "a stream" + (stream.length.map { " of \($0) bytes" } ?? "")
        }
        let type = type.map { cut(Redaction.text(String($0.prefix { $0 != ";" }))) + ", " }
        shown = (type ?? "") + size
    }

    static func == (first: OutlinedBody, second: OutlinedBody) -> Bool { first.content == second.content }
}

/// The text on one line, and not too long to be read.
private func cut(_ text: String) -> String {
    let longest = 200
    let text = VisibleText.line(text)
    return text.count > longest ? text.prefix(longest) + "…" : text
}
