import Crypto
import Foundation
import SallyportTransport

/// A proof that the sender of a request has a key (DPoP, RFC 9449): a client makes it, a server verifies it.
///
/// ```swift
/// let proof = try await ProofOfPossession(verifying: header)
/// try proof.check(method: "POST", url: "https://id.example.com/token", at: Date())
/// ```
///
/// That no proof comes twice is for the server to remember, by ``identifier``.
public struct ProofOfPossession: Sendable {
    /// How proofs are signed: never by a secret that both sides know.
    public static let algorithms = Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric })

    private static let type = "dpop+jwt"
    private static let maximumLength = 16 * 1024
    private static let maximumIdentifierLength = 256

    /// The public key, as it is in the header.
    public let key: JsonWebKey
    /// The thumbprint of the key, which tokens are bound to (`jkt`).
    public let thumbprint: String
    /// What no other proof is named (`jti`).
    public let identifier: String
    /// The method of the request (`htm`).
    public let method: String
    /// The URL of the request, without query and fragment (`htu`).
    public let url: String
    /// When it was made (`iat`).
    public let issuedAt: Date
    /// The server's nonce, if there is one.
    public let nonce: String?
    /// The hash of the access token that comes with it, if one does (`ath`).
    public let accessTokenHash: String?

    /// Reads a proof, and verifies that the key in it has signed it.
    public init(
        verifying text: String,
        allowing algorithms: Set<SignatureAlgorithm> = ProofOfPossession.algorithms
    ) async throws(JoseError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The proof is longer than \(Self.maximumLength) bytes.")
        }
        let signature = try JsonWebSignature(parsing: text)
        guard signature.header["typ"]?.string?.lowercased() == Self.type else {
            throw JoseError(.malformed, "The proof is not of the type \(Self.type) (typ).")
        }
        guard let key = signature.header["jwk"]?.object.map(JsonWebKey.init(members:)) else {
            throw JoseError(.malformed, "The proof has no key (jwk).")
        }
        guard KeyType.privateMembers.isDisjoint(with: key.members.keys) else {
            throw JoseError(.key, "The proof gives its private key away.")
        }
        try await signature.verify(with: key, allowing: algorithms.intersection(Self.algorithms))
        let claims = try signature.claims()
        guard let identifier = claims["jti"]?.string, !identifier.isEmpty,
            identifier.utf8.count <= Self.maximumIdentifierLength
        else { throw JoseError(.malformed, "The proof has no name of its own (jti), or a very long one.") }
        guard let method = claims["htm"]?.string, let url = claims["htu"]?.string else {
            throw JoseError(.malformed, "The proof is for no request (htm, htu).")
        }
        guard let issuedAt = claims["iat"]?.number else {
            throw JoseError(.malformed, "The proof does not say when it was made (iat).")
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
        guard let text = value.string else { throw JoseError(.malformed, "The proof's \(name) is no text.") }
        return text
    }

    /// Checks that the proof is for a request, and was made just now.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request as the client knows it; its query and fragment do not count.
    ///   - accessToken: The access token that came with the request, if one did.
    ///   - now: The time of the server.
    ///   - window: How many seconds the proof may be old, or in the future.
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
            throw JoseError(.malformed, "The proof is not for the access token that came with it (ath).")
        }
    }

    /// Makes a proof.
    ///
    /// - Parameters:
    ///   - key: The key; HMAC proves nothing.
    ///   - method: The method of the request.
    ///   - url: The URL of the request; its query and fragment are left out.
    ///   - accessToken: The access token that goes with the request, if one does.
    ///   - nonce: The nonce that the server gave, if it did.
    ///   - now: The time.
    /// - Returns: What goes into the header field `DPoP`.
    public static func make(
        with key: SigningKey,
        method: String,
        url: String,
        accessToken: String? = nil,
        nonce: String? = nil,
        at now: Date
    ) async throws(JoseError) -> String {
        guard let publicKey = key.publicJsonWebKey else {
            throw JoseError(.key, "A symmetric key cannot prove its possession.")
        }
        guard let target = target(of: url) else { throw JoseError(.malformed, "A proof is for a URL with a host.") }
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
        return try await JsonWebSignature.sign(claims, header: header, with: key.unnamed)
    }

    /// The hash of an access token, as `ath` has it.
    static func hash(_ accessToken: String) -> String {
        Base64Url.encode(Data(SHA256.hash(data: Data(accessToken.utf8))))
    }
}

extension ProofOfPossession {
    /// A URL as proofs compare it (RFC 9449, section 4.3): no query, no fragment, and written in the one way that RFC 3986, sections
    /// 6.2.2 and 6.2.3, make of all ways to write it.
    static func target(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let defaultPort = ["https": 443, "http": 80][scheme]
        let port = parts.port.flatMap { $0 == defaultPort ? nil : ":\($0)" } ?? ""
        let path = parts.percentEncodedPath
        return scheme + "://" + host + port + (path.isEmpty ? "/" : normalized(path))
    }

    /// Escapes in capitals, and none for what needs none.
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
