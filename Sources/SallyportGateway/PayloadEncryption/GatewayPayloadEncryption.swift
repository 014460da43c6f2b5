import Foundation
import SallyportJOSE
import SallyportResource
import SallyportStorage

/// The payload encryption of a gateway, as `Docs/payload-encryption.md` specifies it.
///
/// ```swift
/// let key = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
/// var configuration = GatewayConfiguration()
/// configuration.payloadEncryption = try GatewayPayloadEncryption(keys: [key], requiredFor: ["/resources/accounts"])
/// ```
///
/// Apps need the ``publicKeys``. Clients open sessions at ``handshakePath``.
public final class GatewayPayloadEncryption: Sendable {
    /// The path at which clients open sessions.
    public static let handshakePath = "/api/v1/payload/handshake"

    /// The time for which a session is stored: an hour.
    private static let lifetime = 3600
    private static let maximumSessions = 16_384

    private struct Entry: Sendable {
        let session: PayloadSession
        var accepted = ReplayWindow()
    }

    private let keys: [JsonWebKey]
    /// The segments of the paths below which requests have to be encrypted.
    private let requiredPaths: [[[UInt8]]]
    private let now: @Sendable () -> Date
    private let sessions = Locked(ExpiringTable<String, Entry>(limit: GatewayPayloadEncryption.maximumSessions))

    /// Creates the payload encryption of a gateway.
    ///
    /// - Parameters:
    ///   - keys: The private keys on X25519 or P-256: the current one and, for apps that do not have it, earlier ones.
    ///   - paths: Paths that accept only encrypted requests, as do all paths below them. Others accept both.
    /// - Throws: ``GatewayError/invalidPayloadKey(_:)`` if there is no private key or one cannot be used, or
    ///   ``GatewayError/invalidIdentity(_:)`` for a path with dot segments, parameters or invalid escapes.
    public convenience init(keys: [JsonWebKey], requiredFor paths: [String] = []) throws(GatewayError) {
        try self.init(keys: keys, requiredFor: paths, now: { Date() })
    }

    init(keys: [JsonWebKey], requiredFor paths: [String], now: @escaping @Sendable () -> Date) throws(GatewayError) {
        if keys.isEmpty { throw .invalidPayloadKey("there is no key") }
        self.keys = try keys.map { (key) throws(GatewayError) in
            guard key.members["d"] != nil else { throw .invalidPayloadKey("it is not a private key") }
            do throws(PayloadEncryptionError) {
                return try PayloadKey.checked(key)
            } catch {
                throw .invalidPayloadKey("\(error)")
            }
        }
        requiredPaths = try paths.map { (path) throws(GatewayError) in
            do throws(AmbiguousPath) {
                return try path.pathSegments()
            } catch {
                throw .invalidIdentity("The path \(path) cannot require encryption. \(error)")
            }
        }
        self.now = now
    }

    /// The public keys, with their thumbprints as identifiers.
    public var publicKeys: JsonWebKeySet { JsonWebKeySet(keys.map(\.publicKey)) }

    /// Opens a session for the message of a client, and returns the response.
    func open(_ request: String) throws(PayloadRefusal) -> String {
        let (session, response) = try PayloadHandshakeAnswer.make(to: request, with: keys, lifetime: Self.lifetime)
        let now = now()
        sessions.withLock { sessions in
            sessions.insert(Entry(session: session), for: session.id, until: now + Double(Self.lifetime), now: now)
        }
        return response
    }

    /// Verifies the head of a request, whose counter is then used up.
    func accept(_ head: PayloadRequestHead, _ seal: String) throws(PayloadRefusal) -> PayloadExchange {
        guard let seal = PayloadRequestSeal(seal) else { throw .invalidMessage }
        let now = now()
        guard let session = sessions.withLock({ $0.value(for: seal.session, now: now)?.session }) else {
            throw .unknownSession
        }
        guard let exchange = session.open(head, seal) else { throw .invalidMessage }
        let isNew = sessions.withLock { $0.update(seal.session, now: now) { $0.accepted.accept(seal.counter) } }
        guard let isNew else { throw .unknownSession }
        if !isNew { throw .replayed }
        return exchange
    }

    /// Returns a Boolean value that indicates whether a path accepts only encrypted requests.
    ///
    /// A path that servers read differently does so if any path does, so that another spelling of a path does not avoid the requirement.
    func isRequired(for path: String) -> Bool {
        guard let segments = try? path.pathSegments() else { return !requiredPaths.isEmpty }
        return requiredPaths.contains { segments.starts(with: $0) }
    }
}
