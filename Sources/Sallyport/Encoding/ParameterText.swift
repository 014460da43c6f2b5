import Foundation

/// The conversion of scalar values to text.
struct ParameterText {
    let options: ParameterOptions

    init(_ options: ParameterOptions) {
        self.options = options
    }

    /// Returns the text of a value; `nil` if the value is not a scalar.
    ///
    /// - Throws: `EncodingError` for a number that is not finite.
    func text(of value: some Encodable, at path: [any CodingKey]) throws -> String? {
        switch value {
        case let value as String: value
        case let value as Bool: options.booleans == .words ? "\(value)" : value ? "1" : "0"
        case let value as any FixedWidthInteger: "\(value)"
        case let value as Double: try number("\(value)", value.isFinite, value, path)
        case let value as Float: try number("\(value)", value.isFinite, value, path)
        case let value as Decimal: try number("\(value)", value.isFinite, value, path)
        case let value as Date: date(value)
        case let value as Data: value.base64EncodedString()
        case let value as URL: value.absoluteString
        default: nil
        }
    }

    private func number(_ text: String, _ isFinite: Bool, _ value: Any, _ path: [any CodingKey]) throws -> String {
        guard isFinite else {
            let context = EncodingError.Context(codingPath: path, debugDescription: "it is not a finite number")
            throw EncodingError.invalidValue(value, context)
        }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private func date(_ date: Date) -> String {
        switch options.dates {
        case .iso8601: date.formatted(.iso8601)
        case .seconds: Self.seconds(date)
        case .milliseconds: String(format: "%.0f", (date.timeIntervalSince1970 * 1000).rounded())
        case .custom(let write): write(date)
        }
    }

    /// Returns the seconds since 1970 with a precision of milliseconds, because further digits of a `Date` are rounding errors.
    private static func seconds(_ date: Date) -> String {
        let text = String(format: "%.3f", date.timeIntervalSince1970)
        guard text.hasSuffix("0") else { return text }
        let digits = text.reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
    }
}
