import Foundation
import HTTPTypes
import SallyportTransport

/// The parts of a request that a trace compares.
struct RequestSnapshot {
    let method: String
    let url: SnapshotURL
    let query: [SnapshotValue]
    let headers: [SnapshotValue]
    let cookies: [SnapshotValue]
    let body: SnapshotBody?
    let timeouts: [SnapshotValue]

    init(_ request: HttpRequest) {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        method = request.getMethod().rawValue
        url = SnapshotURL(target, orElse: request.url)
        query = (target?.path).map(SnapshotValue.query) ?? []
        headers = request.fields.filter { $0.name != .cookie }.map { SnapshotValue($0) }
        cookies = request.fields.filter { $0.name == .cookie }.flatMap { SnapshotValue.cookies($0.value) }
        body = SnapshotBody(request.body, type: request.fields[.contentType])
        timeouts = SnapshotValue.timeouts(request.effectiveTimeouts)
    }
}

/// A URL without its query.
struct SnapshotURL: Equatable {
    private let url: String
    let displayText: String

    init(_ target: RequestTarget?, orElse url: String?) {
        self.url = target?.urlWithoutQuery ?? url ?? ""
        let text = target.map { Redaction.shortUrl($0.urlWithoutQuery) } ?? url.map(Redaction.refusedUrl)
        displayText = text ?? "(none)"
    }
}

/// A named value and its text for display.
struct SnapshotValue {
    /// The normalized name.
    let key: String
    /// The name for display.
    let name: String
    let value: String
    let isSecret: Bool
    private let makeDisplayText: () -> String

    /// The value for display, unless it is secret. Most values do not change, and are not displayed.
    var displayText: String { makeDisplayText() }

    private init(
        _ name: String,
        key: String,
        value: String,
        displayText: @autoclosure @escaping () -> String,
        isSecret: Bool
    ) {
        self.key = key
        self.name = name
        self.value = value
        makeDisplayText = displayText
        self.isSecret = isSecret
    }

    init(_ field: HTTPField) {
        self.init(
            field.name.rawName,
            key: field.name.canonicalName,
            value: field.value,
            displayText: Redaction.value(of: field),
            isSecret: Redaction.isSecret(field)
        )
    }

    /// Returns the decoded parameters of a path's query.
    static func query(of path: String) -> [SnapshotValue] {
        let query = path.drop { $0 != "?" }.dropFirst().split(separator: "&")
        return query.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            let value = parts.count > 1 ? decoded(parts[1]) : ""
            return SnapshotValue(
                Redaction.text(name),
                key: name,
                value: value,
                displayText: displayText(value),
                isSecret: SecretNames.contains(name)
            )
        }
    }

    /// Returns the cookies of a header. An invalid cookie has an empty name.
    static func cookies(_ header: String) -> [SnapshotValue] {
        header.split(separator: ";").map { text in
            let pair = CookiePair(text)
            let name = pair?.name ?? ""
            return SnapshotValue(name, key: name, value: pair?.value ?? String(text), displayText: "", isSecret: true)
        }
    }

    static func timeouts(_ timeouts: Timeouts) -> [SnapshotValue] {
        let phases = [
            ("queue", timeouts.queue), ("resolve", timeouts.resolve), ("connect", timeouts.connect),
            ("tls", timeouts.tls), ("head", timeouts.head), ("idle", timeouts.idle), ("total", timeouts.total),
        ]
        return phases.compactMap { name, time in
            let text = time.map(Quantity.time) ?? "none"
            return SnapshotValue(name, key: name, value: text, displayText: text, isSecret: false)
        }
    }

    /// Returns a value for display. A value that contains a secret is masked completely, because the secret may contain delimiters.
    private static func displayText(_ value: String) -> String {
        if "{[".contains(value.first ?? " "), let json = Redaction.json(Data(value.utf8)) { return json }
        return Redaction.text(value) == value ? value : Redaction.mask
    }

    private static func decoded(_ text: Substring) -> String {
        text.removingPercentEncoding ?? String(text)
    }
}

/// The identity of a body.
struct SnapshotBody: Equatable {
    private enum Content: Equatable {
        case data(Data)
        case file(URL)
        case stream(ObjectIdentifier)
    }

    private let content: Content
    let displayText: String

    init?(_ body: RequestBody, type: String?) {
        let size: String
        switch body {
        case .none:
            return nil
        case .data(let data):
            content = .data(data)
            size = Quantity.size(Int64(data.count))
        case .file(let url):
            content = .file(url)
            size = "a file"
        case .stream(let stream):
            content = .stream(stream.identity)
            size = "a stream" + (stream.length.map { " of \(Quantity.size($0))" } ?? "")
        }
        let type = type.map { Redaction.text(String($0.prefix { $0 != ";" })) + ", " }
        displayText = (type ?? "") + size
    }

    static func == (first: SnapshotBody, second: SnapshotBody) -> Bool { first.content == second.content }
}
