import Foundation
import SallyportJOSE

/// The links by which suspended trees continue, and the inbox that they are sent to instead of an email address.
final class MagicLinks {
    /// The path of magic links.
    static let path = "/journeys/resume"
    private static let inboxLifetime: TimeInterval = 24 * 3600

    private let context: ServerContext
    /// The suspended runs, by the hash of their `suspendedId`.
    private var suspended = ExpiringTable<SecretHash, Journeys.Pending>(limit: 4096) { $1.run.state.username ?? "" }
    private var messages = ExpiringTable<Int, GatewayEmail>(limit: 256) { $1.recipient }
    private var messageCount = 0

    init(_ context: ServerContext) {
        self.context = context
    }

    /// The messages of the last day, the newest first.
    var inbox: [GatewayEmail] {
        messages.keys { _ in true }.sorted(by: >).compactMap { messages.value(for: $0, now: context.now) }
    }

    /// Stores a suspended run, and sends the link that continues it.
    func send(_ message: MagicLinkMessage, for journey: Journeys.Pending) {
        let id = Secret.random()
        let now = context.now
        suspended.insert(journey, for: SecretHash(id), until: now + context.lifetimes.magicLink, now: now)
        let link = "\(context.issuer)\(Self.path)?realm=\(journey.realm.formEncoded)&suspendedId=\(id)"
        messageCount += 1
        let email = GatewayEmail(recipient: message.recipient, subject: message.subject, link: link, sentAt: now)
        messages.insert(email, for: messageCount, until: now + Self.inboxLifetime, now: now)
    }

    /// Returns the run of a link, which can be used once.
    func redeem(_ id: String, in realm: String) -> Journeys.Pending? {
        let hash = SecretHash(id)
        guard let journey = suspended.value(for: hash, now: context.now), journey.realm == realm else { return nil }
        suspended.remove(hash)
        return journey
    }
}

/// A message with a link, before the link exists.
struct MagicLinkMessage: Sendable {
    let recipient: String
    let subject: String
}

/// A message in the inbox of the gateway, which sends no email.
public struct GatewayEmail: Sendable, Equatable {
    /// The email address.
    public let recipient: String
    /// The subject.
    public let subject: String
    /// The URL that continues a suspended tree.
    public let link: String
    /// The time at which the message was sent.
    public let sentAt: Date
}
