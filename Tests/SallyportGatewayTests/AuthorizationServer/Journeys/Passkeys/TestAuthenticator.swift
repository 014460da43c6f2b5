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
    func register(_ step: JourneyStep, _ changes: Changes = Changes()) -> JsonValue {
        let options = step.output("data") ?? .null
        let client = clientData(options, type: "webauthn.create", changes)
        let id = changes.credentialID ?? credentialID
        let length = withUnsafeBytes(of: UInt16(credentialID.count).bigEndian) { Data($0) }
        let data =
            authenticatorData(options, flags: 0x45, changes) + Data(count: 16) + length + credentialID
            + coseKey(changes.algorithm) + changes.suffix
        let object = Cbor.map([
            (Cbor.text("fmt"), Cbor.text(changes.format)), (Cbor.text("attStmt"), Cbor.map([])),
            (Cbor.text("authData"), Cbor.bytes(data)),
        ])
        return .string("\(client)::\(Self.list(object))::\(Base64Url.encode(id))::My device")
    }

    /// Returns the response to a sign-in.
    func authenticate(_ step: JourneyStep, userHandle: String, _ changes: Changes = Changes()) -> JsonValue {
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
        return Cbor.map([
            (Cbor.integer(1), Cbor.integer(2)), (Cbor.integer(3), Cbor.integer(algorithm)),
            (Cbor.integer(-1), Cbor.integer(1)), (Cbor.integer(-2), Cbor.bytes(point[1..<33])),
            (Cbor.integer(-3), Cbor.bytes(point[33..<65])),
        ])
    }

    private static func list(_ data: Data) -> String {
        data.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
    }
}

/// Encodes values in CBOR (RFC 8949).
enum Cbor {
    static func integer(_ value: Int64) -> Data {
        value < 0 ? head(1, UInt64(-1 - value)) : head(0, UInt64(value))
    }

    static func bytes(_ value: Data) -> Data { head(2, UInt64(value.count)) + value }

    static func text(_ value: String) -> Data { head(3, UInt64(value.utf8.count)) + Data(value.utf8) }

    static func map(_ pairs: [(Data, Data)]) -> Data {
        pairs.reduce(head(5, UInt64(pairs.count))) { $0 + $1.0 + $1.1 }
    }

    private static func head(_ kind: UInt8, _ argument: UInt64) -> Data {
        switch argument {
        case 0..<24: Data([kind << 5 | UInt8(argument)])
        case 24..<256: Data([kind << 5 | 24, UInt8(argument)])
        default: Data([kind << 5 | 25, UInt8(argument >> 8 & 255), UInt8(argument & 255)])
        }
    }
}
