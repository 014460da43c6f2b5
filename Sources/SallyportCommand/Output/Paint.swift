import ArgumentParser
import Foundation

/// Colors text for a terminal, or leaves it unchanged.
struct Paint: Sendable {
    /// A color or emphasis; the raw value is the parameter of the control sequence (ECMA-48, section 8.3.117).
    enum Style: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
        case magenta = 35
        case cyan = 36
    }

    let isOn: Bool

    /// Returns text in a style. Its control characters must have been escaped.
    func callAsFunction(_ text: String, _ style: Style) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    static let none = Paint(isOn: false)
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never

    /// Returns the paint for a file descriptor. With `auto`, a terminal shows colors, unless `NO_COLOR` (no-color.org) is set or the
    /// terminal is dumb.
    func paint(on descriptor: Int32) -> Paint {
        switch self {
        case .always: return Paint(isOn: true)
        case .never: return .none
        case .auto:
            guard isatty(descriptor) == 1 else { return .none }
            let environment = ProcessInfo.processInfo.environment
            return Paint(isOn: (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb")
        }
    }
}
