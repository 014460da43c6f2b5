import Crypto
import Foundation
import SallyportTransport

/// A proof that the sender of a request possesses a key (DPoP, RFC 9449). The client creates it, and the server
/// verifies it.
///
/// ```swift
/// let proof = try ProofOfPossession(verifying: header)
/// try proof.check(method: "POST", url: "https://id.example.com/token", at: Date())
/// ```
///
/// A server must store every ``identifier`` to refuse replayed proofs.
public struct ProofOfPossession: Sendable {
    /// The allowed signature algorithms: all asymmetric algorithms.
    public static let algorithms = Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric })

    private static let type = "dpop+jwt"
    private static let maximumLength = 16 * 1024
    private static let maximumIdentifierLength = 256

    /// The public key in the header.
    public let key: JsonWebKey
    /// The thumbprint of the key, which tokens are bound to (`jkt`).
    public let thumbprint: String
    /// The unique identifier of the proof (`jti`).
    public let identifier: String
    /// The method of the request (`htm`).
    public let method: String
    /// The URL of the request, without query and fragment (`htu`).
    public let url: String
    /// The time at which the proof was created (`iat`).
    public let issuedAt: Date
    /// The server's nonce, if there is one.
    public let nonce: String?
    /// The hash of the access token of the request, if there is one (`ath`).
    public let accessTokenHash: String?

    /// Parses a proof, and verifies its signature with the key that it contains.
    public init(
        verifying text: String,
        allowing algorithms: Set<SignatureAlgorithm> = ProofOfPossession.algorithms
    ) throws(JoseError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The proof is longer than \(Self.maximumLength) bytes.")
        }
        let signature = try JsonWebSignature(parsing: text)
        guard signature.header["typ"]?.string?.lowercased() == Self.type else {
            throw JoseError(.malformed, "The type of the proof is not \(Self.type) (typ).")
        }
        guard let key = signature.header["jwk"]?.object.map(JsonWebKey.init(members:)) else {
            throw JoseError(.malformed, "The proof has no key (jwk).")
        }
        guard KeyType.privateMembers.isDisjoint(with: key.members.keys) else {
            throw JoseError(.key, "The proof contains its private key.")
        }
        try signature.verify(with: key, allowing: algorithms.intersection(Self.algorithms))
        let claims = try signature.claims()
        guard let identifier = claims["jti"]?.string, !identifier.isEmpty,
            identifier.utf8.count <= Self.maximumIdentifierLength
        else { throw JoseError(.malformed, "The proof has no identifier (jti), or a very long one.") }
        guard let method = claims["htm"]?.string, let url = claims["htu"]?.string else {
            throw JoseError(.malformed, "The proof names no request (htm, htu).")
        }
        guard let issuedAt = claims["iat"]?.number else {
            throw JoseError(.malformed, "The proof does not state when it was made (iat).")
        }
        self.key = key
        self.thumbprint = try key.thumbprint()
        self.identifier = identifier
        self.method = method
        self.url = url
        self.issuedAt = Date(timeIntervalSince1970: issuedAt)
        nonce = try Self.text("nonce", of: claims)
        accessTokenHash = try Self.text("ath", of: claims)
    }

    private static func text(_ name: String, of claims: [String: JsonValue]) throws(JoseError) -> String? {
        guard let value = claims[name] else { return nil }
        guard let text = value.string else { throw JoseError(.malformed, "The proof's \(name) is not a string.") }
        return text
    }

    /// Checks that the proof is for a request, and was created recently.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request as the client knows it; its query and fragment are ignored.
    ///   - accessToken: The access token of the request, if it had one.
    ///   - now: The current time of the server.
    ///   - window: The maximum difference between the time of the proof and the server's time, in seconds.
    public func check(
        method: String,
        url: String,
        accessToken: String? = nil,
        at now: Date,
        within window: TimeInterval = 60
    ) throws(JoseError) {
        guard self.method == method else {
            throw JoseError(.malformed, "The proof is for another method than \(method) (htm).")
        }
        guard let target = Self.target(of: url), Self.target(of: self.url) == target else {
            throw JoseError(.malformed, "The proof is for another URL (htu).")
        }
        guard abs(issuedAt.timeIntervalSince(now)) <= window else {
            throw JoseError(.malformed, "The proof was not made within \(Int(window)) s of the server's time (iat).")
        }
        guard accessToken.map(Self.hash) == accessTokenHash else {
            throw JoseError(.malformed, "The proof is not for the access token of the request (ath).")
        }
    }

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be symmetric.
    ///   - method: The method of the request.
    ///   - url: The URL of the request; its query and fragment are left out.
    ///   - accessToken: The access token of the request, if it has one.
    ///   - nonce: The server's nonce, if there is one.
    ///   - now: The current time.
    /// - Returns: The value of the header field `DPoP`.
    public static func make(
        with key: SigningKey,
        method: String,
        url: String,
        accessToken: String? = nil,
        nonce: String? = nil,
        at now: Date
    ) throws(JoseError) -> String {
        guard let publicKey = key.publicJsonWebKey else {
            throw JoseError(.key, "A symmetric key cannot be used for a proof of possession.")
        }
        guard let target = target(of: url) else { throw JoseError(.malformed, "The URL of a proof must have a host.") }
        let required = try publicKey.knownType.requiredMembers
        var claims: [String: JsonValue] = [
            "jti": .string(Base64Url.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) })),
            "htm": .string(method),
            "htu": .string(target),
            "iat": .integer(Int64(now.timeIntervalSince1970)),
        ]
        claims["nonce"] = nonce.map(JsonValue.string)
        claims["ath"] = accessToken.map { .string(hash($0)) }
        let header: [String: JsonValue] = [
            "typ": .string(type),
            "jwk": .object(publicKey.members.filter { required.contains($0.key) }),
        ]
        return try JsonWebSignature.sign(claims, header: header, with: key.withoutKeyID)
    }

    /// Returns the hash of an access token for `ath`.
    static func hash(_ accessToken: String) -> String {
        Base64Url.encode(Data(SHA256.hash(data: Data(accessToken.utf8))))
    }
}

extension ProofOfPossession {
    /// Returns a URL normalized for comparison (RFC 9449, section 4.3): without query and fragment, according to RFC
    /// 3986, sections 6.2.2 and 6.2.3.
    static func target(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let defaultPort = ["https": 443, "http": 80][scheme]
        let port = parts.port.flatMap { $0 == defaultPort ? nil : ":\($0)" } ?? ""
        let path = parts.percentEncodedPath
        return scheme + "://" + host + port + (path.isEmpty ? "/" : normalized(path))
    }

    /// Returns a path with uppercase escapes, and without escapes of unreserved characters.
    private static func normalized(_ path: String) -> String {
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            if escaped.isUnreserved {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
                bytes.append(contentsOf: String(decoding: rest.prefix(2), as: UTF8.self).uppercased().utf8)
            }
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
