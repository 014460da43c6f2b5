import Sallyport

/// A question for a name, such as the user name.
public struct NameCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The text to show with the field.
    public var prompt: String { raw.text("prompt") }

    /// The answer.
    public var name: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }

    /// The name, until it has been set.
    public var missingAnswer: String? { name?.isEmpty ?? true ? "the name" : nil }
}

/// A question for a password, which must not be shown.
public struct PasswordCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The text to show with the field.
    public var prompt: String { raw.text("prompt") }

    /// The answer.
    public var password: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }

    /// The password, until it has been set.
    public var missingAnswer: String? { password?.isEmpty ?? true ? "the password" : nil }
}

/// A question for a text.
public struct TextInputCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The text to show with the field.
    public var prompt: String { raw.text("prompt") }

    /// The text that the field initially contains.
    public var defaultText: String { raw.text("defaultText") }

    /// The answer. Without one, the input is sent as it was received.
    public var text: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }
}

/// A value that is not shown to the user, and that the app or a script may set.
public struct HiddenValueCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The identifier of the value, such as `webAuthnOutcome`.
    public var id: String { raw.text("id") }

    /// The value that the server sent. It may be a secret, such as the URI that registers a device for push.
    public var initialValue: String { raw.text("value") }

    /// The answer. Without one, the input is sent as it was received.
    public var value: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }

    /// The response of an authenticator, if the node asks for a passkey and the response has not been set.
    public var missingAnswer: String? {
        id == WebAuthnData.outcomeID && value == nil ? "the response of an authenticator" : nil
    }
}

/// A test that the user is a person, by a service such as reCAPTCHA.
public struct ReCaptchaCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The key of the site at the service.
    public var siteKey: String { raw.text("recaptchaSiteKey") }

    /// The answer: the token that the service has returned.
    public var token: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }

    /// The token, until it has been set.
    public var missingAnswer: String? { token?.isEmpty ?? true ? "the token of the captcha" : nil }
}

/// The creation of a question, and its answer, by which the user can be recognized later (knowledge-based authentication).
public struct KbaCreateCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no inputs for a question and an answer.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput("question"), raw.hasInput("answer") else { return nil }
        self.raw = raw
    }

    /// The text to show with the fields.
    public var prompt: String { raw.text("prompt") }

    /// The questions that the server suggests. The user may also write one.
    public var predefinedQuestions: [String] { raw.texts("predefinedQuestions") }

    /// The question.
    public var question: String? {
        get { raw.answer(for: "question")?.string }
        set { raw.answer(newValue.map { .string($0) }, for: "question") }
    }

    /// The user's answer to the question.
    public var answer: String? {
        get { raw.answer(for: "answer")?.string }
        set { raw.answer(newValue.map { .string($0) }, for: "answer") }
    }

    /// The question or its answer, until both have been set.
    public var missingAnswer: String? {
        if question?.isEmpty ?? true { return "the security question" }
        return answer?.isEmpty ?? true ? "the answer to the security question" : nil
    }
}
