import Foundation
import Sallyport

/// A request to bind this device to the user; see ``Node/answerDeviceKey(with:)``.
public struct DeviceBindingCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no inputs for a signed challenge and an error.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput("jws"), raw.hasInput("clientError") else { return nil }
        self.raw = raw
    }

    /// Returns the request for an authenticator.
    ///
    /// - Parameter origin: The origin of the server.
    func request(from origin: WebAuthnOrigin) -> DeviceBindingRequest {
        DeviceBindingRequest(
            origin: origin.text,
            userID: raw.text("userId"),
            userName: raw.text("username"),
            challenge: raw.text("challenge"),
            protection: DeviceKeyProtection(rawValue: raw.text("authenticationType")) ?? .biometryOrPasscode,
            prompt: raw.deviceKeyPrompt,
            timeout: raw.deviceKeyTimeout
        )
    }

    /// Sets the answer.
    public mutating func setBinding(_ binding: DeviceBinding) {
        raw.answer(.string(binding.jws), for: "jws")
        raw.answer(.string(binding.deviceID), for: "deviceId")
        raw.answer(.string(binding.deviceName), for: "deviceName")
    }

    /// Sets the reason why the device was not bound as answer.
    public mutating func setError(_ error: DeviceKeyError) { raw.answer(.string(error.name), for: "clientError") }

    /// The signed challenge or the reason, until one of them has been set.
    public var missingAnswer: String? { raw.missingDeviceKey }
}

/// A request to sign a challenge with the key of this device; see ``Node/answerDeviceKey(with:)``.
public struct DeviceSigningVerifierCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback

    /// Creates the callback; returns `nil` if it has no inputs for a signed challenge and an error.
    public init?(_ raw: RawCallback) {
        guard raw.hasInput("jws"), raw.hasInput("clientError") else { return nil }
        self.raw = raw
    }

    /// Returns the request for an authenticator.
    ///
    /// - Parameter origin: The origin of the server.
    func request(from origin: WebAuthnOrigin) -> DeviceSigningRequest {
        let userID = raw.text("userId")
        return DeviceSigningRequest(
            origin: origin.text,
            userID: userID.isEmpty ? nil : userID,
            challenge: raw.text("challenge"),
            prompt: raw.deviceKeyPrompt,
            timeout: raw.deviceKeyTimeout
        )
    }

    /// Sets the signed challenge as answer.
    public mutating func setSignature(_ jws: String) { raw.answer(.string(jws), for: "jws") }

    /// Sets the reason why the challenge was not signed as answer.
    public mutating func setError(_ error: DeviceKeyError) { raw.answer(.string(error.name), for: "clientError") }

    /// The signed challenge or the reason, until one of them has been set.
    public var missingAnswer: String? { raw.missingDeviceKey }
}

extension Node {
    /// Creates a device key or signs with one, as the node demands, and sets the answer. If the node does not ask for a device key,
    /// nothing happens.
    ///
    /// A ``DeviceKeyError`` of the authenticator is an answer too: the server decides how the tree continues.
    ///
    /// ```swift
    /// try await node.answerDeviceKey(with: authenticator)
    /// ```
    ///
    /// - Parameter authenticator: The authenticator.
    /// - Throws: ``JourneyError/authenticator(_:)`` for another error of a ``SoftwareAuthenticator``, ``JourneyError/handler(_:)`` for one of
    ///   another authenticator.
    public mutating func answerDeviceKey(with authenticator: some DeviceKeyAuthenticator) async throws(JourneyError) {
        do {
            let origin = try WebAuthnOrigin(run.journey.configuration.baseURL)
            if var callback = self[DeviceBindingCallback.self] {
                do {
                    callback.setBinding(try await authenticator.bind(callback.request(from: origin)))
                } catch let error as DeviceKeyError {
                    callback.setError(error)
                }
                self[DeviceBindingCallback.self] = callback
            }
            if var callback = self[DeviceSigningVerifierCallback.self] {
                do {
                    callback.setSignature(try await authenticator.sign(callback.request(from: origin)))
                } catch let error as DeviceKeyError {
                    callback.setError(error)
                }
                self[DeviceSigningVerifierCallback.self] = callback
            }
        } catch {
            throw JourneyError(wrapping: error, reason: "the authenticator failed")
        }
    }
}

extension RawCallback {
    fileprivate var deviceKeyPrompt: DeviceKeyPrompt {
        DeviceKeyPrompt(title: text("title"), subtitle: text("subtitle"), text: text("description"))
    }

    /// The timeout in the output, which the server sends in seconds; between one second and ten minutes.
    fileprivate var deviceKeyTimeout: Duration { .seconds(min(max(1, integer("timeout") ?? 60), 600)) }

    fileprivate var missingDeviceKey: String? {
        answer(for: "jws") == nil && answer(for: "clientError") == nil ? "the signature of the device" : nil
    }
}
