import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTransport

/// Approves sign-ins with push messages, as the authenticator app of PingAM does.
///
/// ```swift
/// let push = PushClient(store: FileMechanismStore(at: file, key: key), owner: "alice")
/// let device = PushDevice(token: token, name: "laptop", type: "ios", communicationType: "apns")
/// try await push.enroll("pushauth://push/Example:alice?…", device: device)  // the content of the QR code
///
/// let message = try await push.receive(notification.jwt, messageID: notification.messageID)
/// print(message)
/// try await push.approve(message)  // or deny(_:), or approve(_:number:)
/// ```
///
/// Every request is sent with an `Action` to the URL from the enrollment, and redirects are not followed.
///
/// The server issues the secret of a mechanism. A secret of less than 16 bytes is refused: whoever sees one message or response can search
/// for it without the server, and then approve sign-ins and forge messages. A secret of less than 32 bytes, which RFC 7518, section 3.2
/// requires, is accepted, because servers issue such secrets. Configure the server to issue 32 random bytes.
public struct PushClient: Sendable {
    private let record: OwnedRecord<MechanismRecord, MechanismError>
    private let endpoints: PushEndpoints
    private let clock: TimeSource

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - store: The store of the mechanisms, such as a ``FileMechanismStore`` with a key.
    ///   - owner: A name for the owner of the mechanisms, such as the name of a profile. A record of another owner is refused.
    ///   - httpClient: The client that sends the requests. Its cookies are neither sent nor changed.
    public init(
        store: any RecordStore<MechanismRecord>,
        owner: String,
        httpClient: HttpClient? = nil
    ) {
        self.init(store: store, owner: owner, httpClient: httpClient, clock: .system)
    }

    package init(
        store: any RecordStore<MechanismRecord>,
        owner: String,
        httpClient: HttpClient?,
        clock: TimeSource
    ) {
        record = OwnedRecord(mechanismsIn: store, owner: owner)
        self.clock = clock
        endpoints = PushEndpoints(httpClient)
    }

    // MARK: Mechanisms

    /// Enrolls this device at the server that issued a URI (`PUSH_REGISTER`).
    ///
    /// The mechanism is stored before the request is sent, and removed again if the server did not receive or refused the request.
    /// After any other failure, such as a timeout, it remains: the server may have enrolled it. It is safe to enroll the same URI again.
    ///
    /// - Parameters:
    ///   - uri: The URI in the server's QR code, `pushauth://push/…` or `mfauth://…`. Pass an `mfauth` URI for one-time passwords to
    ///     ``OneTimePasswords/add(_:)`` as well.
    ///   - device: The device that receives the messages.
    /// - Throws: ``MechanismError``.
    @discardableResult
    public func enroll(_ uri: String, device: PushDevice) async throws(MechanismError) -> PushMechanism {
        try await enroll(uri) { _ in device }
    }

    /// Enrolls this device as ``enroll(_:device:)`` does.
    ///
    /// - Parameter device: A closure that returns the device for a server.
    package func enroll(
        _ uri: String,
        device: (PushServer) -> PushDevice
    ) async throws(MechanismError) -> PushMechanism {
        let enrollment = try PushEnrollment(uri)
        let device = device(PushServer(endpoint: enrollment.registrationURL))
        try device.check()
        let (mechanism, isNew) = try await record.change { record throws(MechanismError) in
            try record.add(enrollment)
        }
        do throws(MechanismError) {
            var claims = device.claims
            claims["mechanismUid"] = .string(mechanism.id)
            claims["response"] = .string(mechanism.response(to: enrollment.challenge))
            try await endpoints.send(
                .pushRegister,
                to: enrollment.registrationURL,
                ["messageId": enrollment.messageID, "jwt": try mechanism.sign(claims)],
                cookie: enrollment.loadBalancerCookie
            )
        } catch {
            // If the removal fails, an unused mechanism remains.
            if isNew, !error.mayHaveSucceeded { try? await remove(mechanism.id) }
            throw error
        }
        if isNew { return mechanism }
        // The server may have issued other endpoints for the same secret.
        let renewed = PushMechanism(id: mechanism.id, enrollment)
        try await record.change { record in
            if let index = record.push.firstIndex(where: { $0.id == renewed.id }) { record.push[index] = renewed }
        }
        return renewed
    }

    /// Returns the enrolled mechanisms, in the order of their enrollment.
    public func mechanisms() async throws(MechanismError) -> [PushMechanism] { try await record.load().push }

    /// Removes a mechanism and its messages from this device. The server is not informed.
    ///
    /// - Parameter id: The identifier of the mechanism.
    /// - Throws: ``MechanismError`` with the reason ``MechanismError/Reason/unknownMechanism`` if there is no such mechanism.
    public func remove(_ id: PushMechanism.ID) async throws(MechanismError) {
        try await record.change { record throws(MechanismError) in
            _ = try record.mechanism(id)
            record.push.removeAll { $0.id == id }
            record.pending.removeAll { $0.mechanismID == id }
        }
    }

    /// Registers a changed token or name of the device for all mechanisms (`PUSH_UPDATE`).
    ///
    /// - Throws: ``MechanismError``, the first one if several requests fail. Call it again to repeat the failed ones.
    public func update(_ device: PushDevice) async throws(MechanismError) {
        try device.check()
        var firstError: MechanismError?
        for mechanism in try await mechanisms() {
            do throws(MechanismError) {
                try await endpoints.send(
                    .pushUpdate,
                    to: mechanism.registrationURL,
                    action: "refresh",
                    ["mechanismUid": mechanism.id, "jwt": try mechanism.sign(device.claims)],
                    cookie: mechanism.loadBalancerCookie
                )
            } catch {
                if firstError == nil { firstError = error }
            }
        }
        if let firstError { throw firstError }
    }

    // MARK: Messages

    /// Verifies a push message, and stores it until it is answered or expires.
    ///
    /// Its signature, its age and its form are checked, and a message that was received before is refused. Nothing is sent.
    ///
    /// - Parameters:
    ///   - token: The signed message (JWS), as in the notification.
    ///   - messageID: The identifier of the message (`messageId`), as in the notification.
    /// - Throws: ``MechanismError``.
    @discardableResult
    public func receive(_ token: String, messageID: String) async throws(MechanismError) -> PushMessage {
        let signed = try SignedPushMessage(token)
        let now = clock.date()
        return try await record.change { record throws(MechanismError) in
            let mechanism = try record.mechanism(signed.mechanismID)
            let message = try signed.verified(by: mechanism, messageID: messageID, at: now)
            try record.add(message, at: now)
            return message
        }
    }

    /// Returns the messages that have been received, but not answered, and that have not expired.
    public func pendingMessages() async throws(MechanismError) -> [PushMessage] {
        let now = clock.date()
        return try await record.load().pending.filter { $0.expiresAt > now }
    }

    /// Approves the sign-in of a message without numbers (`PUSH_AUTHENTICATE`).
    ///
    /// If ``PushMessage/kind`` is ``PushMessage/Kind/biometric``, verify the user first.
    ///
    /// - Throws: ``MechanismError``. The message can still be answered if the request failed or was refused.
    public func approve(_ message: PushMessage) async throws(MechanismError) {
        if case .numbers = message.kind {
            throw MechanismError(
                .wrongNumber,
                "the sign-in can be approved only with the number that its page shows",
                advice: "choose that number, or deny the sign-in if you did not start it"
            )
        }
        try await answer(message, [:])
    }

    /// Approves the sign-in of a message with the number that the user chose from ``PushMessage/Kind/numbers(_:)``
    /// (`PUSH_AUTHENTICATE`).
    ///
    /// - Throws: ``MechanismError``; see ``approve(_:)``.
    public func approve(_ message: PushMessage, number: Int) async throws(MechanismError) {
        guard case .numbers(let numbers) = message.kind, numbers.contains(number) else {
            throw MechanismError(
                .wrongNumber,
                "the number is not one of those in the push message",
                advice: "choose the number that the page of the sign-in shows"
            )
        }
        try await answer(message, ["challengeResponse": .string(String(number))])
    }

    /// Denies the sign-in of a message (`PUSH_AUTHENTICATE`).
    ///
    /// - Throws: ``MechanismError``; see ``approve(_:)``.
    public func deny(_ message: PushMessage) async throws(MechanismError) {
        try await answer(message, ["deny": true])
    }

    private func answer(_ message: PushMessage, _ answer: [String: JsonValue]) async throws(MechanismError) {
        // It is no longer pending while the answer is sent, so that another task or process cannot answer it differently.
        let (pending, mechanism) = try await record.change { record throws(MechanismError) in
            guard let index = record.pending.firstIndex(where: { $0.id == message.id }) else {
                throw MechanismError(.notPending, "the push message was answered already, or its mechanism was removed")
            }
            let pending = record.pending.remove(at: index)
            return (pending, try record.mechanism(pending.mechanismID))
        }
        guard clock.date() < pending.expiresAt else { throw .expired(pending) }
        do throws(MechanismError) {
            var claims = answer
            claims["response"] = .string(mechanism.response(to: pending.challenge))
            try await endpoints.send(
                .pushAuthenticate,
                to: mechanism.authenticationURL,
                ["messageId": pending.messageID, "jwt": try mechanism.sign(claims)],
                cookie: pending.loadBalancerCookie ?? mechanism.loadBalancerCookie
            )
        } catch {
            await restore(pending)
            throw error
        }
    }

    /// Makes a message that could not be answered pending again, even if the task was cancelled. If it cannot be stored, the sign-in
    /// expires.
    private func restore(_ message: PushMessage) async {
        let change = Task { [record] in
            try? await record.change { record in
                if record.push.contains(where: { $0.id == message.mechanismID }) { record.pending.append(message) }
            }
        }
        await change.value
    }
}

extension MechanismRecord {
    /// Returns the push mechanism with an identifier.
    fileprivate func mechanism(_ id: PushMechanism.ID) throws(MechanismError) -> PushMechanism {
        guard let mechanism = push.first(where: { $0.id == id }) else {
            throw MechanismError(
                .unknownMechanism,
                "this device has no such push mechanism",
                advice: "enroll it, or remove this device from the account at the server"
            )
        }
        return mechanism
    }

    /// Adds the mechanism of an enrollment, or finds the one that was added by the same enrollment.
    fileprivate mutating func add(_ enrollment: PushEnrollment) throws(MechanismError) -> (PushMechanism, isNew: Bool) {
        let existing = push.first { known in
            known.secret == enrollment.secret && known.authenticationURL == enrollment.authenticationURL
                && known.account == enrollment.account
        }
        if let existing { return (existing, false) }
        try checkSpace(after: push.count)
        let mechanism = PushMechanism(id: UUID().uuidString, enrollment)
        push.append(mechanism)
        return (mechanism, true)
    }

    /// Adds a verified message, unless it was received before.
    fileprivate mutating func add(_ message: PushMessage, at now: Date) throws(MechanismError) {
        removeExpired(at: now)
        guard received[message.id] == nil else {
            throw MechanismError(
                .replayed,
                "the push message was received before",
                advice: "start the sign-in again if you want to approve one"
            )
        }
        guard received.count < Self.maximumReceived, pending.count < Self.maximumPending else {
            throw MechanismError(
                .full,
                "too many push messages were received; this one is refused",
                advice: "deny the others, or wait until they expire"
            )
        }
        received[message.id] = message.expiresAt
        pending.append(message)
    }
}

extension PushMechanism {
    /// Returns the response to a challenge: its HMAC with the secret, in base64.
    fileprivate func response(to challenge: Data) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: secret))
        return Data(code).base64EncodedString()
    }

    /// Returns a JWT with claims, signed with the secret.
    fileprivate func sign(_ claims: [String: JsonValue]) throws(MechanismError) -> String {
        do throws(JoseError) {
            return try JsonWebSignature.sign(claims, sharedSecret: secret)
        } catch {
            throw MechanismError(.malformedMessage, "the response cannot be signed: \(error.description)")
        }
    }
}
