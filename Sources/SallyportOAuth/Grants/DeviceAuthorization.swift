import Foundation
import Sallyport
import SallyportJOSE

/// The codes with which the user authorizes this device on another device (RFC 8628). Its description contains no secret.
public struct DeviceAuthorization: Sendable {
    /// The code that the user enters.
    public let userCode: String
    /// The URL of the page on which the user enters the code.
    public let verificationURI: String
    /// The URL of that page including the code, to show as a QR code; `nil` if the server sent none.
    public let verificationURIComplete: String?
    /// The time at which the codes expire.
    public let expiresAt: Date
    /// The minimum interval between two requests for tokens.
    public let interval: Duration
    /// The code with which the device requests tokens: a secret.
    package let deviceCode: String
    /// The key that the tokens will be bound to.
    let proofKey: SigningKey?
    /// The requested scopes.
    let scope: String?
}

extension DeviceAuthorization: CustomStringConvertible, CustomReflectable {
    /// The URL of the page and the expiry of the code.
    public var description: String { "device authorization at \(verificationURI), until \(expiresAt)" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["device": description], displayStyle: .struct) }
}

extension OAuthClient {
    /// Requests codes with which the user authorizes this device on another device (RFC 8628).
    ///
    /// ```swift
    /// let device = try await client.deviceAuthorization()
    /// print("Go to \(device.verificationURI) and enter \(device.userCode)")
    /// let tokens = try await client.tokens(for: device)
    /// ```
    ///
    /// - Parameter scopes: The scopes to request; by default the scopes of the configuration.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func deviceAuthorization(scopes: [String]? = nil) async throws -> DeviceAuthorization {
        let scope = scope(scopes)
        let start = clock.date()
        let form = definedFields([("scope", scope)]) + targetParameters
        let response = try await post(form, to: .deviceAuthorization, .deviceAuthorization)
        let members = try response.object(of: "the request for device codes")
        guard let deviceCode = members["device_code"]?.string, let userCode = members["user_code"]?.string,
            let uri = (members["verification_uri"] ?? members["verification_url"])?.string, !deviceCode.isEmpty
        else {
            throw response.invalid("the response has no device_code, user_code or verification_uri")
        }
        let complete = members["verification_uri_complete"]?.string
        for uri in [uri, complete].compactMap(\.self) {
            if let problem = EndpointAddress.problem(with: uri, of: issuer) {
                throw response.invalid("the verification_uri cannot be used: \(problem)")
            }
        }
        let interval = try response.seconds("interval") ?? 5
        let lifetime = try response.seconds("expires_in") ?? 600
        return DeviceAuthorization(
            userCode: SanitizedText.make(from: userCode),
            verificationURI: uri,
            verificationURIComplete: complete,
            expiresAt: start.addingTimeInterval(min(max(lifetime, 0), 86_400)),
            interval: .seconds(min(max(interval, 1), 600)),
            deviceCode: deviceCode,
            proofKey: try await newProofKey(),
            scope: scope
        )
    }

    /// Waits until the user has approved the device, and returns the tokens.
    ///
    /// Polls at the interval that the server requires, and less often after failures of the server or the network.
    ///
    /// - Throws: ``OAuthError``, such as `access_denied` and `expired_token`; ``NetworkError``.
    public func tokens(for device: DeviceAuthorization) async throws -> OAuthTokens {
        var interval = PollingInterval(device.interval)
        while true {
            guard clock.date() < device.expiresAt else { throw expired() }
            do {
                try await clock.sleep(interval.current)
            } catch {
                throw NetworkError.cancelled("the task was cancelled")
            }
            guard let (tokens, response) = try await poll(device, &interval) else { continue }
            return try await addIdToken(of: response, to: tokens, IdTokenExpectations())
        }
    }

    /// Requests the tokens once.
    ///
    /// - Returns: `nil` if the request must be repeated after the interval.
    private func poll(
        _ device: DeviceAuthorization,
        _ interval: inout PollingInterval
    ) async throws -> (tokens: OAuthTokens, response: TokenResponse)? {
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device.deviceCode),
        ]
        do {
            return try await sendGrant(form, .deviceToken, scope: device.scope, proofKey: device.proofKey)
        } catch let error as OAuthError {
            guard interval.adjust(after: error) else { throw error }
        } catch let error as NetworkError {
            guard !Task.isCancelled, interval.adjust(after: error) else { throw error }
        }
        return nil
    }

    private func expired() -> OAuthError {
        OAuthError(
            error: "expired_token",
            failure: NetworkFailure("the device was not approved in time", advice: "start the login again")
        )
    }
}

/// The interval at which a device requests its tokens (RFC 8628, section 3.5).
private struct PollingInterval {
    /// The maximum interval after repeated failures.
    private static let maximumBackoff = Duration.seconds(60)

    private var interval: Duration
    private var backoff: Duration?

    init(_ interval: Duration) {
        self.interval = interval
    }

    /// The duration to wait before the next request.
    var current: Duration { backoff ?? interval }

    /// Adjusts the interval to an error of the server.
    ///
    /// - Returns: `false` if the error is final.
    mutating func adjust(after error: OAuthError) -> Bool {
        switch error.error {
        case "authorization_pending": backoff = nil
        case "slow_down":
            interval += .seconds(5)
            backoff = nil
        default:
            guard let status = error.status, status == 429 || status >= 500 else { return false }
            backOff()
        }
        return true
    }

    /// Adjusts the interval to an error of the network.
    ///
    /// - Returns: `false` if the error is final.
    mutating func adjust(after error: NetworkError) -> Bool {
        switch error {
        case .networkUnavailable, .hostNotFound, .connectionFailed, .timeout, .connectionLost, .incompleteBody:
            backOff()
            return true
        default:
            return false
        }
    }

    /// Doubles the duration to wait.
    private mutating func backOff() {
        backoff = max(interval, min(current * 2, Self.maximumBackoff))
    }
}
