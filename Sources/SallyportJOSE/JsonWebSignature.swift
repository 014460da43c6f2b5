import Crypto
import Foundation

/// A signed message in compact serialization (JWS, RFC 7515). Do not trust its content until it is verified.
public struct JsonWebSignature: Sendable {
    /// The protected header.
    public let header: [String: JsonValue]
    /// The signed payload.
    public let payload: Data

    private let signedText: Data
    private let signature: Data

    /// Parses a compact serialization without verifying it.
    public init(parsing text: String) throws(JoseError) {
        let compact = try CompactText(text, parts: 3, kind: "signed message")
        header = compact.header
        payload = compact.parts[1]
        signedText = Data("\(compact.texts[0]).\(compact.texts[1])".utf8)
        signature = compact.parts[2]
    }

    /// The signature algorithm (`alg`), if it is supported; `none` is not.
    public var algorithm: SignatureAlgorithm? { header["alg"]?.string.flatMap(SignatureAlgorithm.init) }
    /// The identifier of the key (`kid`).
    public var keyID: String? { header["kid"]?.string }

    /// Returns the payload as a JSON object.
    public func claims() throws(JoseError) -> [String: JsonValue] {
        guard let claims = JsonReader.object(payload) else {
            throw JoseError(.malformed, "The signed payload is not a JSON object with unique members.")
        }
        return claims
    }

    /// Verifies the signature with a key.
    ///
    /// The algorithm must be allowed and match the key. `use`, `key_ops` and `kid` must match too. `crit` is refused.
    public func verify(with key: JsonWebKey, allowing algorithms: Set<SignatureAlgorithm>) throws(JoseError) {
        try header.refuseExtensions()
        guard let algorithm, algorithms.contains(algorithm) else {
            throw JoseError(.algorithm, "The signature algorithm is not allowed (alg).")
        }
        guard header["kid"] == nil || key.keyID == nil || header["kid"]?.string == key.keyID else {
            throw JoseError(.key, "The message is signed with another key (kid).")
        }
        guard try key.isValid(signature, of: signedText, by: algorithm) else {
            throw JoseError(.signature, "The signature was not made with the key.")
        }
    }

    /// Signs claims, on the thread of the caller. With RSA, this takes about a millisecond.
    ///
    /// - Parameters:
    ///   - claims: The payload.
    ///   - header: Members besides `alg` and `kid`, such as `typ`.
    ///   - key: The signing key.
    /// - Returns: The compact serialization.
    public static func sign(
        _ claims: [String: JsonValue],
        header: [String: JsonValue] = [:],
        with key: SigningKey
    ) throws(JoseError) -> String {
        try sign(payload: claims.json(), header: header, with: key)
    }

    /// Signs any bytes.
    ///
    /// - Parameters:
    ///   - payload: The bytes.
    ///   - header: Members besides `alg` and `kid`.
    ///   - key: The signing key.
    /// - Returns: The compact serialization.
    public static func sign(
        payload: Data,
        header: [String: JsonValue] = [:],
        with key: SigningKey
    ) throws(JoseError) -> String {
        try header.refuseExtensions()
        var header = header
        header["alg"] = .string(key.algorithm.rawValue)
        header["kid"] = key.keyID.map(JsonValue.string)
        let signed = try Base64Url.encode(header.json()) + "." + Base64Url.encode(payload)
        return signed + "." + Base64Url.encode(try key.signature(of: Data(signed.utf8)))
    }
}

extension JsonWebSignature {
    /// Verifies an HS256 signature with a shared secret of any length. The signatures are compared in constant time.
    ///
    /// ``verify(with:allowing:)`` refuses secrets of less than 32 bytes (RFC 7518, section 3.2). This method is for protocols in
    /// which the server issues the secret, and which check its length themselves.
    package func verify(sharedSecret: Data) throws(JoseError) {
        try header.refuseExtensions()
        guard algorithm == .hs256 else {
            throw JoseError(.algorithm, "The signature algorithm is not HS256 (alg).")
        }
        let key = SymmetricKey(data: sharedSecret)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signedText, using: key) else {
            throw JoseError(.signature, "The signature was not made with the key.")
        }
    }

    /// Signs claims by HS256 with a shared secret of any length; see ``verify(sharedSecret:)``.
    ///
    /// - Returns: The compact serialization.
    package static func sign(_ claims: [String: JsonValue], sharedSecret: Data) throws(JoseError) -> String {
        let header: [String: JsonValue] = ["alg": .string(SignatureAlgorithm.hs256.rawValue), "typ": "JWT"]
        let signed = try Base64Url.encode(header.json()) + "." + Base64Url.encode(claims.json())
        let key = SymmetricKey(data: sharedSecret)
        let signature = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)
        return signed + "." + Base64Url.encode(Data(signature))
    }
}

extension JsonWebSignature: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the identifier of the key, without any part of the message.
    public var description: String {
        "text signed by \(algorithm?.rawValue ?? "no known algorithm")" + (keyID.map { ", key \($0)" } ?? "")
    }

    /// The same as ``description``, so that `dump` prints no token either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description], displayStyle: .struct) }
}
