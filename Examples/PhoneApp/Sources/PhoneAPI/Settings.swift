/// The servers of the app, for example from its `Info.plist`.
public struct Settings: Sendable {
    /// The issuer identifier of the identity server.
    public var issuer: String
    /// The client identifier of the app at the identity server.
    public var clientID: String
    /// The base URL of the API.
    public var api: String
    /// The language of the user, such as `en`.
    public var language: String

    /// Creates settings.
    public init(issuer: String, clientID: String, api: String, language: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.api = api
        self.language = language
    }
}
