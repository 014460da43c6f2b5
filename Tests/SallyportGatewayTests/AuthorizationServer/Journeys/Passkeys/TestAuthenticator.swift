import Crypto
import Foundation
import SallyportJOSE

@testable import SallyportGateway

/// An authenticator with one passkey, whose responses a test can falsify.
struct TestAuthenticator {
    /// The changes to a response.
    struct Changes: Sendable {
        var type: String?
        var challenge: String?
        var origin: String?
        var relyingParty: String?
        var crossOrigin = false
        var format = "none"
        var flags: UInt8?
        var algorithm: Int64 = -7
        var suffix = Data()
        var signature: Data?
        var userHandle: String?
        var credentialID: Data?
    }

    let origin: String
    let key = P256.Signing.PrivateKey()
    let credentialID = Data((0..<32).map { UInt8($0) })
    var counter: UInt32 = 0

    /// Returns the response to a registration (`webAuthnOutcome`).
    func register(_ step: JourneyResponse, _ changes: Changes = Changes()) -> JsonValue {
        let options = step.output("data") ?? .null
        let client = clientData(options, type: "webauthn.create", changes)
        let id = changes.credentialID ?? credentialID
        let length = withUnsafeBytes(of: UInt16(credentialID.count).bigEndian) { Data($0) }
        let data =
            authenticatorData(options, flags: 0x45, changes) + Data(count: 16) + length + credentialID
            + coseKey(changes.algorithm) + changes.suffix
        let object = CborValue.map([
            (.text("fmt"), .text(changes.format)), (.text("attStmt"), .map([])), (.text("authData"), .bytes(data)),
        ])
        return .string("\(client)::\(Self.list(object.encoded()))::\(Base64Url.encode(id))::My device")
    }

    /// Returns the response to a sign-in.
    func authenticate(_ step: JourneyResponse, userHandle: String, _ changes: Changes = Changes()) -> JsonValue {
        let options = step.output("data") ?? .null
        let client = clientData(options, type: "webauthn.get", changes)
        let data = authenticatorData(options, flags: 0x05, changes) + changes.suffix
        let signed = data + Data(SHA256.hash(data: Data(client.utf8)))
        let signature = changes.signature ?? (try? key.signature(for: signed).derRepresentation) ?? Data()
        let id = Base64Url.encode(changes.credentialID ?? credentialID)
        let handle = changes.userHandle ?? userHandle
        return .string("\(client)::\(Self.list(data))::\(Self.list(signature))::\(id)::\(handle)")
    }

    private func clientData(_ options: JsonValue, type: String, _ changes: Changes) -> String {
        let challenge = Data(base64Encoded: options["challenge"]?.string ?? "") ?? Data()
        let cross = changes.crossOrigin ? #","crossOrigin":true"# : ""
        return #"{"type":"\#(changes.type ?? type)","#
            + #""challenge":"\#(changes.challenge ?? Base64Url.encode(challenge))","#
            + #""origin":"\#(changes.origin ?? origin)"\#(cross)}"#
    }

    private func authenticatorData(_ options: JsonValue, flags: UInt8, _ changes: Changes) -> Data {
        let relyingParty = changes.relyingParty ?? options["_relyingPartyId"]?.string ?? ""
        let count = withUnsafeBytes(of: counter.bigEndian) { Data($0) }
        return Data(SHA256.hash(data: Data(relyingParty.utf8))) + [changes.flags ?? flags] + count
    }

    private func coseKey(_ algorithm: Int64) -> Data {
        let point = key.publicKey.x963Representation
        return CborValue.map([
            (.integer(1), .integer(2)), (.integer(3), .integer(algorithm)), (.integer(-1), .integer(1)),
            (.integer(-2), .bytes(point[1..<33])), (.integer(-3), .bytes(point[33..<65])),
        ]).encoded()
    }

    private static func list(_ data: Data) -> String {
        data.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
    }
}
