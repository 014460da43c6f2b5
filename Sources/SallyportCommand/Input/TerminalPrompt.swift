import Dispatch
import Foundation
import Sallyport
import SallyportStorage

/// Questions to the user at the terminal.
enum TerminalPrompt {
    /// A Boolean value that indicates whether standard input is a terminal.
    static var isAvailable: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a line from standard input. On a terminal, prints a question first, and again when the process was stopped and continues.
    ///
    /// - Parameters:
    ///   - question: The question. Control characters in it are escaped.
    ///   - isHidden: A Boolean value that indicates whether the terminal does not show the input.
    /// - Returns: The line without its end; `nil` at the end of the input.
    static func line(asking question: String, isHidden: Bool = false) async throws -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try await runAbandonable { readLine() } }
        let ask: @Sendable () -> Void = { [settings] in
            if isHidden {
                var silent = settings
                silent.c_lflag &= ~tcflag_t(ECHO)
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
            }
            StandardError.draw(VisibleText.line(question))
        }
        let isAsking = Locked(true)
        // While the process is stopped, the shell restores its own settings of the terminal, which show the input.
        let resumption = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
        resumption.setEventHandler { isAsking.withLock { if $0, isInForeground { ask() } } }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            resumption.setRegistrationHandler { continuation.resume() }
            resumption.resume()
        }
        ask()
        defer {
            resumption.cancel()
            isAsking.withLock { isAsking in
                isAsking = false
                guard isHidden else { return }
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
                StandardError.draw("\n")
            }
        }
        let line = try await runAbandonable { readLine() }
        // Control-D leaves the cursor behind the question.
        if line == nil, !isHidden { StandardError.draw("\n") }
        return line
    }

    /// A Boolean value that indicates whether the process may change the settings of the terminal, and was not continued in the background.
    private static var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// Asks until the user answers yes or no.
    ///
    /// - Parameters:
    ///   - question: The question, with its question mark.
    ///   - isYesDefault: A Boolean value that indicates whether an empty line is the answer yes instead of no.
    /// - Returns: The answer; `nil` at the end of the input.
    static func confirm(_ question: String, isYesDefault: Bool = false) async throws -> Bool? {
        while let line = try await line(asking: "\(question) [\(isYesDefault ? "Y/n" : "y/N")] ") {
            if line.allSatisfy(\.isWhitespace) { return isYesDefault }
            if let answer = YesOrNo.parse(line) { return answer }
            StandardError.print("Answer yes or no.")
        }
        return nil
    }

    /// Shows numbered choices, and asks until the user selects one by its number or text.
    ///
    /// - Parameters:
    ///   - question: The text above the choices.
    ///   - choices: The choices. Control characters in them are escaped.
    ///   - standard: The index of the choice for an empty line, if there is one.
    /// - Returns: The index of the choice; `nil` at the end of the input.
    static func choose(_ question: String, from choices: [String], default standard: Int? = nil) async throws -> Int? {
        StandardError.print(VisibleText.line(question))
        for (index, choice) in choices.enumerated() {
            StandardError.print("  \(index + 1)  \(VisibleText.line(choice))")
        }
        let suffix = standard.map { " [\($0 + 1)]" } ?? ""
        while let line = try await line(asking: "Number\(suffix): ") {
            if line.allSatisfy(\.isWhitespace), let standard { return standard }
            if let index = Choices.index(of: line, in: choices) { return index }
            StandardError.print("Enter a number from 1 to \(choices.count).")
        }
        return nil
    }
}

/// The answers yes and no.
enum YesOrNo {
    /// Returns the answer in a text; `nil` for any other text.
    static func parse(_ text: String) -> Bool? {
        switch text.trimmingCharacters(in: .whitespaces).lowercased() {
        case "y", "yes", "true": true
        case "n", "no", "false": false
        default: nil
        }
    }
}

/// The selection of one of several choices by a text.
enum Choices {
    /// Returns the index of the choice with a text, in any case, or else with a number that begins with 1; `nil` if there is none.
    static func index(of text: String, in choices: [String]) -> Int? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let index = choices.firstIndex(of: text) { return index }
        if let index = choices.firstIndex(where: { $0.lowercased() == text.lowercased() }) { return index }
        guard let number = Int(text), choices.indices.contains(number - 1) else { return nil }
        return number - 1
    }
}
