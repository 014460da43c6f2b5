import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Asks for codes with which a person approves this device on another (RFC 8628).
    ///
    /// ```swift
    /// let device = try await client.deviceAuthorization()
    /// print("Go to \(device.verificationURI) and enter \(device.userCode)")
    /// let tokens = try await client.tokens(for: device)
    /// ```
    ///
    /// - Parameter scopes: What to ask for; else those of the configuration.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func deviceAuthorization(scopes: [String]? = nil) async throws -> DeviceAuthorization {
        let scope = scope(scopes)
        let start = clock.now()
        let form = fields([("scope", scope)]) + targetParameters
        let answer = try await post(form, to: .deviceAuthorization, .deviceAuthorization)
        let members = try answer.object(of: "the request for a device's codes")
        guard let deviceCode = members["device_code"]?.string, let userCode = members["user_code"]?.string,
            let uri = (members["verification_uri"] ?? members["verification_url"])?.string
        else {
            throw answer.invalid("the answer lacks device_code, user_code or verification_uri")
        }
        let complete = members["verification_uri_complete"]?.string
        for uri in [uri, complete].compactMap(\.self) {
            if let problem = EndpointAddress.problem(with: uri, of: issuer) {
                throw answer.invalid("the verification_uri cannot be used: \(problem)")
            }
        }
        let interval = members["interval"]?.number ?? 5
        let lifetime = members["expires_in"]?.number ?? 600
        return DeviceAuthorization(
            userCode: ServerWords.shown(userCode),
            verificationURI: uri,
            verificationURIComplete: complete,
            expiresAt: start.addingTimeInterval(min(max(lifetime, 0), 86_400)),
            interval: .seconds(min(max(interval, 1), 600)),
            deviceCode: deviceCode,
            proofKey: try await newProofKey(),
            scope: scope
        )
    }

    /// Waits until the person has approved the device, and brings the tokens.
    ///
    /// It asks as often as the server allows, and less often where the server or the network says so.
    ///
    /// - Throws: ``OAuthError``, such as `access_denied` and `expired_token`; ``NetworkError``.
    public func tokens(for device: DeviceAuthorization) async throws -> OAuthTokens {
        var pace = DevicePace(interval: device.interval)
        while true {
            guard clock.now() < device.expiresAt else { throw expired() }
            do {
                try await clock.sleep(pace.wait)
            } catch {
                throw NetworkError.cancelled("the task was cancelled")
            }
            guard let (tokens, answer) = try await granted(device, &pace) else { continue }
            return try await tokens.with(checkedIdTokenOf: answer, by: self, IdTokenExpectations())
        }
    }

    /// Asks once.
    ///
    /// - Returns: `nil` if it is to be asked again, when the pace says so.
    private func granted(
        _ device: DeviceAuthorization,
        _ pace: inout DevicePace
    ) async throws -> (tokens: OAuthTokens, answer: TokenAnswer)? {
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device.deviceCode),
        ]
        do {
            return try await grant(form, .deviceToken, scope: device.scope, proofKey: device.proofKey)
        } catch let error as OAuthError {
            guard pace.goesOn(after: error) else { throw error }
        } catch let error as NetworkError {
            guard !Task.isCancelled, pace.goesOn(after: error) else { throw error }
        }
        return nil
    }

    private func expired() -> OAuthError {
        OAuthError(
            error: "expired_token",
            failure: NetworkFailure("nobody approved the device in time", advice: "begin again")
        )
    }
}
