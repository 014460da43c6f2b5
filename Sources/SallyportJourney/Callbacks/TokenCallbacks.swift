import Sallyport

/// A request for a token of another identity provider, which the app obtains with the provider's SDK.
public struct IdPCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no input for a token.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput("token") else { return nil }
        self.raw = raw
    }

    /// The name of the provider.
    public var provider: String { raw.text("provider") }
    /// The client identifier at the provider.
    public var clientID: String { raw.text("clientId") }
    /// The redirect URI at the provider.
    public var redirectURI: String { raw.text("redirectUri") }
    /// The scopes to request.
    public var scopes: [String] { raw.texts("scopes") }
    /// The nonce for the id_token.
    public var nonce: String { raw.text("nonce") }
    /// The requested authentication context class references.
    public var acrValues: [String] { raw.texts("acrValues") }

    /// Sets the token.
    ///
    /// - Parameters:
    ///   - token: The token of the provider.
    ///   - type: The kind of the token: `id_token`, `access_token` or `authorization_code`.
    public mutating func setToken(_ token: String, type: String) {
        raw.answer(.string(token), for: "token")
        raw.answer(.string(type), for: "token_type")
    }

    /// The token, until it has been set.
    public var missingAnswer: String? { raw.answer(for: "token") == nil ? "a token of the identity provider" : nil }
}

/// A request for proof that the app is genuine, which the app obtains from its platform.
public struct AppIntegrityCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no inputs for a token and an error.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput("token"), raw.hasInput("clientError") else { return nil }
        self.raw = raw
    }

    /// The kind of the request.
    public var requestType: String { raw.text("requestType") }
    /// The number of the project at the platform.
    public var projectNumber: String { raw.text("projectNumber") }
    /// The value that the proof must contain.
    public var nonce: String { raw.text("nonce") }

    /// The answer: the token of the platform.
    public var token: String? {
        get { raw.answer(for: "token")?.string }
        set { raw.answer(newValue.map { .string($0) }, for: "token") }
    }

    /// The answer if there is no token: the reason, such as `Unsupported`.
    public var clientError: String? {
        get { raw.answer(for: "clientError")?.string }
        set { raw.answer(newValue.map { .string($0) }, for: "clientError") }
    }

    /// The token or the reason, until one of them has been set.
    public var missingAnswer: String? { token == nil && clientError == nil ? "the proof of the app's integrity" : nil }
}
