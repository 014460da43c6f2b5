import Foundation

/// A signed text in its compact form (RFC 7515): three parts with dots between them. Until it is verified, nothing in it can be trusted.
public struct JsonWebSignature: Sendable {
    /// The protected header.
    public let header: [String: JsonValue]
    /// What is signed.
    public let payload: Data

    private let signedText: Data
    private let signature: Data

    /// Reads the compact form, without verifying anything.
    public init(parsing text: String) throws(JoseError) {
        let compact = try CompactText(text, parts: 3, kind: "signed text")
        header = compact.header
        payload = compact.parts[1]
        signedText = Data("\(compact.texts[0]).\(compact.texts[1])".utf8)
        signature = compact.parts[2]
    }

    /// `alg`, if it is one that is known; `none` is not.
    public var algorithm: SignatureAlgorithm? { header["alg"]?.string.flatMap(SignatureAlgorithm.init) }
    /// `kid`
    public var keyID: String? { header["kid"]?.string }

    /// The payload as an object of JSON.
    public func claims() throws(JoseError) -> [String: JsonValue] {
        guard let claims = JsonReader.object(payload) else {
            throw JoseError(.malformed, "What is signed is not an object of JSON with each member once.")
        }
        return claims
    }

    /// Checks that the key has signed it: the algorithm is allowed and the key's, `use`, `key_ops` and `kid` agree, no `crit`.
    public func verify(with key: JsonWebKey, allowing algorithms: Set<SignatureAlgorithm>) async throws(JoseError) {
        try header.refuseExtensions()
        guard let algorithm, algorithms.contains(algorithm) else {
            throw JoseError(.algorithm, "The text is not signed by an algorithm that is allowed here.")
        }
        guard header["kid"] == nil || key.keyID == nil || header["kid"]?.string == key.keyID else {
            throw JoseError(.key, "The text names another key (kid).")
        }
        let verifier = try await key.verifier(for: algorithm)
        guard (try? verifier.verify(signature, signs: signedText)) == true else {
            throw JoseError(.signature, "The signature is not that of the key.")
        }
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - claims: The payload.
    ///   - header: Members besides `alg` and `kid`, such as `typ`.
    ///   - key: The key that signs.
    /// - Returns: The compact form.
    public static func sign(
        _ claims: [String: JsonValue],
        header: [String: JsonValue] = [:],
        with key: SigningKey
    ) async throws(JoseError) -> String {
        try await sign(payload: claims.json(), header: header, with: key)
    }

    /// Signs any bytes.
    ///
    /// - Parameters:
    ///   - payload: The bytes.
    ///   - header: Members besides `alg` and `kid`.
    ///   - key: The key that signs.
    /// - Returns: The compact form.
    public static func sign(
        payload: Data,
        header: [String: JsonValue] = [:],
        with key: SigningKey
    ) async throws(JoseError) -> String {
        try header.refuseExtensions()
        var header = header
        header["alg"] = .string(key.algorithm.rawValue)
        header["kid"] = key.keyID.map(JsonValue.string)
        let signed = try Base64Url.encode(header.json()) + "." + Base64Url.encode(payload)
        let signer = try await key.signer()
        guard let signature = try? signer.sign(Data(signed.utf8)) else {
            throw JoseError(.key, "The key cannot sign.")
        }
        return signed + "." + Base64Url.encode(signature)
    }
}

extension JsonWebSignature: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the name of the key, and no part of the text.
    public var description: String {
        "text signed by \(algorithm?.rawValue ?? "no known algorithm")" + (keyID.map { ", key \($0)" } ?? "")
    }

    /// The same as ``description``, so that dumping shows no token either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description], displayStyle: .struct) }
}
