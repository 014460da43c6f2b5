import Foundation
import Sallyport
import SallyportTransport

/// A body that has been normalized for comparison.
enum ComparedBody: Sendable {
    /// There is no body, or it is not compared.
    case none
    /// The recording does not contain the body.
    case missing
    case json(JsonValue)
    /// The values of a form's fields by name.
    case form([String: [String]])
    case text(String)
    case bytes(Data)

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - data: The bytes; `nil` if the recording does not contain them.
    ///   - type: The media type.
    ///   - ignoredNames: The names of form fields and JSON members that are ignored, in lower case.
    init(_ data: Data?, type: String?, ignoring ignoredNames: Set<String>) {
        guard let data else {
            self = .missing
            return
        }
        if data.isEmpty {
            self = .none
        } else if isForm(type), let text = String(data: data, encoding: .utf8) {
            let pairs = QueryText.pairs(of: text).filter { !ignoredNames.contains($0.name.lowercased()) }
            self = .form(Dictionary(grouping: pairs, by: \.name).mapValues { $0.map(\.value) })
        } else if let json = try? JSONDecoder().decode(JsonValue.self, from: data) {
            self = .json(json.removing(ignoredNames))
        } else if let boundary = MultipartText.boundary(of: type) {
            // The boundary is random.
            self.init(plain: data.replacing(Data(boundary.utf8), with: Data("boundary".utf8)))
        } else {
            self.init(plain: data)
        }
    }

    private init(plain data: Data) {
        self = String(data: data, encoding: .utf8).map { .text($0) } ?? .bytes(data)
    }

    /// Returns the differences between this body, which is recorded, and another one.
    func differences(to sent: ComparedBody) -> [String] {
        switch (self, sent) {
        case (.none, .none): return []
        case (.missing, _): return ["body: not contained in the recording, so it cannot be compared"]
        case (.none, _): return ["body: none recorded, sent \(sent.summary)"]
        case (_, .none): return ["body: recorded \(summary), none sent"]
        case (.form(let recorded), .form(let sent)):
            return ComparedRequest.compare("form field", recorded, sent).map(\.text)
        case (.json(let recorded), .json(let sent)):
            var differences: [String] = []
            recorded.compare(to: sent, at: "body", &differences)
            return differences
        case (.text(let recorded), .text(let sent)):
            return MaskedText.matches(recorded, sent) ? [] : [ComparedRequest.text("body", recorded, sent)]
        case (.bytes(let recorded), .bytes(let sent)) where recorded == sent: return []
        default: return ["body: recorded \(summary), sent \(sent.summary)"]
        }
    }

    private var summary: String {
        switch self {
        case .none, .missing: "none"
        case .json(let value): ComparedRequest.short(value.text)
        case .form(let fields): "a form with \(ComparedRequest.short(fields.keys.sorted().joined(separator: ", ")))"
        case .text(let text): ComparedRequest.short(text)
        case .bytes(let data): "\(data.count) bytes"
        }
    }
}

extension JsonValue {
    /// The maximum number of differences to describe.
    private static let maximumDifferences = 5

    fileprivate var text: String {
        (try? JSONEncoder.ordered.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the value without members with certain names.
    fileprivate func removing(_ names: Set<String>) -> JsonValue {
        switch self {
        case _ where names.isEmpty: self
        case .array(let elements): .array(elements.map { $0.removing(names) })
        case .object(let members):
            .object(members.filter { !names.contains($0.key.lowercased()) }.mapValues { $0.removing(names) })
        default: self
        }
    }

    /// Appends the differences between this value, which is recorded, and another one.
    ///
    /// - Parameter path: The position in the body, such as `body.items[0].name`.
    fileprivate func compare(to sent: JsonValue, at path: String, _ differences: inout [String]) {
        if self == sent || differences.count >= Self.maximumDifferences { return }
        switch (self, sent) {
        case (.string(let recorded), .string(let sent)) where MaskedText.matches(recorded, sent): return
        case (.object(let recorded), .object(let sent)):
            for name in Set(recorded.keys).union(sent.keys).sorted() {
                Self.compare(recorded[name], sent[name], at: "\(path).\(VisibleText.line(name))", &differences)
            }
        case (.array(let recorded), .array(let sent)):
            for index in 0..<max(recorded.count, sent.count) {
                let recorded = recorded.dropFirst(index).first
                let sent = sent.dropFirst(index).first
                Self.compare(recorded, sent, at: "\(path)[\(index)]", &differences)
            }
        default:
            if let number, number == sent.number { return }
            differences.append(ComparedRequest.text(path, text, sent.text))
        }
    }

    private static func compare(
        _ recorded: JsonValue?,
        _ sent: JsonValue?,
        at path: String,
        _ differences: inout [String]
    ) {
        if differences.count >= maximumDifferences { return }
        switch (recorded, sent) {
        case (let recorded?, let sent?): recorded.compare(to: sent, at: path, &differences)
        case (let recorded?, nil):
            differences.append("\(path): recorded \(ComparedRequest.short(recorded.text)), not sent")
        case (nil, let sent?): differences.append("\(path): not recorded, sent \(ComparedRequest.short(sent.text))")
        case (nil, nil): break
        }
    }
}
