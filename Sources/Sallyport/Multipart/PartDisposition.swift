import HTTPTypes

/// The names in the `Content-Disposition` of a part (RFC 7578, section 4.2), written as the HTML standard has it.
struct PartDisposition {
    private(set) var name: String?
    private(set) var filename: String?

    init(_ fields: HTTPFields) {
        guard let field = fields[fields: .contentDisposition].first else { return }
        var scanner = HeaderScanner(field.withUnsafeBytesOfValue(Array.init))
        _ = scanner.leadingValue()
        var extended: String?
        while let parameter = scanner.parameterName() {
            switch parameter {
            case "name":
                let value = Self.unescaped(scanner.valueInForm())
                name = name ?? value
            case "filename":
                let value = Self.unescaped(scanner.valueInForm())
                filename = filename ?? value
            case "filename*":
                // Not allowed in forms, but sent by some.
                let value = ExtendedValue.decoded(scanner.value())
                extended = extended ?? value
            default:
                _ = scanner.valueInForm()
            }
        }
        filename = filename ?? extended
    }

    /// Takes back the three escapes of the HTML standard; other percent signs stand for themselves.
    private static func unescaped(_ value: [UInt8]) -> String {
        guard value.contains(UInt8(ascii: "%")) else { return HeaderScanner.text(value) }
        var unescaped: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            let escaped = byte == UInt8(ascii: "%") ? escapes[String(decoding: rest.prefix(2), as: UTF8.self)] : nil
            unescaped.append(escaped ?? byte)
            if escaped != nil { rest = rest.dropFirst(2) }
        }
        return HeaderScanner.text(unescaped)
    }

    private static let escapes: [String: UInt8] = [
        "22": UInt8(ascii: "\""), "0D": UInt8(ascii: "\r"), "0A": UInt8(ascii: "\n"),
        "0d": UInt8(ascii: "\r"), "0a": UInt8(ascii: "\n"),
    ]
}
