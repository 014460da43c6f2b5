import Foundation
import Sallyport
import SallyportJourney

/// Answers the nodes of trees: with the answers of options, the authenticator of a profile, or by asking the user at the terminal.
///
/// | Callback | Names of its answer |
/// |---|---|
/// | all | the name of the input, such as `IDToken1`, and the prompt |
/// | a name, a password | `name`, `password` |
/// | a text, a choice, a button, a provider | `text`, `choice`, `confirmation`, `provider` |
/// | an attribute | its name, such as `mail` |
/// | a security question | `question` and `answer` |
/// | terms, a consent | `terms`, `consent` with yes or no |
/// | a passkey | `pin`, `passkey` with yes or no, `account` |
struct NodeDialog: Sendable {
    private let answers: AnswerList
    private let authenticator: TerminalAuthenticator
    private let name: ProfileName

    /// - Parameters:
    ///   - name: The profile. Its authenticator is used.
    ///   - answers: The answers of options.
    init(_ name: ProfileName, answers: AnswerList = AnswerList()) throws {
        self.answers = answers
        self.name = name
        authenticator = try TerminalAuthenticator(name, answers: answers)
    }

    /// The names of the answers of options that no node has used.
    var unusedAnswers: [String] { answers.unusedNames }

    /// Shows the texts of a node, and sets its answers.
    ///
    /// - Throws: ``CommandFailure`` if an answer is missing and there is no terminal to ask for it; ``JourneyError``.
    func answer(_ node: inout Node) async throws {
        for text in [node.header, node.descriptionText].compactMap(\.self) where !text.isEmpty {
            StandardError.print(text)
        }
        // Shown before the first question, because the user must answer all of them again.
        for case let callback as any ValidatedCallback in node.callbacks where !callback.failedPolicies.isEmpty {
            let problems = callback.failedPolicies.map(\.description).joined(separator: ", ")
            show("\(callback.prompt): \(problems)", .error)
        }
        let isPolling = node[PollingWaitCallback.self] != nil
        for index in node.callbacks.indices {
            node.callbacks[index] = try await answered(node.callbacks[index], isPolling: isPolling)
        }
        try await authenticator.answer(&node)
        if let callback = node[DeviceProfileCallback.self] {
            if !callback.message.isEmpty { StandardError.print(callback.message) }
            let device = try await ProfileFolder().device(of: name)
            try await node.answerDeviceProfile(with: SystemDeviceProfile(identifier: device.identifier))
        }
    }

    /// Returns a callback with its answer.
    ///
    /// - Parameter isPolling: `true` if the node waits. The user need not select a button then.
    private func answered(_ callback: any Callback, isPolling: Bool) async throws -> any Callback {
        switch callback {
        case let callback as TextOutputCallback: show(callback.message, callback.messageType)
        case let callback as SuspendedTextOutputCallback: show(callback.message, callback.messageType)
        case var callback as NameCallback:
            callback.name = try await question(callback, callback.prompt, "name").text(answers)
            return callback
        case var callback as PasswordCallback:
            callback.password = try await question(callback, callback.prompt, "password", isHidden: true).text(answers)
            return callback
        case var callback as TextInputCallback:
            var question = question(callback, callback.prompt, "text")
            question.standard = callback.defaultText
            question.isRequired = false
            callback.text = try await question.text(answers)
            return callback
        case var callback as ChoiceCallback:
            let question = question(callback, callback.prompt, "choice")
            try callback.select(
                try await question.choice(from: callback.choices, default: callback.defaultIndex, answers)
            )
            return callback
        case let callback as ConfirmationCallback: return try await confirmed(callback, isPolling: isPolling)
        case var callback as SelectIdPCallback:
            let names = callback.providers.map(\.name)
            let question = question(callback, "Sign in with", "provider")
            try callback.select(names[try await question.choice(from: names, answers)])
            return callback
        case var callback as TermsAndConditionsCallback:
            StandardError.print(callback.terms)
            let prompt = "Do you accept these terms (version \(callback.version))?"
            callback.isAccepted = try await question(callback, prompt, "terms").confirmation(answers) ?? false
            return callback
        case var callback as ConsentMappingCallback:
            StandardError.print(callback.message)
            if !callback.fields.isEmpty { StandardError.print("Fields: " + callback.fields.joined(separator: ", ")) }
            let prompt = "Do you share these data with \(callback.displayName)?"
            callback.isGranted = try await question(callback, prompt, "consent").confirmation(answers) ?? false
            return callback
        case let callback as KbaCreateCallback: return try await securityQuestion(callback)
        case let callback as any ValidatedCallback: return try await validated(callback)
        case let callback as HiddenValueCallback:
            if callback.id == "mfaDeviceRegistration" { RegistrationCode.show(callback.initialValue, for: name) }
            return try withInputs(callback, names: callback.id)
        case is MetadataCallback, is PollingWaitCallback, is WebAuthnRegistrationCallback, is DeviceProfileCallback,
            is WebAuthnAuthenticationCallback, is DeviceBindingCallback, is DeviceSigningVerifierCallback:
            break
        default: return try await otherInputs(callback)
        }
        return callback
    }

    private func confirmed(_ callback: ConfirmationCallback, isPolling: Bool) async throws -> any Callback {
        var callback = callback
        let question = question(callback, callback.prompt.isEmpty ? "Continue with" : callback.prompt, "confirmation")
        if isPolling {
            // The button ends the wait, so that only an option can select it.
            guard let given = answers.take(question.names) else { return callback }
            try callback.select(given)
        } else if callback.options.count == 1, !TerminalPrompt.isAvailable {
            _ = answers.take(question.names)
            try callback.select(0)
        } else {
            let standard = callback.options.count == 1 ? 0 : callback.defaultIndex
            try callback.select(try await question.choice(from: callback.options, default: standard, answers))
        }
        return callback
    }

    private func securityQuestion(_ callback: KbaCreateCallback) async throws -> any Callback {
        var callback = callback
        let suggestions = callback.predefinedQuestions
        if TerminalPrompt.isAvailable, !suggestions.isEmpty {
            show(callback.prompt, nil)
            for (index, suggestion) in suggestions.enumerated() {
                StandardError.print("  \(index + 1)  \(VisibleText.line(suggestion))")
            }
        }
        let prompt = suggestions.isEmpty ? callback.prompt : "Number of a question, or your own question"
        let text = try await Question(prompt: prompt, names: ["question"]).text(answers) ?? ""
        callback.question = Choices.index(of: text, in: suggestions).map { suggestions[$0] } ?? text
        let shown = callback.question ?? ""
        callback.answer = try await Question(prompt: "Answer to \(shown)", names: [shown, "answer"]).text(answers)
        return callback
    }

    // MARK: Attributes with policies

    /// Asks for a value until it complies with the policies that can be checked here. Without a terminal, a violation is an error.
    private func validated(_ callback: any ValidatedCallback) async throws -> any Callback {
        while true {
            do {
                return try await withValue(callback)
            } catch let error as JourneyError {
                guard TerminalPrompt.isAvailable else { throw error }
                show(error.failure.reason, .error)
            }
        }
    }

    private func withValue(_ callback: any ValidatedCallback) async throws -> any Callback {
        switch callback {
        case var callback as StringAttributeInputCallback:
            var question = question(callback, callback.prompt, callback.name)
            // The server sends the value of the account as an output, and not always as the value of the input.
            question.standard = callback.value.isEmpty ? callback.raw.output("value")?.string ?? "" : callback.value
            question.isRequired = callback.isRequired
            let text = try await question.text(answers) ?? question.standard
            if text != callback.value { try callback.setValue(text) }
            return callback
        case var callback as NumberAttributeInputCallback:
            var question = question(callback, callback.prompt, callback.name)
            question.standard =
                callback.value.map { value in Int64(exactly: value).map { "\($0)" } ?? "\(value)" } ?? ""
            question.isRequired = callback.isRequired
            guard let text = try await question.text(answers) else { return callback }
            guard let value = Double(text) else {
                throw JourneyError.invalidAnswer(NetworkFailure("the attribute \(callback.name) is not a number"))
            }
            try callback.setValue(value)
            return callback
        case var callback as BooleanAttributeInputCallback:
            var question = question(callback, callback.prompt, callback.name)
            question.isRequired = callback.isRequired
            if let value = try await question.confirmation(isYesDefault: callback.value, answers) {
                callback.value = value
            }
            return callback
        case var callback as ValidatedCreateUsernameCallback:
            var question = question(callback, callback.prompt, "name")
            question.standard = callback.username
            if let text = try await question.text(answers) { try callback.setUsername(text) }
            return callback
        case var callback as ValidatedCreatePasswordCallback:
            let question = question(callback, callback.prompt, "password", isHidden: !callback.isEchoOn)
            if let text = try await question.text(answers) { try callback.setPassword(text) }
            return callback
        default: return try await otherInputs(callback)
        }
    }

    // MARK: Other callbacks

    /// Returns a callback with the answers for its inputs that options give by name.
    private func withInputs(_ callback: any Callback, names: String...) throws -> any Callback {
        var callback = callback
        for input in callback.raw.inputNames {
            guard let text = answers.take([input] + names) else { continue }
            try callback.raw.setInput(input, fromText: text)
        }
        return callback
    }

    /// Asks for the inputs of a callback by their names: of an unknown type, or one that needs a browser or another SDK.
    private func otherInputs(_ callback: any Callback) async throws -> any Callback {
        var callback = callback
        for input in callback.raw.inputNames {
            var question = Question(prompt: "\(input) (\(callback))", names: [input])
            question.standard = callback.raw.input(input)?.string ?? callback.raw.input(input)?.text ?? ""
            question.isRequired = callback.missingAnswer != nil && callback.raw.inputNames.count == 1
            if let text = try await question.text(answers) { try callback.raw.setInput(input, fromText: text) }
        }
        guard let missing = callback.missingAnswer else { return callback }
        let input = callback.raw.inputNames.first ?? "IDToken1"
        throw CommandFailure(.usage, "\(missing) is missing (\(callback)); pass it with --answer \(input)=…")
    }

    // MARK: Texts

    private func question(_ callback: any Callback, _ prompt: String, _ kind: String, isHidden: Bool = false)
        -> Question
    {
        Question(prompt: prompt, names: callback.raw.inputNames.prefix(1) + [prompt, kind], isHidden: isHidden)
    }

    private func show(_ text: String, _ type: MessageType?) {
        switch type {
        case .script: break
        case .warning: StandardError.print("Warning: \(text)")
        case .error: StandardError.print("Error: \(text)")
        case .information, nil: if !text.isEmpty { StandardError.print(text) }
        }
    }
}

extension RawCallback {
    /// Sets an input that the server sent as a text to a text, and any other input to the JSON value in it.
    fileprivate mutating func setInput(_ name: String, fromText text: String) throws(JourneyError) {
        if input(name)?.string == nil, let value = try? JsonDocument(text) {
            try setInput(name, to: value)
        } else {
            try setInput(name, to: text)
        }
    }
}
