import Sallyport
import SallyportOAuth

/// A callback with an answer that must comply with policies of the server.
///
/// Policies that can be checked in advance are checked when an answer is set. The server checks all of them, and sends the node again
/// with ``failedPolicies``.
///
/// ```swift
/// do {
///     try node.update(StringAttributeInputCallback.self, where: { $0.name == "mail" }) { try $0.setValue(text) }
/// } catch JourneyError.policyViolation(let violations, _) {
///     show(violations.map(\.description))  // "must have at least 8 characters"
/// }
/// ```
public protocol ValidatedCallback: Callback {}

extension ValidatedCallback {
    /// The text to show with the field.
    public var prompt: String { raw.text("prompt") }

    /// A Boolean value that indicates whether an answer is required.
    public var isRequired: Bool { raw.flag("required") }

    /// The policies that the previous answer violated, according to the server.
    public var failedPolicies: [PolicyViolation] { PolicyViolation.all(in: raw.document("failedPolicies")) }

    /// A Boolean value that indicates whether the server only checks the answer and sends the node again.
    public var validateOnly: Bool {
        get { raw.answer(for: "validateOnly")?.bool ?? false }
        set { raw.answer(.bool(newValue), for: "validateOnly") }
    }

    fileprivate var policies: Policies { Policies(raw.document("policies")) }

    /// Sets the text of the main input, after checking the policies.
    fileprivate mutating func set(_ text: String, of subject: String) throws(JourneyError) {
        try check(policies.violations(by: text), of: subject)
        raw.answer(.string(text))
    }

    fileprivate func check(_ violations: [PolicyViolation], of subject: String) throws(JourneyError) {
        if violations.isEmpty { return }
        let problems = violations.map(\.description).joined(separator: ", ")
        throw .policyViolation(violations, NetworkFailure("\(subject) \(problems)", advice: "set another value"))
    }
}

/// A question for an attribute of the user that is a text.
public struct StringAttributeInputCallback: ValidatedCallback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The name of the attribute, such as `mail`.
    public var name: String { raw.text("name") }

    /// The value: the answer, or else the value that the server sent.
    public var value: String { raw.currentText }

    /// Sets the value.
    ///
    /// - Throws: ``JourneyError/policyViolation(_:_:)``.
    public mutating func setValue(_ value: String) throws(JourneyError) {
        try set(value, of: "the attribute \(SanitizedText.make(from: name))")
    }

    /// The attribute, if it is required and empty.
    public var missingAnswer: String? { isRequired && value.isEmpty ? "the attribute \(name)" : nil }
}

/// A question for an attribute of the user that is a number.
public struct NumberAttributeInputCallback: ValidatedCallback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The name of the attribute, such as `age`.
    public var name: String { raw.text("name") }

    /// The value: the answer, or else the value that the server sent; `nil` if there is none.
    public var value: Double? { raw.answer()?.number ?? Double(raw.text("value")) }

    /// Sets the value.
    ///
    /// - Throws: ``JourneyError/invalidAnswer(_:)`` if it is infinite or not a number, ``JourneyError/policyViolation(_:_:)``.
    public mutating func setValue(_ value: Double) throws(JourneyError) {
        guard value.isFinite else { throw raw.invalidAnswer("the value is not a finite number") }
        try check(policies.violations(by: value), of: "the attribute \(SanitizedText.make(from: name))")
        raw.answer(Int64(exactly: value).map { .integer($0) } ?? .number(value))
    }

    /// The attribute, if it is required and has no value.
    public var missingAnswer: String? { isRequired && value == nil ? "the attribute \(name)" : nil }
}

/// A question for an attribute of the user that is true or false.
public struct BooleanAttributeInputCallback: ValidatedCallback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The name of the attribute, such as `preferences/marketing`.
    public var name: String { raw.text("name") }

    /// The value: the answer, or else the value that the server sent.
    public var value: Bool {
        get { raw.answer()?.bool ?? raw.flag("value") }
        set { raw.answer(.bool(newValue)) }
    }
}

/// A question for the user name of a new account.
public struct ValidatedCreateUsernameCallback: ValidatedCallback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The user name: the answer, or else the name that the server sent.
    public var username: String { raw.currentText }

    /// Sets the user name.
    ///
    /// - Throws: ``JourneyError/policyViolation(_:_:)``.
    public mutating func setUsername(_ username: String) throws(JourneyError) { try set(username, of: "the user name") }

    /// The user name, if it is empty.
    public var missingAnswer: String? { username.isEmpty ? "the user name" : nil }
}

/// A question for the password of a new account.
public struct ValidatedCreatePasswordCallback: ValidatedCallback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// A Boolean value that indicates whether the password may be shown while the user enters it.
    public var isEchoOn: Bool { raw.flag("echoOn") }

    /// The answer.
    public var password: String? { raw.answer()?.string }

    /// Sets the password.
    ///
    /// - Throws: ``JourneyError/policyViolation(_:_:)``.
    public mutating func setPassword(_ password: String) throws(JourneyError) { try set(password, of: "the password") }

    /// The password, until it has been set.
    public var missingAnswer: String? { password?.isEmpty ?? true ? "the password" : nil }
}
