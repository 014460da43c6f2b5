import Foundation
import Sallyport

/// Shows the trace of a request on standard error.
enum TraceOutput {
    static func show(_ trace: InterceptorTrace, _ color: ColorChoice) {
        let paint = color.paint(on: STDERR_FILENO)
        let lines = VisibleText.lines("\(trace)").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            style(of: line).map { paint(String(line), $0) } ?? String(line)
        }
        StandardError.draw(lines.joined(separator: "\n") + "\n")
    }

    /// Returns green, red or yellow for an addition, removal or replacement, and cyan for the name of a stage.
    private static func style(of line: Substring) -> Paint.Style? {
        switch line.prefix(2) {
        case "+ ": .green
        case "- ": .red
        case "~ ": .yellow
        case "@ ": .cyan
        default: nil
        }
    }
}
