import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage

/// An error of a ``DeviceIdentity``. Its description contains neither a token nor a key.
///
/// ```swift
/// do {
///     try await identity.authenticateDevice(scopes: ["catalog"])
/// } catch DeviceIdentityError.notValid {
///     // The server does not accept this app.
/// }
/// ```
public enum DeviceIdentityError: Error, Sendable {
    /// The device is not registered. Nothing was sent.
    case notRegistered(NetworkFailure)
    /// The server does not accept the app, or refuses the authentication of the device although it is registered.
    case notValid(OAuthError)
    /// There is no token: the device or the user has not been authenticated, or the authentication has ended.
    case notAuthenticated(NetworkFailure)
    /// The server has deregistered the device. The registration has been removed; the next ``DeviceIdentity/authenticateDevice(scopes:)``
    /// registers the device again, and users must register on it again. Another process may have registered it already.
    case deregistered(NetworkFailure)
    /// The user is not registered on this device, or not any more.
    case userNotRegistered(NetworkFailure)
    /// The server requires a newer app version.
    case outdatedApp(NetworkFailure)
    /// The server requires a newer version of the operating system.
    case outdatedSystem(NetworkFailure)
    /// A setting is missing. Nothing was sent.
    case invalidConfiguration(NetworkFailure)
    /// The server refused a request for another reason.
    case refused(OAuthError)
    /// A request failed on the network, or was cancelled.
    case network(NetworkError)
    /// The identity or the tokens could not be read or stored.
    case store(RecordStoreError)
    /// The key of the device could not be generated, found or used.
    case key(JoseError)
    /// Your own ``DeviceSignIn`` failed.
    case signIn(NetworkFailure)
}

extension DeviceIdentityError {
    /// The reason and advice.
    public var failure: NetworkFailure {
        switch self {
        case .notRegistered(let failure), .notAuthenticated(let failure), .deregistered(let failure),
            .userNotRegistered(let failure), .outdatedApp(let failure), .outdatedSystem(let failure),
            .invalidConfiguration(let failure), .signIn(let failure):
            failure
        case .notValid(let error), .refused(let error): error.explainedFailure
        case .network(let error): error.failure
        case .store(let error): NetworkFailure(error.description, underlying: error)
        case .key(let error):
            NetworkFailure(
                "the key of the device cannot be used: \(error)",
                advice: "reset the device, which registers it with a new key",
                underlying: error
            )
        }
    }

    /// Wraps an error of the identity, or of a call with one of its sessions.
    ///
    /// Errors of this module and of the modules below it are cases of their own. Any other error comes from the caller's own store. Its
    /// text is not repeated, because it may contain a secret.
    init(wrapping error: any Error) {
        switch error {
        case let error as DeviceIdentityError: self = error
        case let error as OAuthError: self.init(error)
        case let error as OAuthSessionError: self.init(error)
        case let error as NetworkError:
            switch error.failure.underlying {
            case let cause as DeviceIdentityError: self = cause
            case let cause as OAuthSessionError: self.init(cause)
            case let cause as OAuthError: self.init(cause)
            default: self = .network(error)
            }
        case let error as RecordStoreError: self = .store(error)
        case let error as JoseError: self = .key(error)
        case is CancellationError: self = .network(.cancelled("the task was cancelled"))
        default:
            self = .store(RecordStoreError(.cannotRead, "the store of the device failed: \(type(of: error))"))
        }
    }

    /// Returns the error of a ``DeviceSignIn``: an error of this module or those below it as it is, and any other as ``signIn(_:)``.
    static func ofSignIn(_ error: any Error) -> any Error {
        switch error {
        case is DeviceIdentityError, is OAuthError, is NetworkError, is CancellationError: error
        default: signIn(NetworkFailure("the sign-in failed: \(type(of: error))", underlying: error))
        }
    }

    private init(_ error: OAuthError) {
        if error.reportsDeregistration {
            self = .deregistered(Self.deregistration)
            return
        }
        if error.reportsUnknownUser {
            self = .userNotRegistered(Self.unknownUser)
            return
        }
        switch error.error {
        case "outdated_app": self = .outdatedApp(error.outdated("app"))
        case "outdated_os": self = .outdatedSystem(error.outdated("operating system"))
        case "invalid_client", "unauthorized_client", "invalid_software_statement", "unapproved_software_statement":
            self = .notValid(error)
        default:
            if let cause = error.failure.underlying as? JoseError { self = .key(cause) } else { self = .refused(error) }
        }
    }

    private init(_ error: OAuthSessionError) {
        switch error {
        case .refused(let error): self.init(error)
        case .network(let error): self.init(wrapping: error)
        case .store(let error): self = .store(error)
        case .notLoggedIn, .expired, .ended, .responseLost, .otherClient:
            var failure = error.failure
            failure.underlying = error
            self = .notAuthenticated(failure)
        }
    }

    static let deregistration = NetworkFailure(
        "the server has deregistered this device",
        advice: "authenticate the device, which registers it again, and let users sign in again"
    )

    static let unknownUser = NetworkFailure(
        "the user is not registered on this device",
        advice: "let the user sign in on this device"
    )

    static let unregistered = NetworkFailure(
        "the device is not registered",
        advice: "authenticate the device first"
    )
}

extension OAuthError {
    /// A Boolean value that indicates whether the server has no registration of this device.
    var reportsDeregistration: Bool { error == "invalid_client" && member("reason") == "device_deregistered" }

    /// A Boolean value that indicates whether the server has no registration of the user on this device.
    var reportsUnknownUser: Bool { error == "invalid_grant" && member("reason") == "user_not_registered" }

    /// The failure with the server's explanation, and with advice if it refused the software statement.
    fileprivate var explainedFailure: NetworkFailure {
        var failure = detailedFailure
        if error == "invalid_software_statement" || error == "unapproved_software_statement" {
            failure.advice = "check softwareStatement, appIdentifier, appVersion and appPlatform of the configuration"
        }
        return failure
    }

    /// Returns the failure for a version that the server does not accept any more.
    fileprivate func outdated(_ noun: String) -> NetworkFailure {
        let minimum = member("minimum_version").map { ", at least \(SanitizedText.make(from: $0))" } ?? ""
        return NetworkFailure(
            "the server requires a newer version of the \(noun)\(minimum)",
            request: failure.request,
            advice: "update the \(noun)",
            underlying: self
        )
    }

    /// Returns a string in the response.
    private func member(_ name: String) -> String? {
        guard let body, let members = try? JSONDecoder().decode([String: JsonValue].self, from: body) else {
            return nil
        }
        return members[name]?.string
    }
}

extension DeviceIdentityError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The reason and advice in one line.
    public var description: String { failure.description }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .enum) }
}
