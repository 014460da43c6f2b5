import Sallyport

/// One thing that was looked at.
struct Finding: Sendable, Equatable {
    /// How bad it is.
    enum Level: String, Sendable {
        case good = "✓"
        case warning = "!"
        case problem = "✗"
    }

    let level: Level
    /// What was looked at, and how it is.
    let text: String
    /// What to do.
    var advice: String?

    static func good(_ text: String) -> Finding { Finding(level: .good, text: text) }

    static func warning(_ text: String, _ advice: String) -> Finding {
        Finding(level: .warning, text: text, advice: advice)
    }

    static func problem(_ text: String, _ advice: String) -> Finding {
        Finding(level: .problem, text: text, advice: advice)
    }

    var line: String {
        SettingAdvice.inOptions("\(level.rawValue) \(text)" + (advice.map { "\n    \($0)" } ?? ""))
    }
}
