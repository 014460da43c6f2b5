import Sallyport

/// Terms that the user accepts or declines.
public struct TermsAndConditionsCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The version of the terms.
    public var version: String { raw.text("version") }

    /// The text of the terms.
    public var terms: String { raw.text("terms") }

    /// The date at which the terms were written, as a text of the server.
    public var createDate: String { raw.text("createDate") }

    /// A Boolean value that indicates whether the user accepts the terms; `false` until it is set.
    public var isAccepted: Bool {
        get { raw.answer()?.bool ?? false }
        set { raw.answer(.bool(newValue)) }
    }
}

/// A request for the consent to share the user's data with another system.
public struct ConsentMappingCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    /// The name of the other system at the server.
    public var name: String { raw.text("name") }

    /// The name of the other system for the user.
    public var displayName: String { raw.text("displayName") }

    /// The URL or name of an icon.
    public var icon: String { raw.text("icon") }

    /// The extent of the access.
    public var accessLevel: String { raw.text("accessLevel") }

    /// The names of the fields that are shared.
    public var fields: [String] { raw.texts("fields") }

    /// The text to show to the user.
    public var message: String { raw.text("message") }

    /// A Boolean value that indicates whether the tree continues only with the consent.
    public var isRequired: Bool { raw.flag("isRequired") }

    /// A Boolean value that indicates whether the user consents; `false` until it is set.
    public var isGranted: Bool {
        get { raw.answer()?.bool ?? false }
        set { raw.answer(.bool(newValue)) }
    }
}
