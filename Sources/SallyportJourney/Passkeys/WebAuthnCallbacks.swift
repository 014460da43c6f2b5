import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth

/// A request to create a passkey. PingAM sends it as a `MetadataCallback`; the answer is in a ``HiddenValueCallback`` of the same node.
///
/// ```swift
/// try await node.answerPasskey(with: authenticator)
/// ```
public struct WebAuthnRegistrationCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback
    private let data: JsonDocument

    /// Creates the callback; returns `nil` if its metadata is not for a registration.
    public init?(_ raw: RawCallback) {
        guard let data = WebAuthnData.read(raw, action: "webauthn_registration") else { return nil }
        self.raw = raw
        self.data = data
    }

    /// Returns the request for an authenticator.
    ///
    /// - Parameter origin: The origin of the server.
    func request(from origin: WebAuthnOrigin) throws(JourneyError) -> PasskeyRegistrationRequest {
        let selection = data["_authenticatorSelection"]
        return PasskeyRegistrationRequest(
            challenge: try WebAuthnData.challenge(in: data),
            origin: origin.text,
            relyingPartyID: try origin.relyingPartyID(in: data),
            relyingPartyName: data["relyingPartyName"]?.string ?? "",
            userID: Data((data["userId"]?.string ?? "").utf8),
            userName: data["userName"]?.string ?? "",
            displayName: data["displayName"]?.string ?? data["userName"]?.string ?? "",
            algorithms: (data["_pubKeyCredParams"]?.elements ?? []).compactMap {
                $0["alg"]?.number.flatMap { Int($0) }
            },
            excludedCredentials: try WebAuthnData.credentials(in: data["_excludeCredentials"]),
            userVerification: WebAuthnData.userVerification(in: selection),
            requiresResidentKey: selection?["requireResidentKey"]?.bool
                ?? (selection?["residentKey"]?.string == "required"),
            attestation: data["attestationPreference"]?.string ?? "none",
            timeout: WebAuthnData.timeout(in: data)
        )
    }

    /// Returns the answer for a passkey.
    func outcome(of registration: PasskeyRegistration) -> String {
        var parts = [
            String(decoding: registration.clientDataJSON, as: UTF8.self),
            WebAuthnData.signedBytes(registration.attestationObject), Base64Url.encode(registration.credentialID),
        ]
        if let name = registration.deviceName { parts.append(name) }
        return WebAuthnData.outcome(parts, for: data)
    }
}

/// A request to sign with a passkey. PingAM sends it as a `MetadataCallback`; the answer is in a ``HiddenValueCallback`` of the same node.
///
/// ```swift
/// try await node.answerPasskey(with: authenticator)
/// ```
public struct WebAuthnAuthenticationCallback: Callback {
    /// The callback as it was received, and its answers.
    public var raw: RawCallback
    private let data: JsonDocument

    /// Creates the callback; returns `nil` if its metadata is not for an authentication.
    public init?(_ raw: RawCallback) {
        guard let data = WebAuthnData.read(raw, action: "webauthn_authentication") else { return nil }
        self.raw = raw
        self.data = data
    }

    /// Returns the request for an authenticator.
    ///
    /// - Parameter origin: The origin of the server.
    func request(from origin: WebAuthnOrigin) throws(JourneyError) -> PasskeyAssertionRequest {
        PasskeyAssertionRequest(
            challenge: try WebAuthnData.challenge(in: data),
            origin: origin.text,
            relyingPartyID: try origin.relyingPartyID(in: data),
            allowedCredentials: try WebAuthnData.credentials(in: data["_allowCredentials"]),
            userVerification: WebAuthnData.userVerification(in: data),
            timeout: WebAuthnData.timeout(in: data)
        )
    }

    /// Returns the answer for a signature.
    func outcome(of assertion: PasskeyAssertion) -> String {
        var parts = [
            String(decoding: assertion.clientDataJSON, as: UTF8.self),
            WebAuthnData.signedBytes(assertion.authenticatorData),
            WebAuthnData.signedBytes(assertion.signature), Base64Url.encode(assertion.credentialID),
        ]
        if let handle = assertion.userHandle { parts.append(String(decoding: handle, as: UTF8.self)) }
        return WebAuthnData.outcome(parts, for: data)
    }
}

extension Node {
    /// A Boolean value that indicates whether the node asks for a passkey.
    public var requestsPasskey: Bool {
        self[WebAuthnRegistrationCallback.self] != nil || self[WebAuthnAuthenticationCallback.self] != nil
    }

    /// Creates a passkey or signs with one, as the node demands, and sets the answer. If the node does not ask for a passkey, nothing
    /// happens.
    ///
    /// A ``PasskeyError`` of the authenticator is an answer too: the server decides how the tree continues.
    ///
    /// - Parameter authenticator: The authenticator.
    /// - Throws: ``JourneyError/foreignRelyingParty(_:)`` if the passkey is requested for another server,
    ///   ``JourneyError/invalidResponse(_:)`` for a request without a challenge or an input, ``JourneyError/authenticator(_:)`` for
    ///   another error of a ``SoftwareAuthenticator``, ``JourneyError/handler(_:)`` for one of another authenticator.
    public mutating func answerPasskey(with authenticator: some PasskeyAuthenticator) async throws(JourneyError) {
        let outcome: String
        do {
            let origin = try WebAuthnOrigin(run.journey.configuration.baseURL)
            if let callback = self[WebAuthnRegistrationCallback.self] {
                outcome = callback.outcome(of: try await authenticator.register(callback.request(from: origin)))
            } else if let callback = self[WebAuthnAuthenticationCallback.self] {
                outcome = callback.outcome(of: try await authenticator.authenticate(callback.request(from: origin)))
            } else {
                return
            }
        } catch let error as PasskeyError {
            outcome = "ERROR::\(error.name):\(error.message)"
        } catch {
            throw JourneyError(wrapping: error, reason: "the authenticator failed")
        }
        try setPasskeyOutcome(outcome)
    }

    private mutating func setPasskeyOutcome(_ outcome: String) throws(JourneyError) {
        var isSet = false
        update(HiddenValueCallback.self, where: { $0.id == WebAuthnData.outcomeID }) { callback in
            callback.value = outcome
            isSet = true
        }
        if !isSet {
            throw .invalidResponse(
                NetworkFailure("a node asks for a passkey, and has no input for \(WebAuthnData.outcomeID)")
            )
        }
    }
}

/// The origin of a server, and the relying parties that it may use passkeys for.
struct WebAuthnOrigin {
    /// The origin, such as `https://am.example.com`.
    let text: String
    private let host: String

    init(_ url: String) throws(NetworkError) {
        let request = HttpRequest(url: url)
        text = try request.origin()
        host = try Origin(of: request.head()).host
    }

    /// Returns the identifier of the relying party, which is the host by default (Web Authentication, section 5.1.3).
    ///
    /// - Throws: ``JourneyError/foreignRelyingParty(_:)``; see ``RelyingParty/init(_:origin:)``.
    func relyingPartyID(in data: JsonDocument) throws(JourneyError) -> String {
        guard let identifier = Self.identifier(in: data) else { return host }
        do throws(AuthenticatorError) {
            return try RelyingParty(identifier, origin: text).id
        } catch {
            throw .foreignRelyingParty(error.failure)
        }
    }

    /// Returns the identifier in the metadata. Older versions send a part of a script, such as `rpId: "example.com",`.
    private static func identifier(in data: JsonDocument) -> String? {
        if let identifier = data["_relyingPartyId"]?.string, !identifier.isEmpty { return identifier }
        let parts = data["relyingPartyId"]?.string?.split(separator: "\"") ?? []
        return parts.count > 1 ? String(parts[1]) : nil
    }
}

/// The metadata of requests for passkeys, and the form of answers.
enum WebAuthnData {
    /// The identifier of the hidden value that contains the answer.
    static let outcomeID = "webAuthnOutcome"

    static func read(_ raw: RawCallback, action: String) -> JsonDocument? {
        guard let data = raw.document("data"), data["_type"]?.string == "WebAuthn", data["_action"]?.string == action
        else {
            return nil
        }
        return data
    }

    static func challenge(in data: JsonDocument) throws(JourneyError) -> Data {
        let text = data["challenge"]?.string ?? ""
        guard let challenge = EitherBase64.decode(text), !challenge.isEmpty else {
            throw .invalidResponse(NetworkFailure("a request for a passkey has no challenge"))
        }
        return challenge
    }

    /// Returns the identifiers in a list of credentials. Each identifier is an array of signed bytes, or a text in base64.
    ///
    /// - Throws: ``JourneyError/invalidResponse(_:)`` for any other list, because it would have another meaning without one of its
    ///   entries: an empty list allows all passkeys.
    static func credentials(in list: JsonDocument?) throws(JourneyError) -> [Data] {
        guard let list, !list.isNull else { return [] }
        var identifiers: [Data] = []
        for credential in list.elements ?? [list] {
            guard let identifier = credential["id"].flatMap(bytes), !identifier.isEmpty else {
                throw .invalidResponse(
                    NetworkFailure("a request for a passkey has a list of credentials with an invalid identifier")
                )
            }
            identifiers.append(identifier)
        }
        return identifiers
    }

    private static func bytes(_ identifier: JsonDocument) -> Data? {
        if let text = identifier.string { return EitherBase64.decode(text) }
        guard let elements = identifier.elements else { return nil }
        var data = Data()
        for element in elements {
            guard let number = element.number.flatMap({ Int($0) }), (-128...255).contains(number) else { return nil }
            data.append(UInt8(truncatingIfNeeded: number))
        }
        return data
    }

    static func userVerification(in data: JsonDocument?) -> UserVerification {
        data?["userVerification"]?.string.flatMap(UserVerification.init(rawValue:)) ?? .preferred
    }

    /// Returns the timeout, which is between one second and ten minutes.
    static func timeout(in data: JsonDocument) -> Duration {
        let text = data["timeout"].flatMap { $0.string ?? $0.number } ?? ""
        return .milliseconds(min(max(1000, Int(text) ?? 60_000), 600_000))
    }

    /// Returns bytes as signed decimal numbers, separated by commas, as JavaScript writes an `Int8Array`.
    static func signedBytes(_ data: Data) -> String {
        data.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
    }

    /// Returns the parts of an answer in the form that the server supports.
    static func outcome(_ parts: [String], for data: JsonDocument) -> String {
        let text = parts.joined(separator: "::")
        guard data["supportsJsonResponse"]?.bool == true else { return text }
        let object = ["authenticatorAttachment": "platform", "legacyData": text]
        return (try? JsonDocument(encoding: object).text) ?? text
    }
}
