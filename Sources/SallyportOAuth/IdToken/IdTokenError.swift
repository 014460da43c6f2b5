import Foundation
import SallyportJOSE
import SallyportTransport

/// The reason why an id_token was refused. Its description contains no token and no nonce.
public enum IdTokenError: Error, Sendable, Equatable {
    /// The token is not in compact form, or its payload is not a JSON object.
    case malformed(JoseError)
    /// The token is of another type according to its header (`typ`).
    case type(String)
    /// The token is not encrypted, although encryption is required.
    case notEncrypted
    /// The token is encrypted, and the client has no key for it.
    case encrypted
    /// The token cannot be decrypted with the client's keys and the allowed algorithms.
    case decryption(JoseError)
    /// The token is not signed (`alg` is `none`, or missing).
    case unsigned
    /// The token is signed with a shared secret, which is not allowed. Attackers may use a public key as the secret.
    case symmetricAlgorithm(String)
    /// The token is signed with an algorithm that is not allowed.
    case algorithm(expected: Set<SignatureAlgorithm>, actual: String)
    /// The header requires unknown extensions (`crit`).
    case critical(JoseError)
    /// No key of the server has the token's key identifier or is suitable. The server may have rotated its keys: fetch them
    /// again, but only once.
    case unknownKey(String?)
    /// The token has no key identifier (`kid`), and several keys of the server are suitable.
    case ambiguousKey
    /// The key with the token's key identifier is for encryption (`use` is `enc`).
    case encryptionKey(String?)
    /// The key with the token's key identifier is of another type, or for another algorithm.
    case otherKey(String?)
    /// The key cannot be used.
    case key(JoseError)
    /// The signature is invalid.
    case signature(String?)
    /// A required claim is missing or of another type.
    case missing(String)
    /// The token is from another issuer.
    case issuer(expected: String, actual: String)
    /// The token is for another client.
    case audience(expected: String, actual: [String])
    /// The token was issued to another client (`azp`), or has several audiences and does not state the client that it was
    /// issued to.
    case authorizedParty(expected: String, actual: String?)
    /// The token is about another user.
    case subject(expected: String, actual: String)
    /// The nonce is missing, or differs from the nonce of the authorization request.
    case nonce(isMissing: Bool)
    /// The token has expired.
    case expired(at: Date, now: Date)
    /// The token is not valid yet (`nbf`).
    case notYetValid(until: Date, now: Date)
    /// The token was issued in the future; one of the clocks is wrong.
    case issuedInFuture(at: Date, now: Date)
    /// The user signed in too long ago, or in the future (`auth_time`).
    case authenticationTime(at: Date, now: Date, maximumAge: Duration)
    /// The token was issued with another access token (`at_hash`).
    case accessTokenHash
    /// The token was issued for another authorization code (`c_hash`).
    case codeHash
}

extension IdTokenError: CustomStringConvertible {
    /// The reason, with the expected and the actual value.
    public var description: String {
        switch self {
        case .malformed(let error): "The id_token cannot be read: \(error)"
        case .type(let type): "The token has the type \(Self.short(type)) and is not an id_token."
        case .notEncrypted: "The id_token is not encrypted, although the client requires encryption."
        case .encrypted: "The id_token is encrypted, and the client has no key for it."
        case .decryption(let error): "The id_token cannot be decrypted: \(error)"
        case .unsigned: "The id_token is not signed (alg)."
        case .symmetricAlgorithm(let name):
            "The id_token is signed with a shared secret (\(Self.short(name))), which the client does not allow."
        case .algorithm(let expected, let actual):
            "The id_token is signed with \(Self.short(actual)); the client allows "
                + "\(Self.list(expected.map(\.rawValue).sorted(), ifEmpty: "no algorithm"))."
        case .critical(let error): "The id_token requires unknown extensions: \(error)"
        case .unknownKey(let name):
            name.map { "The server has no key \(Self.short($0)), with which the id_token is signed." }
                ?? "The server has no key that can verify the id_token."
        case .ambiguousKey: "The id_token does not name its key (kid), and several keys of the server are suitable."
        case .encryptionKey(let name):
            "The key\(Self.named(name)) of the id_token is for encryption, not for signatures."
        case .otherKey(let name):
            "The key\(Self.named(name)) of the id_token is for another algorithm than the token's."
        case .key(let error): "The key of the id_token cannot be used: \(error)"
        case .signature(let name):
            "The signature of the id_token was not made with the server's key\(Self.named(name))."
        case .missing(let claim): "The id_token has no \(claim) of the right type."
        case .issuer(let expected, let actual):
            "The id_token is from \(Self.short(actual)), not from \(expected) (iss)."
        case .audience(let expected, let actual):
            "The id_token is for \(Self.list(actual, ifEmpty: "nobody")), not for \(expected) (aud)."
        case .authorizedParty(let expected, let actual):
            actual.map { "The id_token was issued to \(Self.short($0)), not to \(expected) (azp)." }
                ?? "The id_token is for several clients and does not say that it was issued to \(expected) (azp)."
        case .subject(let expected, let actual):
            "The id_token is about \(Self.short(actual)), not about \(Self.short(expected)) (sub)."
        case .nonce(let isMissing):
            isMissing
                ? "The id_token has no nonce, and one was sent."
                : "The nonce of the id_token is not the one that was sent."
        case .expired(let end, let now):
            "The id_token expired at \(Self.text(end)); it is \(Self.text(now)), \(Self.time(from: end, to: now)) later (exp)."
        case .notYetValid(let start, let now):
            "The id_token is valid from \(Self.text(start)); it is \(Self.text(now)), \(Self.time(from: now, to: start)) before (nbf)."
        case .issuedInFuture(let time, let now):
            "The id_token was issued at \(Self.text(time)); it is \(Self.text(now)), \(Self.time(from: now, to: time)) before (iat)."
        case .authenticationTime(let time, let now, let age):
            "The user signed in at \(Self.text(time)); it is \(Self.text(now)), and the maximum age is \(age.components.seconds) s (auth_time)."
        case .accessTokenHash: "The id_token was issued with another access token (at_hash)."
        case .codeHash: "The id_token was issued for another authorization code (c_hash)."
        }
    }

    /// Returns a list that is limited in length, because the names come from the server.
    private static func list(_ names: [String], ifEmpty emptyText: String) -> String {
        names.isEmpty ? emptyText : names.prefix(8).map(short).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
    }

    private static func named(_ name: String?) -> String { name.map { " " + short($0) } ?? "" }

    private static func short(_ name: String) -> String { name.count > 128 ? name.prefix(128) + "…" : name }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    private static func time(from start: Date, to end: Date) -> String {
        Quantity.time(.seconds(min(max(end.timeIntervalSince(start), 0), 1e9).rounded()))
    }
}

extension IdTokenError {
    /// A Boolean value that indicates whether the only problem may be a wrong clock, of the server or of this computer.
    var mayBeWrongClock: Bool {
        switch self {
        case .expired, .notYetValid, .issuedInFuture: true
        default: false
        }
    }
}
