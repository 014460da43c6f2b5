import Foundation
import Sallyport

/// Shows on standard error what became of a request on its way.
enum TraceOutput {
    static func show(_ trace: InterceptorTrace) {
        let text = VisibleText.lines("\(trace)")
        StandardError.draw((isColored ? colored(text) : text) + "\n")
    }

    /// Whether someone is watching who has not asked for plain text (no-color.org).
    private static var isColored: Bool {
        let environment = ProcessInfo.processInfo.environment
        return StandardError.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    private static func colored(_ diff: String) -> String {
        diff.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            color(of: line).map { "\u{1B}[\($0)m\(line)\u{1B}[0m" } ?? String(line)
        }
        .joined(separator: "\n")
    }

    /// Green, red and yellow for what was added, removed and replaced, cyan for the name of a stage.
    private static func color(of line: Substring) -> Int? {
        switch line.prefix(2) {
        case "+ ": 32
        case "- ": 31
        case "~ ": 33
        case "@ ": 36
        default: nil
        }
    }
}
