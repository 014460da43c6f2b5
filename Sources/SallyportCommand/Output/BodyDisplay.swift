import Foundation
import Sallyport

/// Shows the body of a response on a terminal: indented JSON and XML, other text unchanged, and no binary data.
///
/// It is told the chunks of the body in order, and returns what to write.
struct BodyDisplay {
    enum Part {
        case nothing
        /// Text of the server in UTF-8 or an unknown encoding. Its control characters must still be escaped.
        case text(Data)
        /// Text whose control characters have been escaped.
        case formatted(String)
        /// The body is binary. Nothing of the chunk is shown.
        case binary
    }

    private enum Kind {
        case json, xml, other
    }

    /// The maximum length of a body to indent, in bytes. Longer bodies are shown unchanged.
    private static let maximumPrettyLength = 1 << 20
    /// The number of bytes at the beginning of a body that are searched for binary data.
    private static let checkedLength = 4096

    private let kind: Kind
    private let isTextByType: Bool
    /// The media type if its encoding must be changed to UTF-8.
    private let singleByteType: String?
    private let paint: Paint
    /// The length of the beginning that has been checked; `nil` if binary data is shown.
    private var checked: Int?
    /// The body so far, until it is too long to indent.
    private var held: Data?

    /// - Parameters:
    ///   - contentType: The value of `Content-Type`.
    ///   - isTerminal: A Boolean value that indicates whether binary data is detected, and other encodings become UTF-8.
    init(contentType: String?, isTerminal: Bool, paint: Paint) {
        let type = MediaTypeName(contentType)
        kind = type.isJson ? .json : type.isXml ? .xml : .other
        isTextByType = type.isText
        self.paint = paint
        checked = isTerminal ? 0 : nil
        singleByteType = isTerminal && BodyText.isSingleByte(contentType) ? contentType : nil
        held = kind == .other ? nil : Data()
    }

    /// Returns the part to write after the next chunk.
    mutating func add(_ chunk: Data) -> Part {
        if let count = checked, count < Self.checkedLength {
            if isBinary(chunk.prefix(Self.checkedLength)) { return .binary }
            checked = count + chunk.count
        }
        let chunk = singleByteType.map { Data(BodyText.decode(chunk, contentType: $0).utf8) } ?? chunk
        guard var data = held else { return .text(chunk) }
        held = nil
        data.append(chunk)
        if data.count > Self.maximumPrettyLength { return .text(data) }
        held = data
        return .nothing
    }

    /// Returns the rest.
    ///
    /// - Parameter isComplete: A Boolean value that indicates whether the body has been received to its end.
    mutating func end(isComplete: Bool = true) -> Part {
        guard let data = held, !data.isEmpty else { return .nothing }
        held = nil
        guard isComplete else { return .text(data) }
        let formatted =
            switch kind {
            case .json: PrettyJson.format(data, paint)
            case .xml: PrettyXml.format(data, paint)
            case .other: nil as Data?
            }
        guard let formatted else { return .text(data) }
        return paint.isOn ? .formatted(String(decoding: formatted, as: UTF8.self)) : .text(formatted)
    }

    /// Returns `true` if a chunk is not text: it contains a null byte, or it is not UTF-8 and its media type is not a text type.
    private func isBinary(_ chunk: Data) -> Bool {
        if chunk.contains(0) { return true }
        if isTextByType { return false }
        // A character may be incomplete at the beginning and the end.
        let start = checked == 0 ? chunk : chunk.drop { $0 & 0xC0 == 0x80 }
        let text = start.dropLast(VisibleBytes.unfinished(start))
        return String(validating: text, as: UTF8.self) == nil
    }
}

/// The type and subtype of a media type (RFC 9110, section 8.3.1), without parameters and in lower case.
struct MediaTypeName: CustomStringConvertible {
    let description: String

    init(_ contentType: String?) {
        description = (contentType ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// `application/json`, or a type that ends with `+json`.
    var isJson: Bool { description == NetworkConstants.contentTypeJSON || description.hasSuffix("+json") }

    /// `application/xml`, `text/xml`, or a type that ends with `+xml` (RFC 7303).
    var isXml: Bool { ["application/xml", "text/xml"].contains(description) || description.hasSuffix("+xml") }

    /// `true` if content of this type is text, possibly in another encoding than UTF-8.
    var isText: Bool {
        isJson || isXml || description.hasPrefix("text/")
            || ["application/javascript", "application/x-www-form-urlencoded", "application/x-ndjson"]
                .contains(description)
    }
}
