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
/// Apps need the ``publicKeys``. Clients open sessions at ``handshakePath``. Anybody can do so, and the gateway does not limit how often:
/// if others can reach it, a proxy in front of it must limit the rate of handshakes for each address.
public final class GatewayPayloadEncryption: Sendable {
    /// The path at which clients open sessions.
    public static let handshakePath = "/api/v1/payload/handshake"
    /// The path of the public keys.
    static let keysPath = "/api/v1/payload/keys"

    /// The time that a session is stored: ten minutes. During this time, an attacker can deliver a request that it has held back.
    private static let lifetime = 600

    private let keys: [JsonWebKey]
    /// The segments of the paths that accept only encrypted requests, as do all paths below them.
    private let requiredPaths: [[[UInt8]]]
    private let now: @Sendable () -> Date
    private let sessions = Locked(PayloadSessions())

    /// Creates the payload encryption of a gateway.
    ///
    /// - Parameters:
    ///   - keys: The private keys on X25519 or P-256: the current one and, for apps that do not have it, earlier ones.
    ///   - paths: Paths that accept only encrypted requests, as do all paths below them. Others accept both, and so do the paths of the
    ///     handshake and of the public keys in any case.
    /// - Throws: ``GatewayError/invalidPayloadKey(_:)`` if there is no private key or one cannot be used, or
    ///   ``GatewayError/invalidIdentity(_:)`` for a path with dot segments, parameters or invalid escapes.
    public convenience init(keys: [JsonWebKey], requiredFor paths: [String] = []) throws(GatewayError) {
        try self.init(keys: keys, requiredFor: paths, now: { Date() })
    }

    init(keys: [JsonWebKey], requiredFor paths: [String], now: @escaping @Sendable () -> Date) throws(GatewayError) {
        if keys.isEmpty { throw .invalidPayloadKey("there is no key") }
        self.keys = try keys.map { (key) throws(GatewayError) in
            guard key.members["d"] != nil else { throw .invalidPayloadKey("it is not a private key") }
            let checked: JsonWebKey
            do throws(PayloadEncryptionError) {
                checked = try PayloadKey.checked(key)
            } catch {
                throw .invalidPayloadKey("\(error)")
            }
            guard Self.canAnswer(with: checked) else {
                throw .invalidPayloadKey("its private number (d) does not belong to its public key")
            }
            return checked
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

    /// Returns a Boolean value that indicates whether a private key opens a handshake with its public key.
    private static func canAnswer(with key: JsonWebKey) -> Bool {
        guard let handshake = try? PayloadHandshake(with: key) else { return false }
        return (try? PayloadHandshakeAnswer.make(to: handshake.request, with: [key], lifetime: 1)) != nil
    }

    /// The public keys, with their thumbprints as identifiers.
    public var publicKeys: JsonWebKeySet { JsonWebKeySet(keys.map(\.publicKey)) }

    /// Opens a session for the message of a client, and returns the response.
    ///
    /// - Parameters:
    ///   - request: The message.
    ///   - address: The address from which it came.
    func open(_ request: String, from address: String) throws(PayloadRefusal) -> String {
        let (session, response) = try PayloadHandshakeAnswer.make(to: request, with: keys, lifetime: Self.lifetime)
        let now = now()
        sessions.withLock { $0.add(session, of: address, until: now + Double(Self.lifetime), now: now) }
        return response
    }

    /// Verifies the head of a request, and uses up its counter.
    func accept(_ head: PayloadRequestHead, _ seal: String) throws(PayloadRefusal) -> PayloadExchange {
        guard let seal = PayloadRequestSeal(seal) else { throw .invalidMessage }
        let now = now()
        guard let session = sessions.withLock({ $0.session(seal.session, now: now) }) else { throw .unknownSession }
        guard let exchange = session.open(head, seal) else { throw .invalidMessage }
        let isNew = sessions.withLock { $0.accept(seal.counter, of: seal.session, now: now) }
        guard let isNew else { throw .unknownSession }
        if !isNew { throw .replayed }
        return exchange
    }

    /// Returns a Boolean value that indicates whether a path accepts only encrypted requests.
    ///
    /// A path that servers read differently does so if any path does, so that another spelling of a path does not avoid the requirement.
    func isRequired(for path: String) -> Bool {
        // Clients need these before they can encrypt.
        if path == Self.handshakePath || path == Self.keysPath { return false }
        guard let segments = try? path.pathSegments() else { return !requiredPaths.isEmpty }
        return requiredPaths.contains { segments.starts(with: $0) }
    }
}
