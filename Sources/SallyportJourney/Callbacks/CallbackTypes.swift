/// The types of callbacks by their names, to which an app can add its own.
///
/// ```swift
/// var types = CallbackTypes()
/// types.register(BadgeCallback.self, for: "BadgeCallback")
/// let journey = Journey(settings, callbackTypes: types)
/// ```
public struct CallbackTypes: Sendable {
    /// The types for a name, in the order they are tried.
    private var types: [String: [any Callback.Type]] = [
        "AppIntegrityCallback": [AppIntegrityCallback.self],
        "BooleanAttributeInputCallback": [BooleanAttributeInputCallback.self],
        "ChoiceCallback": [ChoiceCallback.self],
        "ConfirmationCallback": [ConfirmationCallback.self],
        "ConsentMappingCallback": [ConsentMappingCallback.self],
        "DeviceBindingCallback": [DeviceBindingCallback.self],
        "DeviceProfileCallback": [DeviceProfileCallback.self],
        "DeviceSigningVerifierCallback": [DeviceSigningVerifierCallback.self],
        "HiddenValueCallback": [HiddenValueCallback.self],
        "IdPCallback": [IdPCallback.self],
        "KbaCreateCallback": [KbaCreateCallback.self],
        "MetadataCallback": [
            WebAuthnRegistrationCallback.self, WebAuthnAuthenticationCallback.self, MetadataCallback.self,
        ],
        "NameCallback": [NameCallback.self],
        "NumberAttributeInputCallback": [NumberAttributeInputCallback.self],
        "PasswordCallback": [PasswordCallback.self],
        "PollingWaitCallback": [PollingWaitCallback.self],
        "ReCaptchaCallback": [ReCaptchaCallback.self],
        "SelectIdPCallback": [SelectIdPCallback.self],
        "StringAttributeInputCallback": [StringAttributeInputCallback.self],
        "SuspendedTextOutputCallback": [SuspendedTextOutputCallback.self],
        "TermsAndConditionsCallback": [TermsAndConditionsCallback.self],
        "TextInputCallback": [TextInputCallback.self],
        "TextOutputCallback": [TextOutputCallback.self],
        "ValidatedCreatePasswordCallback": [ValidatedCreatePasswordCallback.self],
        "ValidatedCreateUsernameCallback": [ValidatedCreateUsernameCallback.self],
    ]

    /// Creates a list with the types of this module.
    public init() {}

    /// Adds a type. It is tried before the types that were registered earlier for the same name.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: The name that the server sends as the type of the callback.
    public mutating func register(_ type: any Callback.Type, for name: String) {
        types[name, default: []].insert(type, at: 0)
    }

    /// Returns a callback with its type; the same callback if its type is unknown or it does not have the form of the type.
    func typed(_ raw: RawCallback) -> any Callback {
        for type in types[raw.type] ?? [] {
            if let callback = type.init(raw) { return callback }
        }
        return raw
    }
}
