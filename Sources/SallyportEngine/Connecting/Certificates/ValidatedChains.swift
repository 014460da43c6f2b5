import Foundation
import SallyportStorage
import SallyportTransport
import X509

/// A cache of the chains that were validated in earlier handshakes, which avoids verifying their signatures again.
///
/// An entry applies only to the same bytes from a server of the same name, while all its certificates are valid. Every
/// handshake still proves that the server has the private key of its certificate.
final class ValidatedChains: Sendable {
    private struct Key: Hashable {
        let server: TLSServerName
        let presented: [[UInt8]]
    }

    private struct Entry {
        let chain: [Certificate]
        let validity: ClosedRange<Date>
    }

    private let limit: Int
    private let entries = Locked<[Key: Entry]>([:])

    init(limit: Int = 64) {
        self.limit = limit
    }

    /// The number of cached chains.
    var count: Int { entries.withLock { $0.count } }

    /// Returns the cached chain for the certificates of a server; `nil` if there is none, or it is not valid at the
    /// time.
    func chain(for presented: [[UInt8]], of server: TLSServerName, at time: Date = .now) -> [Certificate]? {
        let entry = entries.withLock { $0[Key(server: server, presented: presented)] }
        guard let entry, entry.validity.contains(time) else { return nil }
        return entry.chain
    }

    /// Adds a chain, and removes another if the cache is full.
    func insert(_ chain: [Certificate], for presented: [[UInt8]], of server: TLSServerName) {
        guard let first = chain.map(\.notValidBefore).max(), let last = chain.map(\.notValidAfter).min(), first <= last
        else { return }
        entries.withLock { entries in
            if entries.count >= limit, let other = entries.keys.first { entries[other] = nil }
            entries[Key(server: server, presented: presented)] = Entry(chain: chain, validity: first...last)
        }
    }
}
