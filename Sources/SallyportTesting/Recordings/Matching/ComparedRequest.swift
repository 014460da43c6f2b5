import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// A request that has been normalized for comparison. Its secrets are masked.
struct ComparedRequest: Sendable {
    /// The names that are ignored, in lower case.
    private let ignoredNames: Set<String>
    private let head: HTTPRequest
    private let body: ComparedBody

    /// Creates a request from a recorded one. Its secrets must already be masked.
    init(_ request: RecordedRequest, _ options: RecordingOptions) {
        let ignoredNames = Set(options.ignoredNames.map { $0.lowercased() })
        self.ignoredNames = ignoredNames
        head = request.head
        // Other bodies are not parsed.
        body =
            options.matching.contains(.body)
            ? ComparedBody(request.body, type: head.headerFields[.contentType], ignoring: ignoredNames) : .none
    }

    /// A difference between two requests.
    struct Difference: Sendable {
        let text: String
        /// The weight in the search for the closest request.
        let weight: Int
    }

    /// Returns the differences between this request, which is recorded, and another one, in the given parts.
    func differences(to sent: ComparedRequest, in parts: Set<RecordedPart>) -> [Difference] {
        var differences: [Difference] = []
        func compare(_ name: String, _ recorded: String, _ sent: String, weight: Int) {
            if MaskedText.matches(recorded, sent) { return }
            differences.append(Difference(text: Self.text(name, recorded, sent), weight: weight))
        }
        if parts.contains(.method) { compare("method", head.method.rawValue, sent.head.method.rawValue, weight: 4) }
        if parts.contains(.origin) { compare("origin", origin, sent.origin, weight: 6) }
        if parts.contains(.path), path != sent.path {
            compare("path", path, sent.path, weight: 4 + Self.differentSegments(path, sent.path))
        }
        let names = parts.compactMap { if case .queryItem(let name) = $0 { name } else { nil } }
        if parts.contains(.query) || !names.isEmpty {
            let selected = parts.contains(.query) ? nil : Set(names)
            differences += Self.compare("query item", query(selected), sent.query(selected))
        }
        let fields = parts.compactMap { if case .header(let name) = $0 { name } else { nil } }
        for name in fields.sorted() {
            let values = (value(of: name), sent.value(of: name))
            if let text = Self.difference("header \(name)", values.0, values.1) {
                differences.append(Difference(text: text, weight: 1))
            }
        }
        if parts.contains(.body) {
            differences += body.differences(to: sent.body).map { Difference(text: $0, weight: 1) }
        }
        return differences
    }

    private var origin: String {
        (try? Origin(of: head)).map { "\($0.scheme)://\($0.authority)" } ?? head.authority?.lowercased() ?? ""
    }

    private var path: String {
        let path = (head.path ?? "/").prefix { $0 != "?" }
        return path.removingPercentEncoding ?? String(path)
    }

    /// Returns the values of the query items by name.
    ///
    /// - Parameter selected: The names of the items; `nil` for all.
    private func query(_ selected: Set<String>?) -> [String: [String]] {
        let pairs = QueryText.pairs(of: (head.path ?? "").drop { $0 != "?" }.dropFirst())
        let compared = pairs.filter {
            selected?.contains($0.name) ?? true && !ignoredNames.contains($0.name.lowercased())
        }
        return Dictionary(grouping: compared, by: \.name).mapValues { $0.map(\.value) }
    }

    private func value(of field: String) -> [String] {
        guard let name = HTTPField.Name(field) else { return [] }
        let values = head.headerFields[values: name]
        guard name == .contentType else { return values }
        // A boundary is random.
        return values.map { MultipartText.boundary(of: $0) == nil ? $0 : String($0.prefix { $0 != ";" }) }
    }

    private static func differentSegments(_ one: String, _ other: String) -> Int {
        let (one, other) = (one.split(separator: "/"), other.split(separator: "/"))
        return min(8, zip(one, other).count { $0 != $1 } + abs(one.count - other.count))
    }
}

// MARK: Differences

extension ComparedRequest {
    /// Returns the differences between values by name.
    static func compare(_ kind: String, _ recorded: [String: [String]], _ sent: [String: [String]]) -> [Difference] {
        Set(recorded.keys).union(sent.keys).sorted().compactMap { name in
            let text = difference("\(kind) \(VisibleText.line(name))", recorded[name] ?? [], sent[name] ?? [])
            return text.map { Difference(text: $0, weight: 1) }
        }
    }

    private static func difference(_ name: String, _ recorded: [String], _ sent: [String]) -> String? {
        if recorded.count == sent.count, zip(recorded, sent).allSatisfy(MaskedText.matches) { return nil }
        if recorded.isEmpty { return "\(name): not recorded, sent \(short(sent.joined(separator: ", ")))" }
        if sent.isEmpty { return "\(name): recorded \(short(recorded.joined(separator: ", "))), not sent" }
        return text(name, recorded.joined(separator: ", "), sent.joined(separator: ", "))
    }

    static func text(_ name: String, _ recorded: String, _ sent: String) -> String {
        // Long values are shown from shortly before their first difference.
        var start = recorded.commonPrefix(with: sent).count
        start = max(recorded.count, sent.count) > 100 ? max(0, start - 20) : 0
        let prefix = start > 0 ? "…" : ""
        return "\(name): recorded \(prefix)\(short(recorded.dropFirst(start))), "
            + "sent \(prefix)\(short(sent.dropFirst(start)))"
    }

    static func short(_ text: some StringProtocol) -> String {
        text.isEmpty ? "nothing" : VisibleText.line(String(text), longest: 100)
    }
}

/// The comparison of texts with masked secrets.
enum MaskedText {
    /// Returns `true` if a text matches a recorded text. A mask in the recorded text stands for any text.
    static func matches(_ recorded: String, _ sent: String) -> Bool {
        if recorded == sent { return true }
        var parts = recorded.components(separatedBy: SecretMask.mask)[...]
        guard parts.count > 1, let prefix = parts.popFirst(), let suffix = parts.popLast(), sent.hasPrefix(prefix)
        else { return false }
        var rest = sent.dropFirst(prefix.count)
        for part in parts where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(suffix)
    }
}
