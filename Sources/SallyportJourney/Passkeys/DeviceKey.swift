import Foundation
import SallyportJOSE
import SallyportTransport

/// The device and the app of a ``SoftwareAuthenticator``, as servers know them.
///
/// ```swift
/// let device = AuthenticatorDevice(name: "Alice's laptop", applicationID: "com.example.app", platform: "ios")
/// ```
public struct AuthenticatorDevice: Sendable, Hashable {
    /// The name that the user recognizes the device by.
    public var name: String
    /// The identifier of your app (`iss` in signed challenges). PingAM compares it with the identifiers that its administrator configured.
    public var applicationID: String
    /// The platform in signed challenges. PingAM knows `ios` and `android`.
    public var platform: String

    /// Creates a description of a device.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - applicationID: The identifier of your app.
    ///   - platform: The platform.
    public init(
        name: String = "Sallyport",
        applicationID: String = "sallyport",
        platform: String = "linux"
    ) {
        self.name = name
        self.applicationID = applicationID
        self.platform = platform
    }
}

/// A key of this device for one user of an identity server (ES256). Its description does not contain the key.
public struct DeviceKey: Sendable, Codable, Identifiable {
    /// The identifier of the key (`kid`).
    public let id: String
    /// The origin of the server that the key was created for.
    public let origin: String
    /// The identifier of the user at the server.
    public let userID: String
    /// The name of the user.
    public let userName: String
    /// The identifier of your app.
    public let applicationID: String
    /// The protection of the key.
    public let protection: DeviceKeyProtection
    /// The time at which the key was created.
    public let createdAt: Date

    private let key: SigningKey

    /// Creates a key for the user of a request.
    init(_ request: DeviceBindingRequest, of device: AuthenticatorDevice, at now: Date) throws(AuthenticatorError) {
        guard [request.userID, request.userName].allSatisfy({ (1...256).contains($0.utf8.count) }) else {
            throw AuthenticatorError(.invalidRequest, "the server's request has no user, or one with a very long name")
        }
        id = UUID().uuidString
        origin = request.origin
        userID = request.userID
        userName = request.userName
        applicationID = device.applicationID
        protection = request.protection
        createdAt = now
        do throws(JoseError) {
            key = try SigningKey.generate(.es256, keyID: id)
        } catch {
            throw AuthenticatorError(.unsupported, "a key cannot be created: \(error.description)")
        }
    }

    /// Returns the signed challenge of a request to bind the device, with the public key in its header (JWS).
    func bind(
        _ request: DeviceBindingRequest,
        as device: AuthenticatorDevice,
        at now: Date
    ) async throws(AuthenticatorError) -> String {
        let publicKey = key.publicJsonWebKey?.members ?? [:]
        return try await sign(
            request.challenge,
            ["platform": .string(device.platform)],
            header: ["typ": "JWS", "jwk": .object(publicKey)],
            within: request.timeout,
            at: now
        )
    }

    /// Returns the signed challenge of a request to sign (JWS).
    func sign(_ request: DeviceSigningRequest, at now: Date) async throws(AuthenticatorError) -> String {
        try await sign(request.challenge, [:], header: ["typ": "JWS"], within: request.timeout, at: now)
    }

    private func sign(
        _ challenge: String,
        _ further: [String: JsonValue],
        header: [String: JsonValue],
        within timeout: Duration,
        at now: Date
    ) async throws(AuthenticatorError) -> String {
        guard (1...1024).contains(challenge.utf8.count) else {
            throw AuthenticatorError(
                .invalidRequest,
                "the server's challenge has \(challenge.utf8.count) bytes, and must have 1 to 1,024"
            )
        }
        let time = Int64(now.timeIntervalSince1970)
        var claims = further
        claims["sub"] = .string(userID)
        claims["challenge"] = .string(challenge)
        claims["iss"] = .string(applicationID)
        claims["iat"] = .integer(time)
        claims["nbf"] = .integer(time)
        claims["exp"] = .integer(time + timeout.components.seconds)
        do throws(JoseError) {
            return try JsonWebSignature.sign(claims, header: header, with: key)
        } catch {
            throw AuthenticatorError(
                .store,
                "the device key cannot sign: \(error.description)",
                advice: "bind the device again"
            )
        }
    }
}

extension DeviceKey: CustomStringConvertible, CustomReflectable {
    /// The user and the app, safe to show on one line.
    public var description: String { VisibleText.line("\(userName) in \(applicationID)", longest: 300) }

    /// The same as ``description``, so that `dump` does not print the key either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}

extension DeviceKeyProtection: Codable {}

extension DeviceKeyPrompt {
    /// The texts in one line.
    var line: String { [title, subtitle, text].filter { !$0.isEmpty }.joined(separator: ", ") }
}
