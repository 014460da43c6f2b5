import Crypto
import CryptoExtras
import Dispatch
import Foundation
import SallyportJOSE

/// The hash of a password by scrypt (RFC 7914), or of a long random secret by SHA-256.
///
/// Its text is `scrypt$ln=14,r=8,p=1$SALT$KEY` (`ln` is the binary logarithm of the number of rounds) or
/// `sha256$SALT$HASH` (of the bytes of the salt followed by the secret). Salt, key and hash are base64url without padding.
public struct PasswordHash: Sendable, Equatable {
    private enum Method: Sendable, Equatable {
        case scrypt(logarithm: Int, blockSize: Int, parallelism: Int)
        case sha256
    }

    private let method: Method
    private let salt: Data
    private let key: Data

    /// Creates a hash of a password by scrypt, with a new salt.
    ///
    /// - Parameters:
    ///   - password: The password, of at most 1024 bytes.
    ///   - cost: The binary logarithm of the number of rounds, 1 to 16; each step doubles time and memory (16 MiB at 14).
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the cost or the password is out of bounds.
    public init(hashing password: String, cost: Int = 14) throws(GatewayError) {
        method = .scrypt(logarithm: cost, blockSize: 8, parallelism: 1)
        salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        guard (1...16).contains(cost), let key = Self.derive(password, by: method, salt: salt, count: 32) else {
            throw .invalidIdentity("A password has at most 1024 bytes, and the cost of its hash is from 1 to 16.")
        }
        self.key = key
    }

    /// Creates a hash of a long random secret.
    init(hashingRandom secret: String) {
        method = .sha256
        salt = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        key = Data(SHA256.hash(data: salt + Data(secret.utf8)))
    }

    /// Creates a hash from the format of ``text``.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)``, without the hash.
    public init(_ text: String) throws(GatewayError) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard let method = Self.method(parts.dropLast(2)),
            let salt = parts.dropLast().last.flatMap({ Base64Url.decode($0) }),
            let key = parts.last.flatMap({ Base64Url.decode($0) }), (8...64).contains(salt.count),
            (method == .sha256 ? 32...32 : 16...64).contains(key.count)
        else {
            throw .invalidIdentity(
                "A password hash is invalid. `sallyport serve hash-password` creates one: scrypt$ln=14,r=8,p=1$…$…"
            )
        }
        self.method = method
        self.salt = salt
        self.key = key
    }

    /// The text of the hash, for a configuration file.
    public var text: String {
        let name =
            switch method {
            case .scrypt(let logarithm, let blockSize, let parallelism):
                "scrypt$ln=\(logarithm),r=\(blockSize),p=\(parallelism)"
            case .sha256: "sha256"
            }
        return "\(name)$\(Base64Url.encode(salt))$\(Base64Url.encode(key))"
    }

    /// Returns a Boolean value that indicates whether this is the hash of a password. The hashes are compared in constant time.
    public func matches(_ password: String) -> Bool {
        guard let other = Self.derive(password, by: method, salt: salt, count: key.count) else { return false }
        return SHA256.hash(data: other) == SHA256.hash(data: key)
    }

    private static func method(_ parts: some Collection<Substring>) -> Method? {
        if Array(parts) == ["sha256"] { return .sha256 }
        guard parts.count == 2, parts.first == "scrypt",
            let match = parts.dropFirst().first?.wholeMatch(of: /ln=([0-9]{1,2}),r=([0-9]{1,2}),p=([0-9])/),
            let logarithm = Int(match.1), let blockSize = Int(match.2), let parallelism = Int(match.3),
            (1...16).contains(logarithm), (1...16).contains(blockSize), (1...4).contains(parallelism)
        else { return nil }
        return .scrypt(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private static func derive(_ password: String, by method: Method, salt: Data, count: Int) -> Data? {
        guard password.utf8.count <= 1024 else { return nil }
        switch method {
        case .sha256:
            return Data(SHA256.hash(data: salt + Data(password.utf8)))
        case .scrypt(let logarithm, let blockSize, let parallelism):
            let key = try? KDF.Scrypt.deriveKey(
                from: Data(password.utf8),
                salt: salt,
                outputByteCount: count,
                rounds: 1 << logarithm,
                blockSize: blockSize,
                parallelism: parallelism
            )
            return key?.withUnsafeBytes { Data($0) }
        }
    }
}

extension PasswordHash: Codable {
    /// Decodes a hash from its text.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the hash as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Checks passwords on its own serial queue.
///
/// Many concurrent attempts therefore cannot use all processors and memory, or block other requests.
struct PasswordCheck: Sendable {
    private let queue = DispatchQueue(label: "sallyport.gateway.passwords")

    /// Returns `true` if a password matches a hash.
    func matches(_ password: String, _ hash: PasswordHash) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: hash.matches(password)) }
        }
    }

    /// Returns the hash of a password; `nil` if it has more than 1024 bytes.
    func hash(_ password: String) async -> PasswordHash? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: try? PasswordHash(hashing: password)) }
        }
    }

    /// Returns a Boolean value that indicates whether a password belongs to a user. The check takes equally long for an unknown
    /// user.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - user: The user; `nil` if no user has the given name.
    ///   - users: All users.
    func matches(_ password: String, of user: GatewayUser?, among users: [GatewayUser]) async -> Bool {
        guard let hash = (user ?? users.first)?.password else { return false }
        let isRight = await matches(password, hash)
        return isRight && user != nil
    }
}
