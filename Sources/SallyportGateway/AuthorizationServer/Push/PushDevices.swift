import Crypto
import Foundation
import SallyportJOSE

/// The devices that users approve sign-ins with, and the push messages for them. The gateway keeps the messages until the device asks for
/// them, instead of a push service.
final class PushDevices {
    private static let lifetime: TimeInterval = 365 * 24 * 3600
    /// The cookie that an app sends back, as behind a load balancer.
    private static let loadBalancer = "amlbcookie=01"

    /// A registration that an app has not completed yet.
    private struct Offer: Sendable {
        let username: String
        let secret: Data
        let challenge: Data
        var isCompleted = false
    }

    private struct Device: Sendable {
        let username: String
        let secret: Data
        /// The address of the device at the push service.
        var deviceID: String
    }

    /// A message that waits for an answer.
    private struct Request: Sendable {
        let mechanism: String
        let challenge: Data
        /// The number that the user must select; `nil` if there is none.
        let number: Int?
        var decision = PushDecision.pending
    }

    /// A message that has not been delivered.
    private struct Mail: Sendable {
        let message: DeliveredPushMessage
        let end: Date
    }

    private let context: ServerContext
    private var offers = ExpiringTable<String, Offer>(limit: 4096) { $1.username }
    /// The devices by the identifier that the app has chosen (`mechanismUid`).
    private var devices = ExpiringTable<String, Device>(limit: 4096) { $1.username }
    /// The current device of each user.
    private var mechanisms = ExpiringTable<String, String>(limit: 4096)
    private var requests = ExpiringTable<String, Request>(limit: 4096) { $1.mechanism }
    /// The messages that have not been delivered, by the address of the device.
    private var mailboxes = ExpiringTable<String, [Mail]>(limit: 4096)

    init(_ context: ServerContext) {
        self.context = context
    }

    // MARK: Registration

    /// Begins the registration of a device.
    ///
    /// - Parameters:
    ///   - username: The user.
    ///   - end: The time at which the registration expires.
    ///   - generator: A generator of one-time passwords that the app registers as well, if any.
    /// - Returns: The identifier of the registration, and the URI for the app: `pushauth`, or `mfauth` with a generator.
    func offer(
        to username: String,
        until end: Date,
        with generator: OneTimePasswordDevices.Generator? = nil
    ) -> (id: String, uri: String) {
        let id = "REGISTER:\(Secret.randomName())"
        let offer = Offer(username: username, secret: Secret.bytes(), challenge: Secret.bytes())
        offers.insert(offer, for: id, until: end, now: context.now)
        func encoded(_ text: String) -> String { Base64Url.encode(Data(text.utf8)) }
        let address = "\(context.issuer)\(PushRoutes.path)?_action="
        let parameters = [
            ("s", Base64Url.encode(offer.secret)), ("c", Base64Url.encode(offer.challenge)), ("m", id),
            ("r", encoded(address + AuthenticatorAction.register.rawValue)),
            ("a", encoded(address + AuthenticatorAction.authenticate.rawValue)), ("l", encoded(Self.loadBalancer)),
            ("issuer", encoded("Sallyport")), ("b", "0b5d4b"),
        ]
        let query = parameters.map { "\($0)=\($1.formEncoded)" }.joined(separator: "&")
        let label = "Sallyport:\(username.formEncoded)"
        guard let generator else { return (id, "pushauth://push/\(label)?\(query)") }
        return (
            id,
            "mfauth://\(generator.kind.rawValue)/\(label)?\(query)&secret=\(generator.password.base32)&\(generator.parameters)"
        )
    }

    /// Returns a Boolean value that indicates whether a registration has been completed.
    func isCompleted(_ id: String) -> Bool { offers.value(for: id, now: context.now)?.isCompleted ?? false }

    /// Completes a registration.
    nonisolated(nonsending) func register(_ request: AuthenticatorRequest) async throws(JourneyRefusal) {
        guard let id = request.messageID, let offer = offers.value(for: id, now: context.now), !offer.isCompleted else {
            throw .badRequest("The registration has expired, or was completed before (messageId).")
        }
        let claims = try await request.claims(signedWith: offer.secret)
        try Self.check(claims, offer.challenge, offer.secret)
        let mechanism = try claims.push("mechanismUid")
        let deviceID = try claims.push("deviceId")
        let now = context.now
        // The verification suspends: another request may have completed the registration.
        guard offers.value(for: id, now: now)?.isCompleted == false else {
            throw .badRequest("The registration has expired, or was completed before (messageId).")
        }
        let old = mechanisms.value(for: offer.username, now: now)
        guard mechanism == old || devices.value(for: mechanism, now: now) == nil else {
            throw .badRequest("The mechanismUid is in use.")
        }
        // The new device replaces the previous one.
        if let old { devices.remove(old) }
        let device = Device(username: offer.username, secret: offer.secret, deviceID: deviceID)
        guard devices.insertNew(device, for: mechanism, until: now + Self.lifetime, now: now) else {
            throw .badRequest("There are too many devices.")
        }
        mechanisms.insert(mechanism, for: offer.username, until: now + Self.lifetime, now: now)
        offers.update(id, now: now) { $0.isCompleted = true }
    }

    /// Changes the address of a device.
    nonisolated(nonsending) func refresh(_ request: AuthenticatorRequest) async throws(JourneyRefusal) {
        guard let mechanism = request.mechanismUID, let device = devices.value(for: mechanism, now: context.now) else {
            throw .badRequest("The mechanismUid is unknown.")
        }
        let claims = try await request.claims(signedWith: device.secret)
        let deviceID = try claims.push("deviceId")
        devices.update(mechanism, now: context.now) { $0.deviceID = deviceID }
    }

    /// Removes the devices of a user, and the registrations that have not been completed.
    func removeAll(of username: String) {
        mechanisms.remove(username)
        devices.removeAll { $0.username == username }
        offers.removeAll { $0.username == username }
    }

    // MARK: Messages

    /// Sends a message to the device of a user.
    ///
    /// - Parameters:
    ///   - message: The content of the message.
    ///   - username: The user.
    ///   - lifetime: The time until the message expires, in seconds.
    /// - Returns: The identifier of the message, and the number that the user must select, if there is one; `nil` if the user has no device.
    nonisolated(nonsending) func send(
        _ message: PushContent,
        to username: String,
        lifetime: TimeInterval
    ) async throws(JourneyRefusal) -> (id: String, number: Int?)? {
        let now = context.now
        guard let mechanism = mechanisms.value(for: username, now: now),
            let device = devices.value(for: mechanism, now: now)
        else { return nil }
        let id = "AUTHENTICATE:\(Secret.randomName())"
        let challenge = Secret.bytes()
        let numbers = message.kind == .challenge ? (10..<100).shuffled().prefix(3) : []
        let number = numbers.randomElement()
        var claims: [String: JsonValue] = [
            "c": .string(challenge.base64EncodedString()),
            "l": .string(Base64Url.encode(Data(Self.loadBalancer.utf8))),
            "t": .string("\(Int(lifetime))"),
            "u": .string(mechanism),
            "i": .integer(Int64(now.timeIntervalSince1970 * 1000)),
            "m": .string(message.text),
            "k": .string(message.kind.rawValue),
            "d": .string(username),
        ]
        if !numbers.isEmpty { claims["n"] = .string(numbers.map(String.init).joined(separator: ",")) }
        claims["p"] = message.payload.map { .string($0) }
        claims["x"] = message.context.map { .string($0) }
        let token: String
        do {
            token = try JsonWebSignature.sign(claims, with: try SigningKey(secret: device.secret))
        } catch {
            throw JourneyRefusal(status: .internalServerError, message: "The push message could not be signed.")
        }
        let end = now + lifetime
        requests.insert(
            Request(mechanism: mechanism, challenge: challenge, number: number),
            for: id,
            until: end,
            now: now
        )
        let waiting = (mailboxes.value(for: device.deviceID, now: now) ?? []).filter { $0.end > now }
        let mail = waiting.suffix(15) + [Mail(message: DeliveredPushMessage(messageId: id, message: token), end: end)]
        mailboxes.insert(Array(mail), for: device.deviceID, until: mail.map(\.end).max() ?? end, now: now)
        return (id, number)
    }

    /// Returns the decision about a message. It is ``PushDecision/expired`` once the message has expired.
    func decision(_ id: String) -> PushDecision { requests.value(for: id, now: context.now)?.decision ?? .expired }

    /// Removes a message.
    func cancel(_ id: String) { requests.remove(id) }

    /// Returns the messages for a device, and removes them.
    func collect(_ deviceID: String) -> [DeliveredPushMessage] {
        let now = context.now
        return (mailboxes.remove(deviceID) ?? []).filter { $0.end > now }.map(\.message)
    }

    /// Stores the answer to a message, which can be given once.
    nonisolated(nonsending) func answer(_ request: AuthenticatorRequest) async throws(JourneyRefusal) {
        let unknown = JourneyRefusal.badRequest("The message has expired, or was answered before (messageId).")
        guard let id = request.messageID, let message = requests.value(for: id, now: context.now),
            message.decision == .pending, let device = devices.value(for: message.mechanism, now: context.now)
        else { throw unknown }
        let claims = try await request.claims(signedWith: device.secret)
        try Self.check(claims, message.challenge, device.secret)
        // Anything but false is a denial.
        let isDenied = claims["deny"].map { $0 != false } ?? false
        let selected = claims["challengeResponse"]?.string ?? claims["challengeResponse"]?.integer.map { "\($0)" }
        let isRight = message.number.map { "\($0)" == selected } ?? true
        let stored = requests.update(id, now: context.now) { message -> Bool in
            guard message.decision == .pending else { return false }
            message.decision = isDenied ? .denied : isRight ? .approved : .wrongNumber
            return true
        }
        guard stored == true else { throw unknown }
        guard isDenied || isRight else {
            throw .badRequest("The number of the challenge is wrong (challengeResponse).")
        }
    }

    /// Checks the response to a challenge.
    private static func check(
        _ claims: [String: JsonValue],
        _ challenge: Data,
        _ secret: Data
    ) throws(JourneyRefusal) {
        let code = HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: secret))
        guard let response = claims["response"]?.string,
            ConstantTime.areEqual(response.utf8, Data(code).base64EncodedString().utf8)
        else { throw .badRequest("The response does not match the challenge (response).") }
    }
}

/// The decision of a user about a push message.
enum PushDecision: Sendable, Equatable {
    case pending, approved, denied, wrongNumber, expired
}

/// The content of a push message.
struct PushContent: Sendable {
    /// The way the user approves the message.
    enum Kind: String, CaseIterable, Sendable {
        case `default`, challenge, biometric
    }

    let text: String
    let kind: Kind
    /// Data for the app.
    let payload: String?
    /// The circumstances of the sign-in, in JSON by convention.
    let context: String?
}

/// A push message as it is delivered to a device.
struct DeliveredPushMessage: Sendable, Codable, Equatable {
    let messageId: String
    /// The signed message (a JWT).
    let message: String
}

extension [String: JsonValue] {
    /// Returns the text of a claim that an app has sent.
    fileprivate func push(_ name: String) throws(JourneyRefusal) -> String {
        guard let text = self[name]?.string, (1...2048).contains(text.utf8.count) else {
            throw .badRequest("The claim \(name) is missing, or longer than 2048 bytes.")
        }
        return text
    }
}
