import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportTransport

/// The settings of a ``DeviceIdentity``: the server, the app, and what the device registers for.
///
/// ```swift
/// var configuration = DeviceIdentityConfiguration(
///     issuer: "https://id.example.com",
///     appIdentifier: "com.example.app",
///     appPlatform: "ios",
///     appVersion: "2.1.0"
/// )
/// configuration.softwareStatement = statement
/// configuration.redirectURI = "com.example.app:/callback"
/// ```
public struct DeviceIdentityConfiguration: Sendable {
    /// The issuer identifier of the server that registers devices and issues tokens.
    public var issuer: String
    /// The identifier of your app, such as `com.example.app` (`software_id`).
    public var appIdentifier: String
    /// The platform of your app, such as `ios` (`app_platform`).
    public var appPlatform: String
    /// The version of your app, such as `2.1.0` (`software_version`). An installation registers again when its version changes.
    ///
    /// Programs that share the stores, such as an app and its extension, must have the same version. Otherwise each one registers the
    /// device again when it authenticates after the other.
    public var appVersion: String
    /// The signed statement of the server's operator about this app version (RFC 7591, section 2.3). It is not secret.
    public var softwareStatement: String?
    /// The redirect URI at which the app receives authorization responses; `nil` if users do not sign in on this device.
    public var redirectURI: String?
    /// The metadata of a server that does not publish it.
    public var metadata: ServerMetadata?
    /// The provider of the device's key. By default the Secure Enclave on devices that have one, and otherwise a key in the store.
    public var keys: any DeviceKeyProvider = StandardDeviceKeys.provider
    /// The maximum duration of a registration, including the wait for another process that registers this device.
    public var registrationLimit = Duration.seconds(45)

    /// The time source; tests replace it.
    package var clock = TimeSource.system

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the server.
    ///   - appIdentifier: The identifier of your app.
    ///   - appPlatform: The platform of your app.
    ///   - appVersion: The version of your app.
    public init(issuer: String, appIdentifier: String, appPlatform: String, appVersion: String) {
        self.issuer = issuer
        self.appIdentifier = appIdentifier
        self.appPlatform = appPlatform
        self.appVersion = appVersion
    }
}

extension DeviceIdentityConfiguration {
    /// The identity under which sessions know this device. It does not change when the device registers again.
    var sessionIdentity: OAuthClientIdentity { OAuthClientIdentity(issuer: issuer, clientID: appIdentifier) }

    /// The owner of the device's record.
    var owner: DeviceIdentityRecord.Owner {
        DeviceIdentityRecord.Owner(issuer: issuer, appIdentifier: appIdentifier)
    }

    /// Returns the client metadata of a registration (RFC 7591, section 2).
    ///
    /// - Parameter key: The public key of the device.
    func registrationMembers(for key: JsonWebKey) -> [String: JsonValue] {
        var grants: [JsonValue] = ["client_credentials"]
        if redirectURI != nil {
            grants += ["authorization_code", "refresh_token", .string(ImplicitGrant.grantType)]
        }
        var members: [String: JsonValue] = [
            "software_id": .string(appIdentifier),
            "software_version": .string(appVersion),
            "app_platform": .string(appPlatform),
            "token_endpoint_auth_method": "private_key_jwt",
            "grant_types": .array(grants),
            "jwks": ["keys": [.object(key.members)]],
        ]
        members["software_statement"] = softwareStatement.map(JsonValue.string)
        members["redirect_uris"] = redirectURI.map { [.string($0)] }
        return members
    }
}

/// The grant for the token of a registered user that requires no interaction.
enum ImplicitGrant {
    /// The grant type; see `Docs/resource-server.md`.
    static let grantType = "urn:sallyport:params:oauth:grant-type:implicit-authentication"
}

/// The action types of device identities.
extension ActionType {
    /// A request for the token of a user who is registered on the device, which requires no interaction.
    public static let implicitAuthenticate: Self = "IMPLICIT_AUTHENTICATE"
    /// A request to deregister a user from the device.
    public static let deregisterUser: Self = "DEREGISTER_USER"
}
