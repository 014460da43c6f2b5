import Foundation
import SallyportTransport
import X509

/// The chains that were found valid in earlier handshakes, so that a server that is called again costs no signatures.
///
/// One counts only for the very same bytes from a server of the same name, and for as long as all its certificates are
/// valid. That the server has the key of its certificate is proved by every handshake anew.
final class ValidatedChains: Sendable {
    private struct Key: Hashable {
        let server: ServerName
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

    /// The number of chains that are kept.
    var count: Int { entries.withLock { $0.count } }

    /// The chain that was found for what a server sends, if it is valid at a time.
    func chain(for presented: [[UInt8]], of server: ServerName, at time: Date = .now) -> [Certificate]? {
        let entry = entries.withLock { $0[Key(server: server, presented: presented)] }
        guard let entry, entry.validity.contains(time) else { return nil }
        return entry.chain
    }

    /// Keeps a chain, in place of another if there are too many.
    func keep(_ chain: [Certificate], for presented: [[UInt8]], of server: ServerName) {
        guard let first = chain.map(\.notValidBefore).max(), let last = chain.map(\.notValidAfter).min(), first <= last
        else { return }
        entries.withLock { entries in
            if entries.count >= limit, let other = entries.keys.first { entries[other] = nil }
            entries[Key(server: server, presented: presented)] = Entry(chain: chain, validity: first...last)
        }
    }
}
