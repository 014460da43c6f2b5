import Crypto
import Foundation
import SallyportJOSE
import SallyportTransport

/// A verified request of a server to approve a sign-in.
///
/// ``PushClient/receive(_:messageID:)`` creates it. Its description contains no challenge.
public struct PushMessage: Sendable, Codable, Identifiable {
    /// The way to approve a message.
    public enum Kind: Sendable, Codable, Equatable {
        /// The user approves the sign-in.
        case approval
        /// The user chooses the number that the sign-in page shows from these numbers, and approves the sign-in with it.
        case numbers([Int])
        /// The app verifies the user, for example by biometry, before it approves the sign-in.
        case biometric
    }

    /// The identifier of the message, which is derived from its signed content.
    public let id: String
    /// The identifier of the message at the server (`messageId`), which is not part of the signed content.
    public let messageID: String
    /// The identifier of the mechanism that the message is for.
    public let mechanismID: String
    /// The time at which the server sent the message.
    public let sentAt: Date
    /// The time after which the message cannot be answered.
    public let expiresAt: Date
    /// The way to approve the message.
    public let kind: Kind
    /// The text to show to the user, if there is one. Show it with control characters escaped.
    public let text: String?
    /// Information about the sign-in as JSON, such as its location and browser, if there is any.
    public let context: String?
    /// The identifier of the user, if there is one.
    public let userID: String?
    /// Information that the server's administrator added, if there is any.
    public let customPayload: String?

    let challenge: Data
    let loadBalancerCookie: String?
}

extension PushMessage: CustomStringConvertible, CustomReflectable {
    /// The server's text, the time at which it was sent, and the expiry, safe to show on one line.
    public var description: String {
        let text = VisibleText.line(text ?? "push message", longest: 300)
        return "\(text), sent \(sentAt.formatted(.iso8601)), until \(expiresAt.formatted(.iso8601))"
    }

    /// The same as ``description``, so that `dump` prints no challenge either.
    public var customMirror: Mirror { Mirror(self, children: ["message": description], displayStyle: .struct) }
}

/// The signed form of a push message (JWS). Only its mechanism can be read before it is verified.
struct SignedPushMessage {
    /// The maximum length in bytes, which is the same as for notifications of APNs and FCM.
    static let maximumLength = 4096
    /// The maximum lifetime in seconds. A longer lifetime is shortened, because received messages are stored for that time.
    private static let maximumLifetime: TimeInterval = 86_400
    /// The maximum difference in seconds between the clocks of the server and the device, if the device's is slow.
    private static let clockTolerance: TimeInterval = 60

    /// The mechanism that the message states.
    let mechanismID: String
    private let signature: JsonWebSignature
    private let claims: [String: JsonValue]
    private let id: String

    init(_ token: String) throws(MechanismError) {
        guard token.utf8.count <= Self.maximumLength else {
            throw Self.malformed("it is longer than \(Self.maximumLength) bytes")
        }
        do throws(JoseError) {
            signature = try JsonWebSignature(parsing: token)
            claims = try signature.claims()
        } catch {
            throw Self.malformed(error.description)
        }
        guard let mechanism = claims["u"]?.string else { throw Self.malformed("it names no mechanism (u)") }
        mechanismID = mechanism
        id = Base64Url.encode(Data(SHA256.hash(data: Data(token.utf8))))
    }

    /// Verifies the signature and returns the message.
    ///
    /// - Parameters:
    ///   - mechanism: The mechanism that the message names.
    ///   - messageID: The identifier of the message at the server.
    ///   - now: The current time.
    func verified(
        by mechanism: PushMechanism,
        messageID: String,
        at now: Date
    ) throws(MechanismError) -> PushMessage {
        do throws(JoseError) {
            try signature.verify(sharedSecret: mechanism.secret)
        } catch {
            throw MechanismError(
                .invalidSignature,
                "the push message is refused, because it is not signed by the server of \(mechanism)",
                advice: "somebody may be pretending to be that server; approve only sign-ins that you started"
            )
        }
        guard (1...256).contains(messageID.utf8.count) else {
            throw Self.malformed("its messageId is empty or too long")
        }
        guard let sent = number("i"), let lifetime = number("t"), lifetime > 0 else {
            throw Self.malformed("it does not state its time or lifetime (i, t)")
        }
        guard let challenge = claims["c"]?.string.flatMap(EitherBase64.decode), !challenge.isEmpty else {
            throw Self.malformed("it has no challenge in base64 (c)")
        }
        let sentAt = Date(timeIntervalSince1970: sent / 1000)
        let message = PushMessage(
            id: id,
            messageID: messageID,
            mechanismID: mechanism.id,
            sentAt: sentAt,
            expiresAt: sentAt + min(lifetime, Self.maximumLifetime),
            kind: try kind,
            text: claims["m"]?.string,
            context: claims["x"]?.string,
            userID: claims["d"]?.string,
            customPayload: claims["p"]?.string,
            challenge: challenge,
            loadBalancerCookie: try loadBalancerCookie
        )
        guard sentAt <= now + Self.clockTolerance else {
            throw MechanismError(
                .notYetValid,
                "the push message was sent in the future",
                advice: "set the clock of this device"
            )
        }
        guard now < message.expiresAt else { throw .expired(message) }
        return message
    }

    private var kind: PushMessage.Kind {
        get throws(MechanismError) {
            switch claims["k"]?.string ?? "default" {
            case "default": return .approval
            case "biometric": return .biometric
            case "challenge":
                let numbers =
                    claims["n"]?.string?.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) } ?? []
                guard (1...10).contains(numbers.count), numbers.allSatisfy({ (0...9999).contains($0 ?? -1) }) else {
                    throw Self.malformed("it has no numbers to choose from (n)")
                }
                return .numbers(numbers.compactMap(\.self))
            default: throw Self.malformed("its kind is not supported (k)")
            }
        }
    }

    private var loadBalancerCookie: String? {
        get throws(MechanismError) {
            guard let text = claims["l"]?.string, !text.isEmpty else { return nil }
            guard let cookie = EitherBase64.decode(text).flatMap({ String(data: $0, encoding: .utf8) }),
                LoadBalancerCookie.isValid(cookie)
            else { throw Self.malformed("its load balancer cookie is invalid (l)") }
            return cookie
        }
    }

    /// Returns the number in a claim, which servers send as a number or as text.
    private func number(_ name: String) -> Double? {
        let number = claims[name]?.number ?? claims[name]?.string.flatMap { Int64($0) }.map(Double.init)
        return number.flatMap { abs($0) < 1e15 ? $0 : nil }
    }

    private static func malformed(_ problem: String) -> MechanismError {
        MechanismError(.malformedMessage, "the push message is refused: \(problem)")
    }
}

extension MechanismError {
    /// Returns the error for a message that has expired.
    static func expired(_ message: PushMessage) -> MechanismError {
        MechanismError(
            .expired,
            "the push message expired at \(message.expiresAt)",
            advice: "start the sign-in again; if the message is new, set the clock of this device"
        )
    }
}
