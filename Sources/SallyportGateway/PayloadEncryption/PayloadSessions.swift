import Foundation
import SallyportResource

/// The sessions of a gateway, and the counters of their requests.
///
/// Anybody can open sessions, also by repeating the message of a client. Only the client can send a valid request, because it has the keys.
/// Sessions without one are therefore in a table of their own, where they cannot displace those in use.
struct PayloadSessions: Sendable {
    private struct Entry: Sendable {
        let session: PayloadSession
        let address: String
        let end: Date
        var accepted = ReplayWindow()
    }

    /// The sessions without a valid request.
    private var pending: ExpiringTable<String, Entry>
    /// The other sessions.
    private var confirmed: ExpiringTable<String, Entry>
    /// The time of the last removal of expired sessions.
    private var swept = Date.distantPast

    /// Creates empty tables with the maximum numbers of sessions. When a table is full, the oldest ones of the addresses with the most
    /// sessions are removed.
    init(pendingLimit: Int = 4096, confirmedLimit: Int = 16_384) {
        pending = ExpiringTable(limit: pendingLimit, owner: { $1.address })
        confirmed = ExpiringTable(limit: confirmedLimit, owner: { $1.address })
    }

    /// Stores a session that a client has opened from an address.
    mutating func add(_ session: PayloadSession, of address: String, until end: Date, now: Date) {
        removeExpired(now)
        let entry = Entry(session: session, address: address, end: end)
        pending.insert(entry, for: session.id, until: end, now: now)
    }

    /// Returns a session, if it has not expired.
    func session(_ id: String, now: Date) -> PayloadSession? {
        (confirmed.value(for: id, now: now) ?? pending.value(for: id, now: now))?.session
    }

    /// Accepts the counter of a valid request once.
    ///
    /// - Returns: `false` if the counter is refused, `nil` if there is no such session any more.
    mutating func accept(_ counter: UInt64, of id: String, now: Date) -> Bool? {
        removeExpired(now)
        if let entry = pending.remove(id) { confirmed.insert(entry, for: id, until: entry.end, now: now) }
        return confirmed.update(id, now: now) { $0.accepted.accept(counter) }
    }

    /// Removes expired sessions at most once a minute, so that their keys do not remain in memory.
    private mutating func removeExpired(_ now: Date) {
        guard now >= swept + 60 else { return }
        swept = now
        pending.removeExpired(now: now)
        confirmed.removeExpired(now: now)
    }
}
