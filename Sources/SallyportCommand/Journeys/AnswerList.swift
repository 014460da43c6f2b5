import Foundation
import SallyportStorage

/// Answers to the questions of a tree that were given before it began: in the options `--answer` and `--answers`.
///
/// Each is used once. Otherwise a wrong password would be sent again and again to a tree that asks again, until the account is locked.
final class AnswerList: Sendable {
    private struct State: Sendable {
        var unused: [NameAndValue]
        /// The names of the questions that were answered.
        var answered: Set<[String]> = []
    }

    private let state: Locked<State>

    init(_ answers: [NameAndValue] = []) {
        state = Locked(State(unused: answers))
    }

    /// Reads the answers in a file with a line `name=value` for each. Empty lines, and lines that begin with `#`, are skipped.
    ///
    /// - Parameters:
    ///   - path: The file, or `-` for standard input.
    ///   - given: Answers that are used before those in the file.
    /// - Throws: ``CommandFailure`` that names the line that is not an answer, but does not quote it, as it may be a secret;
    ///   `CancellationError`.
    convenience init(file path: String, after given: [NameAndValue]) async throws {
        let source = path == "-" ? InputSource.standardInput : .file(path)
        let data = try await source.data(upTo: InputSource.maximumSettingsSize)
        let text = String(decoding: data, as: UTF8.self)
        var answers = given
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#") {
            guard let answer = try? NameAndValue(String(line)) else {
                let name = path == "-" ? "standard input" : path
                throw CommandFailure(
                    .usage,
                    "line \(index + 1) of \(name) is not an answer: it must have the form name=value"
                )
            }
            answers.append(answer)
        }
        self.init(answers)
    }

    /// Removes and returns the first answer with a name, in any case.
    ///
    /// - Parameter names: The names for the same answer. The first name with an answer is used.
    /// - Returns: The value; `nil` if there is no answer.
    func take(_ names: [String]) -> String? {
        state.withLock { state in
            for name in names {
                guard let index = state.unused.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) else {
                    continue
                }
                state.answered.insert(names)
                return state.unused.remove(at: index).value
            }
            return nil
        }
    }

    /// Returns a Boolean value that indicates whether a question with the same names was answered.
    func hasAnswered(_ names: [String]) -> Bool { state.withLock { $0.answered.contains(names) } }

    /// The names of the answers that have not been used.
    var unusedNames: [String] { state.withLock { $0.unused.map(\.name) } }
}
