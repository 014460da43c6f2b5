import Foundation
import SallyportJOSE

/// The keys that sign, by algorithm: a new one is published before it signs, an old one while its tokens may live.
struct SigningKeys: Sendable {
    private struct Entry: Sendable {
        let key: SigningKey
        /// When it begins to sign.
        let start: Date
        /// When it is no longer published.
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

    /// The key that signs now, by an algorithm or the first.
    func signing(_ algorithm: SignatureAlgorithm?, now: Date) -> SigningKey? {
        let algorithm = algorithm ?? algorithms.first
        return entries.last { $0.key.algorithm == algorithm && $0.start <= now }?.key
    }

    /// What clients verify with.
    func published(now: Date) -> [JsonWebKey] {
        entries.filter { entry in entry.end.map { $0 > now } ?? true }.compactMap(\.key.publicJsonWebKey)
    }

    /// Adds a key for each algorithm, which signs after a while. Those before it stay published for some time after that.
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

    /// Whether the newest has signed for so long.
    func areOlder(than age: TimeInterval, now: Date) -> Bool {
        entries.allSatisfy { $0.start + age <= now }
    }
}
