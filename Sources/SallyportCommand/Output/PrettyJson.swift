import Foundation
import SallyportTransport

/// Formats JSON with line breaks and indentation. Names, strings, numbers and their order are preserved byte for byte.
///
/// It accepts only JSON texts that are valid by RFC 8259.
struct PrettyJson {
    /// The maximum depth of nesting.
    private static let maximumDepth = 256
    /// The maximum length of the output is the length of the input times a factor, plus a number of bytes.
    private static let (maximumFactor, maximumExtra) = (16, 256 << 10)

    private var tokens: JsonTokenizer
    private let paint: Paint
    private var output: [UInt8] = []
    private var depth = 0

    private init(_ bytes: [UInt8], _ paint: Paint) {
        tokens = JsonTokenizer(bytes)
        self.paint = paint
        output.reserveCapacity(bytes.count * 2)
    }

    /// Returns a formatted JSON text that ends with a line feed; `nil` if the data is not JSON, too deep, or would become too long.
    ///
    /// - Parameter paint: If it is on, names and values are colored, and control characters are escaped.
    static func format(_ data: Data, _ paint: Paint = .none) -> Data? {
        guard String(validating: data, as: UTF8.self) != nil else { return nil }
        var formatter = PrettyJson(Array(data), paint)
        guard formatter.writeValue(), formatter.tokens.token == .end else { return nil }
        return Data(formatter.output) + Data("\n".utf8)
    }

    /// Writes a value.
    ///
    /// - Returns: `false` if there is none.
    private mutating func writeValue() -> Bool {
        switch tokens.token {
        case .objectStart: return writeList(to: .objectEnd) { $0.writeMember() }
        case .arrayStart: return writeList(to: .arrayEnd) { $0.writeValue() }
        case .string:
            writeToken(.green)
            return true
        case .number:
            writeToken(.cyan)
            return true
        case .true, .false, .null:
            writeToken(.magenta)
            return true
        default: return false
        }
    }

    private mutating func writeMember() -> Bool {
        guard tokens.token == .string else { return false }
        writeToken(.blue)
        guard write(.colon) else { return false }
        output.append(UInt8(ascii: " "))
        return writeValue()
    }

    private mutating func writeList(to end: JsonToken, of writeItem: (inout PrettyJson) -> Bool) -> Bool {
        depth += 1
        guard depth <= Self.maximumDepth else { return false }
        writeToken()
        if write(end) {
            depth -= 1
            return true
        }
        repeat {
            breakLine()
            guard output.count <= tokens.bytes.count * Self.maximumFactor + Self.maximumExtra, writeItem(&self) else {
                return false
            }
        } while write(.comma)
        guard tokens.token == end else { return false }
        depth -= 1
        breakLine()
        writeToken()
        return true
    }

    /// Writes the current token if it is the expected one.
    private mutating func write(_ expected: JsonToken) -> Bool {
        guard tokens.token == expected else { return false }
        writeToken()
        return true
    }

    private mutating func writeToken(_ style: Paint.Style? = nil) {
        if let style, paint.isOn {
            let text = VisibleText.line(String(decoding: tokens.tokenBytes, as: UTF8.self))
            output.append(contentsOf: paint(text, style).utf8)
        } else {
            output.append(contentsOf: tokens.tokenBytes)
        }
        tokens.advance()
    }

    private mutating func breakLine() {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}
