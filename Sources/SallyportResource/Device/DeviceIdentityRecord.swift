import Foundation
import SallyportOAuth
import SallyportStorage

/// The stored identity of a device: its key, its registration and the users who are registered on it.
///
/// It contains the private key, unless hardware keeps it, and the registration access token. Its description contains neither.
public struct DeviceIdentityRecord: Sendable, Codable {
    /// The server and the app that an identity belongs to.
    public struct Owner: Sendable, Hashable, Codable {
        /// The issuer identifier of the server.
        public let issuer: String
        /// The app identifier.
        public let appIdentifier: String
    }

    /// A registration that the server has confirmed.
    struct Registration: Sendable, Codable {
        /// The response of the server.
        var client: RegisteredClient
        /// The app version at the registration.
        var appVersion: String
        /// The time of the response.
        var date: Date
    }

    /// The server and the app that the identity belongs to.
    public let owner: Owner
    /// The name of the provider of the key.
    let keyProvider: String
    /// The stored form of the key.
    let key: Data
    /// The registration; `nil` before the server has confirmed it.
    var registration: Registration?
    /// The subject identifiers of the registered users, in the order of their registration.
    var users: [String] = []

    /// Creates the identity of a device that is not registered.
    init(owner: Owner, keyProvider: String, key: Data) {
        self.owner = owner
        self.keyProvider = keyProvider
        self.key = key
    }
}

extension DeviceIdentityRecord: StoredRecord {
    /// The format of stored identities.
    public static let format = RecordFormat(
        name: "sallyport-device-identity",
        version: 1,
        noun: "device identity",
        recovery: "register the device again"
    )
}

extension DeviceIdentityRecord: CustomStringConvertible, CustomReflectable {
    /// The app, the server and the client identifier.
    public var description: String {
        "\(owner.appIdentifier) at \(owner.issuer), " + (registration.map { "\($0.client)" } ?? "not registered")
    }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}

/// The registration of a device at a server. It contains no secret.
public struct DeviceRegistration: Sendable, Equatable {
    /// The client identifier that the server has assigned.
    public let clientID: String
    /// The thumbprint of the device's key (RFC 7638).
    public let keyThumbprint: String
    /// The provider of the key, such as `software`.
    public let keyProvider: String
    /// The app version at the registration.
    public let appVersion: String
    /// The time at which the server confirmed the registration.
    public let date: Date
    /// The subject identifiers of the users who have registered on this device.
    public let users: [String]
}
