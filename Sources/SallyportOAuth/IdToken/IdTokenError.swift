import Foundation
import SallyportJOSE

/// Why an id_token was refused. It shows no token, and no nonce.
public enum IdTokenError: Error, Sendable, Equatable {
    /// It is no signed text, or what is signed is no object of JSON.
    case malformed(JoseError)
    /// It is a token of another kind, which its header names (`typ`).
    case type(String)
    /// It is not encrypted, as was agreed on.
    case notEncrypted
    /// It is encrypted, and the client has no key for it.
    case encrypted
    /// It cannot be decrypted, or not by what was agreed on.
    case decryption(JoseError)
    /// It is not signed (`alg` is `none`, or missing).
    case unsigned
    /// It is signed by a secret that both sides know, which was not agreed on; attackers try that with public keys.
    case symmetricAlgorithm(String)
    /// It is signed by an algorithm that was not agreed on.
    case algorithm(expected: Set<SignatureAlgorithm>, actual: String)
    /// Its header demands extensions that are not known (`crit`).
    case critical(JoseError)
    /// No key of the server has its name, or fits: the keys may have changed, so fetch them again, once.
    case unknownKey(String?)
    /// Several keys of the server fit, and it does not name one.
    case ambiguousKey
    /// The key that it names is for encryption (`use` is `enc`).
    case encryptionKey(String?)
    /// The key that it names is of another kind, or for another algorithm.
    case otherKey(String?)
    /// The key cannot be used.
    case key(JoseError)
    /// Its signature is not that of the key.
    case signature(String?)
    /// A claim that every id_token has is not there, or of another type.
    case missing(String)
    /// Another server issued it.
    case issuer(expected: String, actual: String)
    /// It is for another client.
    case audience(expected: String, actual: [String])
    /// It was issued to another client (`azp`), or is for several and does not say to which one.
    case authorizedParty(expected: String, actual: String?)
    /// It is about another person.
    case subject(expected: String, actual: String)
    /// It was not made for this sign-in: the nonce is missing, or another.
    case nonce(isMissing: Bool)
    /// It has ended.
    case expired(at: Date, now: Date)
    /// It is not valid yet (`nbf`).
    case notYetValid(until: Date, now: Date)
    /// It was issued in the future; one of the clocks is wrong.
    case issuedInFuture(at: Date, now: Date)
    /// The person signed in too long ago, or in the future (`auth_time`).
    case authenticationTime(at: Date, now: Date, maximumAge: TimeInterval)
    /// It did not come with this access token (`at_hash`).
    case accessTokenHash
    /// It did not come for this code (`c_hash`).
    case codeHash
}

extension IdTokenError: CustomStringConvertible {
    /// What was expected and what came.
    public var description: String {
        switch self {
        case .malformed(let error): "The id_token cannot be read: \(error)"
        case .type(let type): "The token is of the type \(Self.short(type)), and no id_token."
        case .notEncrypted: "The id_token is not encrypted, though the client is registered for encrypted ones."
        case .encrypted: "The id_token is encrypted, and the client has no key for it."
        case .decryption(let error): "The id_token cannot be decrypted: \(error)"
        case .unsigned: "The id_token is not signed (alg)."
        case .symmetricAlgorithm(let name):
            "The id_token is signed by \(Self.short(name)), with a secret that both sides know; that was not agreed on."
        case .algorithm(let expected, let actual):
            "The id_token is signed by \(Self.short(actual)); the client takes \(Self.list(expected.map(\.rawValue).sorted()))."
        case .critical(let error): "The id_token cannot be understood in full: \(error)"
        case .unknownKey(let name):
            name.map { "The server has no key named \(Self.short($0)), which the id_token is signed with." }
                ?? "The server has no key that the id_token could be signed with."
        case .ambiguousKey: "The id_token does not name its key (kid), and several keys of the server fit."
        case .encryptionKey(let name):
            "The key\(Self.named(name)) of the id_token is for encryption, not for signatures."
        case .otherKey(let name):
            "The key\(Self.named(name)) of the id_token is for another algorithm than the token's."
        case .key(let error): "The key of the id_token cannot be used: \(error)"
        case .signature(let name): "The id_token's signature is not that of the server's key\(Self.named(name))."
        case .missing(let claim): "The id_token has no \(claim) of the right type."
        case .issuer(let expected, let actual):
            "The id_token is from \(Self.short(actual)), not from \(expected) (iss)."
        case .audience(let expected, let actual): "The id_token is for \(Self.list(actual)), not for \(expected) (aud)."
        case .authorizedParty(let expected, let actual):
            actual.map { "The id_token was issued to \(Self.short($0)), not to \(expected) (azp)." }
                ?? "The id_token is for several clients and does not say that it was issued to \(expected) (azp)."
        case .subject(let expected, let actual):
            "The id_token is about \(Self.short(actual)), not about \(Self.short(expected)) (sub)."
        case .nonce(let isMissing):
            isMissing ? "The id_token has no nonce, and one was sent." : "The id_token has another nonce than was sent."
        case .expired(let end, let now): "The id_token ended at \(Self.text(end)); it is \(Self.text(now)) (exp)."
        case .notYetValid(let start, let now):
            "The id_token is valid from \(Self.text(start)) on; it is \(Self.text(now)) (nbf)."
        case .issuedInFuture(let time, let now):
            "The id_token was issued at \(Self.text(time)); it is only \(Self.text(now)) here (iat). Check the clock."
        case .authenticationTime(let time, let now, let age):
            "The person signed in at \(Self.text(time)); it is \(Self.text(now)), and \(Int(age)) s are allowed (auth_time)."
        case .accessTokenHash: "The id_token did not come with this access token (at_hash)."
        case .codeHash: "The id_token did not come for this code (c_hash)."
        }
    }

    /// No more than what a line of a log bears, whatever a server sends.
    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "nobody" : names.prefix(8).map(short).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
    }

    private static func named(_ name: String?) -> String { name.map { " " + short($0) } ?? "" }

    private static func short(_ name: String) -> String { name.count > 128 ? name.prefix(128) + "…" : name }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension IdTokenError {
    /// Whether a wrong clock, the server's or ours, may be all that is wrong.
    var mayBeWrongClock: Bool {
        switch self {
        case .expired, .notYetValid, .issuedInFuture: true
        default: false
        }
    }
}
