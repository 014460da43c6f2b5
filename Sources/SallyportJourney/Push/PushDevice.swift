import SallyportTransport

/// The device that receives push messages, as it is registered at the server.
///
/// Its description does not contain the token.
///
/// ```swift
/// let device = PushDevice(token: token, name: "Alice's laptop", type: "ios", communicationType: "apns")
/// ```
public struct PushDevice: Sendable, Hashable {
    /// The token of the notification service for this app on this device (`deviceId`).
    public var token: String
    /// The name that the user recognizes the device by (`deviceName`).
    public var name: String
    /// The type of the device (`deviceType`). PingAM knows `ios` and `android`.
    public var type: String
    /// The notification service (`communicationType`). PingAM knows `apns` and `gcm`.
    public var communicationType: String

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - token: The token of the notification service, of at most 2,048 bytes.
    ///   - name: The name of the device, of at most 256 bytes.
    ///   - type: The type of the device.
    ///   - communicationType: The notification service.
    public init(token: String, name: String, type: String, communicationType: String) {
        self.token = token
        self.name = name
        self.type = type
        self.communicationType = communicationType
    }
}

extension PushDevice {
    /// The claims that register the device.
    var claims: [String: JsonValue] {
        [
            "deviceId": .string(token), "deviceName": .string(name), "deviceType": .string(type),
            "communicationType": .string(communicationType),
        ]
    }

    /// Checks the lengths of the values.
    func check() throws(MechanismError) {
        for (label, value, maximum) in [
            ("deviceId", token, 2048), ("deviceName", name, 256), ("deviceType", type, 64),
            ("communicationType", communicationType, 64),
        ] {
            guard (1...maximum).contains(value.utf8.count) else {
                throw MechanismError(
                    .invalidParameter(label),
                    "the \(label) of the device has \(value.utf8.count) bytes",
                    advice: "use 1 to \(maximum) bytes"
                )
            }
        }
    }
}

extension PushDevice: CustomStringConvertible, CustomReflectable {
    /// The name and type of the device, without the token.
    public var description: String { VisibleText.line("\(name) (\(type), \(communicationType))", longest: 300) }

    /// The same as ``description``, so that `dump` does not print the token either.
    public var customMirror: Mirror { Mirror(self, children: ["device": description], displayStyle: .struct) }
}
