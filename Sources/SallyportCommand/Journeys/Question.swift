import Foundation
import Sallyport

/// A question of a tree, which an answer of the options or the user at the terminal answers.
struct Question: Sendable {
    /// The text to show, as the server sent it.
    let prompt: String
    /// The names of answers in options, the most specific first. Errors suggest the last one.
    let names: [String]
    /// A Boolean value that indicates whether the input is not shown.
    var isHidden = false
    /// The answer if the user enters nothing; empty if there is none.
    var standard = ""
    /// `true` if there must be an answer.
    var isRequired = true

    /// Asks for a text.
    ///
    /// - Returns: The text; `nil` if the question is not required and was not answered.
    /// - Throws: ``CommandFailure`` if there is no answer, and nobody to ask.
    func text(_ answers: AnswerList) async throws -> String? {
        if let given = answers.take(names) { return given }
        guard TerminalPrompt.isAvailable else {
            if isRequired, standard.isEmpty { throw missing(in: answers) }
            return nil
        }
        let hint = standard.isEmpty || isHidden ? "" : " [\(standard)]"
        while let line = try await TerminalPrompt.line(asking: "\(label)\(hint): ", isHidden: isHidden) {
            if !line.isEmpty { return line }
            if !isRequired || !standard.isEmpty { return nil }
        }
        throw ended
    }

    /// Asks for one of several choices.
    ///
    /// - Parameter standard: The index of the choice if the user enters nothing.
    func choice(from choices: [String], default standard: Int? = nil, _ answers: AnswerList) async throws -> Int {
        if let given = answers.take(names) {
            if let index = Choices.index(of: given, in: choices) { return index }
            let known = choices.map { "\"\(VisibleText.line($0, longest: 100))\"" }.joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "\"\(VisibleText.line(given, longest: 100))\" is not a choice for \"\(label)\"; the choices are \(known)"
            )
        }
        guard TerminalPrompt.isAvailable else { throw missing(in: answers) }
        guard let index = try await TerminalPrompt.choose(label, from: choices, default: standard) else { throw ended }
        return index
    }

    /// Asks for yes or no.
    ///
    /// - Parameter isYesDefault: A Boolean value that indicates whether an empty line is the answer yes instead of no.
    /// - Returns: The answer; `nil` if the question is not required and was not answered.
    func confirmation(isYesDefault: Bool = false, _ answers: AnswerList) async throws -> Bool? {
        if let given = answers.take(names) {
            if let answer = YesOrNo.parse(given) { return answer }
            throw CommandFailure(.usage, "the answer to \"\(label)\" is not yes or no")
        }
        guard TerminalPrompt.isAvailable else {
            if isRequired { throw missing(in: answers) }
            return nil
        }
        guard let answer = try await TerminalPrompt.confirm(label, isYesDefault: isYesDefault) else { throw ended }
        return answer
    }

    /// The prompt on one line, without the colon that some servers add.
    private var label: String {
        let text = VisibleText.line(prompt, longest: 500).trimmingCharacters(in: .whitespaces)
        return text.hasSuffix(":") ? String(text.dropLast()) : text.isEmpty ? names.last ?? "" : text
    }

    private func missing(in answers: AnswerList) -> CommandFailure {
        if answers.hasAnswered(names) {
            return CommandFailure(
                .loginDenied,
                """
                the server asks again for "\(label)", so it probably did not accept the answer, and standard input is not a \
                terminal to ask for another one
                """
            )
        }
        let name = ShellText.quoted(names.last ?? "")
        let advice =
            isHidden
            ? "add the line \(name)=… to a file, and pass it with --answers" : "pass it with --answer \(name)=…"
        return CommandFailure(
            .usage,
            "there is no answer to \"\(label)\", and standard input is not a terminal to ask for it; \(advice)"
        )
    }

    private var ended: CommandFailure {
        CommandFailure(.usage, "standard input ended before the answer to \"\(label)\"")
    }
}
