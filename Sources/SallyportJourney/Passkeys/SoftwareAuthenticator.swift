import Crypto
import Foundation
import SallyportJOSE
import SallyportStorage
import SallyportTransport

/// An authenticator without hardware: it creates passkeys (Web Authentication, ES256) and device keys, and signs with them.
///
/// It is meant for Linux, the command line and tests. On Apple platforms, use `PlatformPasskeys`.
///
/// ```swift
/// let store = FileAuthenticatorStore(at: file, key: key)
/// let authenticator = SoftwareAuthenticator(store: store, owner: "alice", user: TerminalUser())
/// if try await !authenticator.hasPIN() { try await authenticator.setPIN(newPIN) }
/// try await node.answerPasskey(with: authenticator)
/// ```
///
/// The keys are in the store, and whoever can read it can use them: encrypt it. The PIN verifies the user to this object. It does not
/// encrypt the keys, because servers may request signatures without it. After eight wrong attempts in a row, the authenticator is
/// blocked until ``reset()`` removes all keys.
public struct SoftwareAuthenticator: Sendable {
    private let record: OwnedRecord<AuthenticatorRecord, AuthenticatorError>
    private let verifier: UserVerifier
    private let device: AuthenticatorDevice
    private let clock: TimeSource

    /// Creates an authenticator. Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - store: The store of the keys, such as a ``FileAuthenticatorStore`` with a key.
    ///   - owner: A name for the owner of the keys, such as the name of a profile. A record of another owner is refused.
    ///   - user: The object that asks the user.
    ///   - device: The device and app, as servers know them.
    public init(
        store: any RecordStore<AuthenticatorRecord>,
        owner: String,
        user: any AuthenticatorUser,
        device: AuthenticatorDevice = AuthenticatorDevice()
    ) {
        self.init(store: store, owner: owner, user: user, device: device, clock: .system)
    }

    /// - Parameter pinCost: The binary logarithm of the rounds of the PIN's hash.
    package init(
        store: any RecordStore<AuthenticatorRecord>,
        owner: String,
        user: any AuthenticatorUser,
        device: AuthenticatorDevice = AuthenticatorDevice(),
        clock: TimeSource,
        pinCost: Int = AuthenticatorPIN.cost
    ) {
        record = OwnedRecord(store, orElse: AuthenticatorRecord(owner: owner)) { AuthenticatorError(wrapping: $0) }
        verifier = UserVerifier(record: record, user: user, clock: clock, pinCost: pinCost)
        self.device = device
        self.clock = clock
    }

    // MARK: Keys

    /// Returns the passkeys, in the order they were created.
    public func passkeys() async throws(AuthenticatorError) -> [Passkey] { try await record.load().passkeys }

    /// Removes a passkey. The server is not informed.
    ///
    /// - Throws: ``AuthenticatorError`` with the reason ``AuthenticatorError/Reason/noCredential`` if there is no such passkey.
    public func removePasskey(_ id: Passkey.ID) async throws(AuthenticatorError) {
        try await record.change { record throws(AuthenticatorError) in
            guard let index = record.passkeys.firstIndex(where: { $0.id == id }) else {
                throw AuthenticatorError(.noCredential, "the authenticator has no such passkey")
            }
            record.passkeys.remove(at: index)
        }
    }

    /// Returns the device keys, in the order they were created.
    public func deviceKeys() async throws(AuthenticatorError) -> [DeviceKey] { try await record.load().deviceKeys }

    /// Removes a device key. The server is not informed.
    ///
    /// - Throws: ``AuthenticatorError`` with the reason ``AuthenticatorError/Reason/noCredential`` if there is no such key.
    public func removeDeviceKey(_ id: DeviceKey.ID) async throws(AuthenticatorError) {
        try await record.change { record throws(AuthenticatorError) in
            guard let index = record.deviceKeys.firstIndex(where: { $0.id == id }) else {
                throw AuthenticatorError(.noCredential, "the authenticator has no such device key")
            }
            record.deviceKeys.remove(at: index)
        }
    }

    /// Removes the PIN and all keys.
    public func reset() async throws(AuthenticatorError) {
        try await record.change { $0 = AuthenticatorRecord(owner: $0.owner) }
    }

    // MARK: Passkeys

    /// Creates a passkey (Web Authentication, section 6.3.2). It replaces one of the same user at the same relying party.
    private func makePasskey(_ request: PasskeyRegistrationRequest) async throws(AuthenticatorError)
        -> PasskeyRegistration
    {
        let party = try RelyingParty(request.relyingPartyID, origin: request.origin)
        try Self.check(request.challenge)
        guard (1...64).contains(request.userID.count), request.userName.utf8.count <= 256 else {
            throw AuthenticatorError(
                .invalidRequest,
                "the server's request has a user whose identifier has not 1 to 64 bytes, or whose name has more than 256"
            )
        }
        guard request.algorithms.isEmpty || request.algorithms.contains(Passkey.algorithm) else {
            throw AuthenticatorError(
                .unsupported,
                "the server does not accept ES256, which is the only algorithm of this authenticator"
            )
        }
        let operation = AuthenticatorOperation.register(user: request.userName, relyingPartyID: party.id)
        let isVerified = try await verifier.within(request.timeout) {
            try await verifier.ask(operation, request.userVerification)
        }
        let passkey = Passkey(
            relyingPartyID: party.id,
            userID: request.userID,
            userName: request.userName,
            at: clock.date()
        )
        let authenticatorData = try party.authenticatorData(
            isVerified: isVerified,
            signatureCount: passkey.signatureCount,
            credential: passkey
        )
        let attestation = CborValue.map([
            (key: .text("fmt"), value: .text("none")),
            (key: .text("attStmt"), value: .map([])),
            (key: .text("authData"), value: .bytes(authenticatorData)),
        ]).encoded()
        try await record.change { record throws(AuthenticatorError) in
            // After the user has allowed the operation, because the server learns that there is a passkey (section 6.3.2, step 3).
            guard
                !record.passkeys.contains(where: {
                    $0.relyingPartyID == party.id && request.excludedCredentials.contains($0.id)
                })
            else {
                throw AuthenticatorError(.alreadyRegistered, "this authenticator has a passkey for the account already")
            }
            record.passkeys.removeAll { $0.relyingPartyID == party.id && $0.userID == passkey.userID }
            try record.checkSpace(after: record.passkeys.count)
            record.passkeys.append(passkey)
        }
        return PasskeyRegistration(
            credentialID: passkey.id,
            clientDataJSON: party.clientData("webauthn.create", challenge: request.challenge),
            attestationObject: attestation,
            deviceName: device.name
        )
    }

    /// Signs a challenge with a passkey (Web Authentication, section 6.3.3).
    ///
    /// The increased signature counter is stored before the signature is returned.
    private func makeAssertion(_ request: PasskeyAssertionRequest) async throws(AuthenticatorError) -> PasskeyAssertion
    {
        let party = try RelyingParty(request.relyingPartyID, origin: request.origin)
        try Self.check(request.challenge)
        let candidates = try await record.load().passkeys.filter { passkey in
            passkey.relyingPartyID == party.id
                && (request.allowedCredentials.isEmpty || request.allowedCredentials.contains(passkey.id))
        }
        let (chosen, isVerified) = try await verifier.within(request.timeout) {
            let chosen = try await verifier.choose(from: candidates, orThrow: Self.noPasskey(for: party.id))
            let operation = AuthenticatorOperation.authenticate(user: chosen.userName, relyingPartyID: party.id)
            return (chosen, try await verifier.ask(operation, request.userVerification))
        }
        let passkey = try await record.change { record throws(AuthenticatorError) in
            guard let index = record.passkeys.firstIndex(where: { $0.id == chosen.id }) else {
                throw Self.noPasskey(for: party.id)
            }
            guard record.passkeys[index].signatureCount < .max else {
                throw AuthenticatorError(
                    .counterExhausted,
                    "the signature counter of the passkey has its maximum",
                    advice: "register a new passkey"
                )
            }
            record.passkeys[index].signatureCount += 1
            return record.passkeys[index]
        }
        let clientData = party.clientData("webauthn.get", challenge: request.challenge)
        let authenticatorData = try party.authenticatorData(
            isVerified: isVerified,
            signatureCount: passkey.signatureCount
        )
        return PasskeyAssertion(
            credentialID: passkey.id,
            clientDataJSON: clientData,
            authenticatorData: authenticatorData,
            signature: try passkey.sign(authenticatorData + Data(SHA256.hash(data: clientData))),
            userHandle: passkey.userID
        )
    }

    private static func check(_ challenge: Data) throws(AuthenticatorError) {
        guard (16...1024).contains(challenge.count) else {
            throw AuthenticatorError(
                .invalidRequest,
                "the server's challenge has \(challenge.count) bytes, and must have 16 to 1,024"
            )
        }
    }

    private static func noPasskey(for party: String) -> AuthenticatorError {
        AuthenticatorError(
            .noCredential,
            "the authenticator has no passkey for \(party) that the server accepts",
            advice: "register one, or sign in in another way"
        )
    }

    // MARK: Device keys

    /// Creates a key for a user, and signs a challenge with it. It replaces an existing key of the user at the same server.
    private func makeBinding(_ request: DeviceBindingRequest) async throws(AuthenticatorError) -> DeviceBinding {
        let operation = AuthenticatorOperation.bindDevice(user: request.userName, prompt: request.prompt.line)
        try await verifier.within(request.timeout) { try await verifier.ask(operation, request.protection) }
        let key = try DeviceKey(request, of: device, at: clock.date())
        let jws = try await key.bind(request, as: device, at: clock.date())
        let deviceID = try await record.change { record throws(AuthenticatorError) in
            record.deviceKeys.removeAll {
                $0.userID == key.userID && $0.applicationID == key.applicationID && $0.origin == key.origin
            }
            try record.checkSpace(after: record.deviceKeys.count)
            record.deviceKeys.append(key)
            return record.deviceID
        }
        return DeviceBinding(jws: jws, deviceID: deviceID, deviceName: device.name)
    }

    /// Signs a challenge with the key of a user.
    private func makeSignature(_ request: DeviceSigningRequest) async throws(AuthenticatorError) -> String {
        let candidates = try await record.load().deviceKeys.filter { key in
            key.origin == request.origin && key.applicationID == device.applicationID
                && (request.userID == nil || request.userID == key.userID)
        }
        let key = try await verifier.within(request.timeout) {
            let key = try await verifier.choose(
                from: candidates,
                orThrow: AuthenticatorError(
                    .noCredential,
                    "this device is not bound to the account",
                    advice: "bind it, or sign in in another way"
                )
            )
            try await verifier.ask(.signAsDevice(user: key.userName, prompt: request.prompt.line), key.protection)
            return key
        }
        return try await key.sign(request, at: clock.date())
    }

    // MARK: PIN

    /// Returns a Boolean value that indicates whether a PIN has been set.
    ///
    /// - Throws: ``AuthenticatorError`` if the store failed.
    public func hasPIN() async throws(AuthenticatorError) -> Bool { try await record.load().pin != nil }

    /// Sets the PIN, or changes it.
    ///
    /// - Parameters:
    ///   - new: A PIN of at least 4 characters and at most 63 bytes.
    ///   - current: The current PIN, which is required if there is one; see ``hasPIN()``. A call without it uses up no attempt.
    /// - Throws: ``AuthenticatorError``.
    public func setPIN(_ new: String, current: String? = nil) async throws(AuthenticatorError) {
        try await verifier.setPIN(new, current: current)
    }
}

extension SoftwareAuthenticator: PasskeyAuthenticator {
    /// Creates a passkey (Web Authentication, section 6.3.2). It replaces one of the same user at the same relying party.
    ///
    /// - Throws: ``PasskeyError`` if the user declines, or the authenticator does not support the request;
    ///   ``AuthenticatorError`` for everything else, such as a wrong PIN.
    public func register(_ request: PasskeyRegistrationRequest) async throws -> PasskeyRegistration {
        do throws(AuthenticatorError) {
            return try await makePasskey(request)
        } catch {
            if let answer = error.passkeyError { throw answer }
            throw error
        }
    }

    /// Signs a challenge with a passkey (Web Authentication, section 6.3.3).
    ///
    /// - Throws: ``PasskeyError`` if the user declines, or there is no suitable passkey; ``AuthenticatorError`` for
    ///   everything else, such as a wrong PIN.
    public func authenticate(_ request: PasskeyAssertionRequest) async throws -> PasskeyAssertion {
        do throws(AuthenticatorError) {
            return try await makeAssertion(request)
        } catch {
            if let answer = error.passkeyError { throw answer }
            throw error
        }
    }
}

extension SoftwareAuthenticator: DeviceKeyAuthenticator {
    /// Creates a key for a user, and signs the challenge with it. It replaces an existing key of the user at the same server.
    ///
    /// - Throws: ``DeviceKeyError`` if the user declines, or the authenticator does not support the request;
    ///   ``AuthenticatorError`` for everything else, such as a wrong PIN.
    public func bind(_ request: DeviceBindingRequest) async throws -> DeviceBinding {
        do throws(AuthenticatorError) {
            return try await makeBinding(request)
        } catch {
            if let answer = error.deviceKeyError { throw answer }
            throw error
        }
    }

    /// Signs a challenge with the key of a user.
    ///
    /// - Throws: ``DeviceKeyError`` if the user declines, or the device is not bound; ``AuthenticatorError`` for everything
    ///   else, such as a wrong PIN.
    public func sign(_ request: DeviceSigningRequest) async throws -> String {
        do throws(AuthenticatorError) {
            return try await makeSignature(request)
        } catch {
            if let answer = error.deviceKeyError { throw answer }
            throw error
        }
    }
}

extension SoftwareAuthenticator: CustomStringConvertible, CustomReflectable {
    /// A fixed text.
    public var description: String { "software authenticator" }

    /// The same as ``description``, so that `dump` prints no key of a store in memory.
    public var customMirror: Mirror { Mirror(self, children: ["authenticator": description], displayStyle: .struct) }
}
