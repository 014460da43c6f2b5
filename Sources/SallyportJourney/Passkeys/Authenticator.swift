import Foundation
import Sallyport

/// A type that creates passkeys and signs with them (Web Authentication), such as the platform's authenticator or one in software.
///
/// A node asks for it with a ``WebAuthnRegistrationCallback`` or a ``WebAuthnAuthenticationCallback``; see
/// ``Node/answerPasskey(with:)``. The relying party in each request has been checked: it is the server of the journey.
///
/// If the user refuses, or the request cannot be fulfilled, throw a ``PasskeyError``: the tree then continues with its branch for
/// client errors. Any other error, such as `CancellationError`, leaves the node unanswered.
public protocol PasskeyAuthenticator: Sendable {
    /// Creates a passkey.
    ///
    /// - Throws: ``PasskeyError``, such as ``PasskeyError/invalidState`` if the authenticator has one of the excluded passkeys.
    func register(_ request: PasskeyRegistrationRequest) async throws -> PasskeyRegistration

    /// Signs a challenge with a passkey.
    ///
    /// - Throws: ``PasskeyError``, such as ``PasskeyError/notAllowed`` if there is no suitable passkey.
    func authenticate(_ request: PasskeyAssertionRequest) async throws -> PasskeyAssertion
}

/// A type that creates keys bound to this device and signs with them. A node asks for it with a ``DeviceBindingCallback`` or a
/// ``DeviceSigningVerifierCallback``; see ``Node/answerDeviceKey(with:)``.
///
/// If the user refuses, or the request cannot be fulfilled, throw a ``DeviceKeyError``.
public protocol DeviceKeyAuthenticator: Sendable {
    /// Creates a key for a user, and signs the challenge with it.
    ///
    /// - Throws: ``DeviceKeyError``.
    func bind(_ request: DeviceBindingRequest) async throws -> DeviceBinding

    /// Signs a challenge with the key of a user.
    ///
    /// - Returns: The signed challenge (JWS in compact serialization).
    /// - Throws: ``DeviceKeyError``.
    func sign(_ request: DeviceSigningRequest) async throws -> String
}

// MARK: Passkeys

/// The verification of the user by an authenticator, for example by a PIN (Web Authentication, section 5.8.6).
public enum UserVerification: String, Sendable {
    /// The request fails without it.
    case required
    /// The user is verified if the authenticator can.
    case preferred
    /// The user should not be verified.
    case discouraged
}

/// A request to create a passkey (Web Authentication, section 5.4).
public struct PasskeyRegistrationRequest: Sendable {
    /// The challenge. Its encoding in base64url is part of the client data.
    public var challenge: Data
    /// The origin for the client data, such as `https://am.example.com`.
    public var origin: String
    /// The identifier of the relying party: the host of the server or a domain above it.
    public var relyingPartyID: String
    /// The name of the relying party for the user.
    public var relyingPartyName: String
    /// The identifier of the user account, which is stored with a resident key (user handle).
    public var userID: Data
    /// The user name.
    public var userName: String
    /// The name of the user for display.
    public var displayName: String
    /// The identifiers of acceptable signature algorithms, the preferred one first (RFC 9053), such as -7 for ES256.
    public var algorithms: [Int]
    /// The identifiers of passkeys. The authenticator must not have any of these passkeys.
    public var excludedCredentials: [Data]
    /// The verification of the user.
    public var userVerification: UserVerification
    /// A Boolean value that indicates whether the passkey must be usable without its identifier (resident key).
    public var requiresResidentKey: Bool
    /// The requested attestation: `none`, `indirect` or `direct`.
    public var attestation: String
    /// The maximum duration of the request.
    public var timeout: Duration

    /// Creates a request, for example to test an authenticator.
    public init(
        challenge: Data,
        origin: String,
        relyingPartyID: String,
        relyingPartyName: String,
        userID: Data,
        userName: String,
        displayName: String,
        algorithms: [Int],
        excludedCredentials: [Data],
        userVerification: UserVerification,
        requiresResidentKey: Bool,
        attestation: String,
        timeout: Duration
    ) {
        self.challenge = challenge
        self.origin = origin
        self.relyingPartyID = relyingPartyID
        self.relyingPartyName = relyingPartyName
        self.userID = userID
        self.userName = userName
        self.displayName = displayName
        self.algorithms = algorithms
        self.excludedCredentials = excludedCredentials
        self.userVerification = userVerification
        self.requiresResidentKey = requiresResidentKey
        self.attestation = attestation
        self.timeout = timeout
    }
}

/// A passkey that was created (Web Authentication, section 5.2.1).
public struct PasskeyRegistration: Sendable {
    /// The identifier of the passkey.
    public var credentialID: Data
    /// The client data as JSON, in UTF-8.
    public var clientDataJSON: Data
    /// The attestation object in CBOR.
    public var attestationObject: Data
    /// A name for the device that the user recognizes, if the server stores one.
    public var deviceName: String?

    /// Creates a registration.
    public init(credentialID: Data, clientDataJSON: Data, attestationObject: Data, deviceName: String? = nil) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.deviceName = deviceName
    }
}

/// A request to sign with a passkey (Web Authentication, section 5.5).
public struct PasskeyAssertionRequest: Sendable {
    /// The challenge. Its encoding in base64url is part of the client data.
    public var challenge: Data
    /// The origin for the client data, such as `https://am.example.com`.
    public var origin: String
    /// The identifier of the relying party: the host of the server or a domain above it.
    public var relyingPartyID: String
    /// The identifiers of acceptable passkeys. If there are none, any resident key of the relying party is.
    public var allowedCredentials: [Data]
    /// The verification of the user.
    public var userVerification: UserVerification
    /// The maximum duration of the request.
    public var timeout: Duration

    /// Creates a request, for example to test an authenticator.
    public init(
        challenge: Data,
        origin: String,
        relyingPartyID: String,
        allowedCredentials: [Data],
        userVerification: UserVerification,
        timeout: Duration
    ) {
        self.challenge = challenge
        self.origin = origin
        self.relyingPartyID = relyingPartyID
        self.allowedCredentials = allowedCredentials
        self.userVerification = userVerification
        self.timeout = timeout
    }
}

/// A signature with a passkey (Web Authentication, section 5.2.2).
public struct PasskeyAssertion: Sendable {
    /// The identifier of the passkey.
    public var credentialID: Data
    /// The client data as JSON, in UTF-8.
    public var clientDataJSON: Data
    /// The authenticator data.
    public var authenticatorData: Data
    /// The signature of the authenticator data and the hash of the client data.
    public var signature: Data
    /// The identifier of the user account that is stored with the passkey, if it is a resident key.
    public var userHandle: Data?

    /// Creates an assertion.
    public init(
        credentialID: Data,
        clientDataJSON: Data,
        authenticatorData: Data,
        signature: Data,
        userHandle: Data? = nil
    ) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// The reason why an authenticator did not fulfil a request, by the names of exceptions in browsers (Web Authentication,
/// section 5.1). It is sent to the server.
public struct PasskeyError: Error, Sendable, Hashable {
    /// The name of the exception, such as `NotAllowedError`.
    public let name: String
    /// A message for the operator of the server.
    public let message: String

    /// Creates an error.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// The user refused or did not respond in time, or there is no suitable passkey.
    public static let notAllowed = PasskeyError("NotAllowedError", "the request was refused")
    /// The authenticator has one of the excluded passkeys.
    public static let invalidState = PasskeyError("InvalidStateError", "the authenticator is registered already")
    /// The authenticator supports none of the algorithms, or cannot verify the user.
    public static let notSupported = PasskeyError("NotSupportedError", "the authenticator cannot fulfil the request")
}

// MARK: Device keys

/// The protection of a device key.
public enum DeviceKeyProtection: String, Sendable {
    /// Biometry only.
    case biometryOnly = "BIOMETRIC_ONLY"
    /// Biometry, or the passcode of the device.
    case biometryOrPasscode = "BIOMETRIC_ALLOW_FALLBACK"
    /// A PIN of your app.
    case applicationPIN = "APPLICATION_PIN"
    /// None.
    case none = "NONE"
}

/// A request to bind this device to a user.
public struct DeviceBindingRequest: Sendable {
    /// The origin of the server, such as `https://am.example.com`. The key is used for requests of this server only.
    public var origin: String
    /// The identifier of the user, which is the subject of the signed challenge.
    public var userID: String
    /// The user name.
    public var userName: String
    /// The challenge to sign.
    public var challenge: String
    /// The protection of the key.
    public var protection: DeviceKeyProtection
    /// The texts to show to the user.
    public var prompt: DeviceKeyPrompt
    /// The maximum duration of the request.
    public var timeout: Duration

    /// Creates a request, for example to test an authenticator.
    public init(
        origin: String,
        userID: String,
        userName: String,
        challenge: String,
        protection: DeviceKeyProtection,
        prompt: DeviceKeyPrompt,
        timeout: Duration
    ) {
        self.origin = origin
        self.userID = userID
        self.userName = userName
        self.challenge = challenge
        self.protection = protection
        self.prompt = prompt
        self.timeout = timeout
    }
}

/// A request to sign with the key of this device.
public struct DeviceSigningRequest: Sendable {
    /// The origin of the server, such as `https://am.example.com`. A key that was created for another server must not be used.
    public var origin: String
    /// The identifier of the user; `nil` if the user selects one of the users to which the device is bound.
    public var userID: String?
    /// The challenge to sign.
    public var challenge: String
    /// The texts to show to the user.
    public var prompt: DeviceKeyPrompt
    /// The maximum duration of the request.
    public var timeout: Duration

    /// Creates a request, for example to test an authenticator.
    public init(
        origin: String,
        userID: String?,
        challenge: String,
        prompt: DeviceKeyPrompt,
        timeout: Duration
    ) {
        self.origin = origin
        self.userID = userID
        self.challenge = challenge
        self.prompt = prompt
        self.timeout = timeout
    }
}

/// The texts that a server shows when a device key is used.
public struct DeviceKeyPrompt: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The subtitle.
    public var subtitle: String
    /// The text below.
    public var text: String

    /// Creates texts.
    public init(
        title: String,
        subtitle: String,
        text: String
    ) {
        self.title = title
        self.subtitle = subtitle
        self.text = text
    }
}

/// A device that was bound to a user.
public struct DeviceBinding: Sendable {
    /// The signed challenge with the public key (JWS in compact serialization).
    public var jws: String
    /// The identifier of the device for this app.
    public var deviceID: String
    /// A name for the device that the user recognizes.
    public var deviceName: String

    /// Creates a binding.
    public init(jws: String, deviceID: String, deviceName: String) {
        self.jws = jws
        self.deviceID = deviceID
        self.deviceName = deviceName
    }
}

/// The reason why a device key could not be created or used. It is sent to the server.
public struct DeviceKeyError: Error, Sendable, Hashable {
    /// The server's name of the reason.
    public let name: String

    /// Creates an error.
    public init(_ name: String) { self.name = name }

    /// The user refused.
    public static let aborted = DeviceKeyError("Abort")
    /// The user did not respond in time.
    public static let timedOut = DeviceKeyError("Timeout")
    /// The device does not have the demanded protection.
    public static let unsupported = DeviceKeyError("Unsupported")
    /// The device is not bound to the user.
    public static let notRegistered = DeviceKeyError("ClientNotRegistered")
}

// MARK: Descriptions without signatures

extension PasskeyRegistration: CustomStringConvertible, CustomReflectable {
    /// The name of the device, without the attestation.
    public var description: String { VisibleText.line("passkey of \(deviceName ?? "a device")", longest: 300) }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["passkey": description], displayStyle: .struct) }
}

extension PasskeyAssertion: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the signature.
    public var description: String { "signature with a passkey" }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["assertion": description], displayStyle: .struct) }
}

extension DeviceBinding: CustomStringConvertible, CustomReflectable {
    /// The name of the device, without the signed challenge.
    public var description: String { VisibleText.line("binding of \(deviceName)", longest: 300) }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["binding": description], displayStyle: .struct) }
}
