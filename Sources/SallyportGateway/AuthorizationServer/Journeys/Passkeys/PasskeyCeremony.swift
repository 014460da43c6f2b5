import Crypto
import Foundation
import SallyportJOSE

/// A request to an authenticator, which checks the response (WebAuthn Level 2, sections 7.1 and 7.2).
struct PasskeyCeremony: Sendable {
    let challenge: Data
    /// The identifier of the relying party, which is a domain.
    let relyingParty: String
    /// The origins of the pages and apps that may use the passkeys.
    let origins: [String]
    let needsUserVerification: Bool

    /// Checks the response to a registration. Only the attestation `none` is accepted.
    ///
    /// - Returns: The credential, and the counter of its signatures.
    func register(
        clientData: Data,
        attestation: Data
    ) throws(PasskeyProblem) -> (credential: AuthenticatorData.Credential, counter: UInt32) {
        try check(clientData, type: "webauthn.create")
        var rest = attestation
        guard let object = CborValue.decode(&rest), rest.isEmpty, let bytes = object["authData"]?.bytes else {
            throw PasskeyProblem("The attestation object is not a CBOR map with authData.")
        }
        guard object["fmt"] == .text("none"), object["attStmt"] == .map([]) else {
            throw PasskeyProblem("The attestation must be none, because the server requests none.")
        }
        let data = try AuthenticatorData(bytes)
        try check(data)
        guard let credential = data.credential else { throw PasskeyProblem("The response has no new credential.") }
        return (credential, data.counter)
    }

    /// Checks an assertion.
    ///
    /// - Parameters:
    ///   - clientData: The client data in JSON.
    ///   - authenticatorData: The authenticator data.
    ///   - signature: The signature in DER.
    ///   - key: The public key of the passkey.
    ///   - counter: The counter of the last signature.
    /// - Returns: The counter of the signature.
    func authenticate(
        clientData: Data,
        authenticatorData: Data,
        signature: Data,
        key: P256.Signing.PublicKey,
        counter: UInt32
    ) throws(PasskeyProblem) -> UInt32 {
        try check(clientData, type: "webauthn.get")
        let data = try AuthenticatorData(authenticatorData)
        try check(data)
        let signed = authenticatorData + Data(SHA256.hash(data: clientData))
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            key.isValidSignature(signature, for: signed)
        else { throw PasskeyProblem("The signature was not made with the passkey.") }
        // Zero twice: the authenticator does not count (section 6.1.1).
        guard data.counter > counter || data.counter == 0 && counter == 0 else {
            throw PasskeyProblem("The counter of the signature has not increased: the passkey may have been copied.")
        }
        return data.counter
    }

    private func check(_ clientData: Data, type: String) throws(PasskeyProblem) {
        guard let data = [String: JsonValue](json: clientData) else {
            throw PasskeyProblem("The client data is not JSON.")
        }
        guard data["type"]?.string == type else { throw PasskeyProblem("The type of the client data is not \(type).") }
        guard let received = data["challenge"]?.string,
            ConstantTime.areEqual(received.utf8, Base64Url.encode(challenge).utf8)
        else { throw PasskeyProblem("The response is for another challenge.") }
        guard let origin = data["origin"]?.string, origins.contains(origin) else {
            let origin = data["origin"]?.string?.prefix(128) ?? "missing"
            throw PasskeyProblem("The origin is \(origin) instead of \(origins.joined(separator: " or ")).")
        }
        guard data["crossOrigin"]?.bool != true else {
            throw PasskeyProblem("The response is from a frame of another origin.")
        }
    }

    private func check(_ data: AuthenticatorData) throws(PasskeyProblem) {
        guard data.relyingPartyHash == Data(SHA256.hash(data: Data(relyingParty.utf8))) else {
            throw PasskeyProblem("The response is for another relying party than \(relyingParty).")
        }
        guard data.isUserPresent else { throw PasskeyProblem("The user was not present.") }
        guard data.isUserVerified || !needsUserVerification else { throw PasskeyProblem("The user was not verified.") }
    }
}
