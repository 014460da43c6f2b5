import Foundation
import SallyportJOSE

/// Signs tokens, rotates the signing keys, and verifies tokens that it has signed.
final class TokenSigner {
    /// The time from the publication of a new key until it signs, in seconds.
    private static let lead: TimeInterval = 60

    private let context: ServerContext
    private var keys: SigningKeys

    init(_ context: ServerContext) throws(JoseError) {
        self.context = context
        keys = try SigningKeys(context.configuration.signatureAlgorithms, now: context.now)
    }

    /// Returns the public keys that verify the tokens.
    func publishedKeys() -> JsonWebKeySet {
        rotateIfDue()
        return JsonWebKeySet(keys.published(now: context.now))
    }

    /// Creates a key for each algorithm.
    ///
    /// - Parameter lead: The time until the new keys sign, in seconds. Until then they are only published.
    func rotate(lead: TimeInterval) throws(JoseError) {
        try keys.rotate(lead: lead, now: context.now)
    }

    /// Signs claims with the current key of an algorithm, by default the first configured one.
    nonisolated(nonsending) func sign(
        _ claims: [String: JsonValue],
        header: [String: JsonValue],
        by algorithm: SignatureAlgorithm? = nil
    ) async throws(OAuthRefusal) -> String {
        rotateIfDue()
        guard let key = keys.signing(algorithm, now: context.now) else {
            throw OAuthRefusal(.serverError, "There is no key to sign with.")
        }
        do {
            return try JsonWebSignature.sign(claims, header: header, with: key)
        } catch {
            throw OAuthRefusal(.serverError, "The token could not be signed.")
        }
    }

    /// Returns the claims of a token that this server has signed, even if it has expired, or `nil`.
    nonisolated(nonsending) func verifiedClaims(_ token: String) async -> [String: JsonValue]? {
        guard token.utf8.count <= 16_384, let signature = try? JsonWebSignature(parsing: token),
            let key = keys.published(now: context.now).first(where: {
                $0.keyID != nil && $0.keyID == signature.keyID
            })
        else { return nil }
        do {
            try signature.verify(with: key, allowing: Set(context.configuration.signatureAlgorithms))
            let claims = try signature.claims()
            let issuer = claims["iss"]?.string
            let isOwn = issuer == context.issuer || issuer?.hasPrefix(context.issuer + EndpointPaths.realms) == true
            return isOwn ? claims : nil
        } catch {
            return nil
        }
    }

    /// Publishes the next key shortly before the lifetime of the current one ends.
    private func rotateIfDue() {
        let lead = Self.lead
        guard keys.areOlder(than: context.lifetimes.signingKey - lead, now: context.now) else { return }
        try? keys.rotate(lead: lead, now: context.now)
    }
}

/// The signing keys of each algorithm. A key is published before its first use, and until the last token that it signed has
/// expired.
private struct SigningKeys: Sendable {
    private struct Entry: Sendable {
        let key: SigningKey
        /// The time from which it signs.
        let start: Date
        /// The time from which it is no longer published.
        var end: Date?
    }

    private static let limit = 16
    private let algorithms: [SignatureAlgorithm]
    private var entries: [Entry] = []

    init(_ algorithms: [SignatureAlgorithm], now: Date) throws(JoseError) {
        self.algorithms = algorithms
        for algorithm in algorithms {
            entries.append(Entry(key: try .generate(algorithm, keyID: Secret.randomName()), start: now, end: nil))
        }
    }

    /// Returns the key that signs now with an algorithm, by default the first.
    func signing(_ algorithm: SignatureAlgorithm?, now: Date) -> SigningKey? {
        let algorithm = algorithm ?? algorithms.first
        return entries.last { $0.key.algorithm == algorithm && $0.start <= now }?.key
    }

    /// Returns the public keys that clients need to verify tokens.
    func published(now: Date) -> [JsonWebKey] {
        entries.filter { entry in entry.end.map { $0 > now } ?? true }.compactMap(\.key.publicJsonWebKey)
    }

    /// Adds a key for each algorithm.
    ///
    /// - Parameters:
    ///   - lead: The time until the new keys sign, in seconds.
    ///   - keeping: The time that the previous keys remain published after that, in seconds.
    mutating func rotate(lead: TimeInterval, keeping: TimeInterval = 24 * 3600, now: Date) throws(JoseError) {
        var added: [Entry] = []
        for algorithm in algorithms {
            added.append(Entry(key: try .generate(algorithm, keyID: Secret.randomName()), start: now + lead, end: nil))
        }
        for index in entries.indices where entries[index].end == nil {
            entries[index].end = now + lead + keeping
        }
        entries.removeAll { entry in entry.end.map { $0 <= now } ?? false }
        entries = entries.suffix(Self.limit * algorithms.count) + added
    }

    /// Returns a Boolean value that indicates whether the newest keys have been in use for longer than an age in seconds.
    func areOlder(than age: TimeInterval, now: Date) -> Bool {
        entries.allSatisfy { $0.start + age <= now }
    }
}
