import Sallyport

/// A choice from a list.
///
/// ```swift
/// try node[ChoiceCallback.self]?.select("Email")
/// ```
public struct ChoiceCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input or no choices.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput(), !raw.texts("choices").isEmpty else { return nil }
        self.raw = raw
    }

    /// The text to show with the choices.
    public var prompt: String { raw.text("prompt") }

    /// The choices.
    public var choices: [String] { raw.texts("choices") }

    /// The index of the choice that is initially selected, and that is sent if the app selects none.
    public var defaultIndex: Int {
        raw.integer("defaultChoice").flatMap { choices.indices.contains($0) ? $0 : nil } ?? 0
    }

    /// The index of the selected choice.
    public var selectedIndex: Int? { raw.answer()?.integer.flatMap { Int(exactly: $0) } }

    /// Selects a choice.
    ///
    /// - Parameter index: The index in ``choices``.
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such choice.
    public mutating func select(_ index: Int) throws(JourneyError) {
        guard choices.indices.contains(index) else {
            throw raw.invalidAnswer(
                "there is no choice \(index)",
                advice: "use an index from 0 to \(choices.count - 1)"
            )
        }
        raw.answer(.integer(Int64(index)))
    }

    /// Selects a choice by its text.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such choice.
    public mutating func select(_ choice: String) throws(JourneyError) {
        guard let index = choices.firstIndex(of: choice) else {
            throw raw.invalidAnswer("it has no such choice", advice: "use one of its choices")
        }
        try select(index)
    }
}

/// A choice between buttons, such as Yes and No.
///
/// An app may also show the options of a node with a ``PollingWaitCallback``; in this case the choice is not required.
public struct ConfirmationCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input or no options.
    public init?(_ raw: RawCallback) {
        self.raw = raw
        if !raw.hasInput() || options.isEmpty { return nil }
    }

    /// The text to show with the options.
    public var prompt: String { raw.text("prompt") }

    /// The kind of the message, if the server sent one.
    public var messageType: MessageType? { MessageType(raw.text("messageType")) }

    /// The options.
    public var options: [String] { choices.map(\.title) }

    /// The index of the default option in ``options``, if there is one.
    public var defaultIndex: Int? {
        let value = raw.integer("defaultOption")
        return choices.firstIndex { $0.value == value }
    }

    /// The index of the selected option in ``options``.
    public var selectedIndex: Int? {
        let value = raw.answer()?.integer.flatMap { Int(exactly: $0) }
        return choices.firstIndex { $0.value == value }
    }

    /// Selects an option.
    ///
    /// - Parameter index: The index in ``options``.
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such option.
    public mutating func select(_ index: Int) throws(JourneyError) {
        guard choices.indices.contains(index) else {
            throw raw.invalidAnswer(
                "there is no option \(index)",
                advice: "use an index from 0 to \(choices.count - 1)"
            )
        }
        raw.answer(.integer(Int64(choices[index].value)))
    }

    /// Selects an option by its text.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such option.
    public mutating func select(_ option: String) throws(JourneyError) {
        guard let index = options.firstIndex(of: option) else {
            throw raw.invalidAnswer("it has no such option", advice: "use one of its options")
        }
        try select(index)
    }

    /// An option, until one has been selected.
    public var missingAnswer: String? { selectedIndex == nil ? "one of the options" : nil }

    /// The options and the values that are sent for them: their index, or the value of a standard button of Java's
    /// `ConfirmationCallback`.
    private var choices: [(title: String, value: Int)] {
        let options = raw.texts("options")
        if !options.isEmpty { return options.enumerated().map { ($0.element, $0.offset) } }
        return switch raw.integer("optionType") {
        case 0: [("Yes", 0), ("No", 1)]
        case 1: [("Yes", 0), ("No", 1), ("Cancel", 2)]
        case 2: [("OK", 3), ("Cancel", 2)]
        default: []
        }
    }
}

/// A choice between identity providers, such as a social network.
public struct SelectIdPCallback: Callback {
    /// An identity provider.
    public struct Provider: Sendable, Hashable {
        /// The name that is sent as the answer. The provider `localAuthentication` is the server itself.
        public let name: String
        /// The appearance of the provider's button, as JSON.
        public let appearance: JsonDocument?
    }

    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input or no providers.
    public init?(_ raw: RawCallback) {
        self.raw = raw
        if !raw.hasInput() || providers.isEmpty { return nil }
    }

    /// The providers.
    public var providers: [Provider] {
        (raw.output("providers")?.elements ?? []).compactMap { provider in
            provider["provider"]?.string.map { Provider(name: $0, appearance: provider["uiConfig"]) }
        }
    }

    /// The name of the selected provider.
    public var selectedProvider: String? { raw.answer()?.string }

    /// Selects a provider by its name.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if there is no such provider.
    public mutating func select(_ name: String) throws(JourneyError) {
        guard providers.contains(where: { $0.name == name }) else {
            throw raw.invalidAnswer("it has no such identity provider", advice: "use one of its providers")
        }
        raw.answer(.string(name))
    }

    /// A provider, until one has been selected.
    public var missingAnswer: String? { selectedProvider == nil ? "an identity provider" : nil }
}
