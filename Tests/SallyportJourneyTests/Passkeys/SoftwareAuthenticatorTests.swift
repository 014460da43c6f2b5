import Crypto
import Foundation
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct SoftwareAuthenticatorTests {
    private let fixture = AuthenticatorFixture()

    // MARK: Passkeys

    @Test func `A server can verify a registration and a signature`() async throws {
        let authenticator = fixture.authenticator()
        let registration = try await authenticator.register(AuthenticatorFixture.registration())
        let created = try #require(ReadAuthenticatorData(attestation: registration.attestationObject))
        #expect(created.relyingPartyHash == Data(SHA256.hash(data: Data("example.com".utf8))))
        #expect(created.flags == 0x41)
        #expect(created.signatureCount == 0)
        #expect(created.credentialID == registration.credentialID)
        #expect(
            String(decoding: registration.clientDataJSON, as: UTF8.self)
                == #"{"type":"webauthn.create","challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","#
                + #""origin":"https://id.example.com","crossOrigin":false}"#
        )

        let assertion = try await authenticator.authenticate(AuthenticatorFixture.assertion())
        let used = try #require(ReadAuthenticatorData(assertion.authenticatorData))
        #expect(used.relyingPartyHash == created.relyingPartyHash)
        #expect(used.flags == 0x01)
        #expect(used.signatureCount == 1)
        #expect(assertion.credentialID == registration.credentialID)
        #expect(assertion.userHandle == Data("user-1".utf8))
        #expect(String(decoding: assertion.clientDataJSON, as: UTF8.self).hasPrefix(#"{"type":"webauthn.get""#))
        let key = try #require(created.publicKey)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: assertion.signature)
        let signed = assertion.authenticatorData + Data(SHA256.hash(data: assertion.clientDataJSON))
        #expect(key.isValidSignature(signature, for: signed))
        #expect(
            fixture.user.answers.asked == [
                .register(user: "alice", relyingPartyID: "example.com"),
                .authenticate(user: "alice", relyingPartyID: "example.com"),
            ]
        )
    }

    @Test func `The signature counter increases with each signature, also in another process`() async throws {
        _ = try await fixture.authenticator().register(AuthenticatorFixture.registration())
        for count in 1...3 {
            let assertion = try await fixture.authenticator().authenticate(AuthenticatorFixture.assertion())
            #expect(ReadAuthenticatorData(assertion.authenticatorData)?.signatureCount == UInt32(count))
        }
    }

    @Test func `The user chooses among passkeys, and the server may restrict them`() async throws {
        let authenticator = fixture.authenticator()
        var ids: [Data] = []
        for name in ["alice", "bob"] {
            let registration = try await authenticator.register(
                AuthenticatorFixture.registration { request in
                    request.userID = Data(name.utf8)
                    request.userName = name
                }
            )
            ids.append(registration.credentialID)
        }
        fixture.user.set { $0.choice = 1 }
        let chosen = try await authenticator.authenticate(AuthenticatorFixture.assertion())
        #expect(chosen.userHandle == Data("bob".utf8))
        #expect(fixture.user.answers.choices == ["alice at example.com", "bob at example.com"])
        let allowed = [ids[0]]
        let restricted = try await authenticator.authenticate(
            AuthenticatorFixture.assertion { $0.allowedCredentials = allowed }
        )
        #expect(restricted.userHandle == Data("alice".utf8))
        fixture.user.set { $0.choice = 7 }
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await authenticator.authenticate(AuthenticatorFixture.assertion())
        }
    }

    @Test func `A new passkey replaces that of the same user, unless the server excludes it`() async throws {
        let authenticator = fixture.authenticator()
        let first = try await authenticator.register(AuthenticatorFixture.registration())
        await expectError(\PasskeyError.name, "InvalidStateError") {
            try await authenticator.register(
                AuthenticatorFixture.registration { $0.excludedCredentials = [first.credentialID] }
            )
        }
        let second = try await authenticator.register(AuthenticatorFixture.registration())
        #expect(try await authenticator.passkeys().map(\.id) == [second.credentialID])
    }

    @Test func `A server learns that there is a passkey only after the user has allowed its use`() async throws {
        let authenticator = fixture.authenticator()
        let first = try await authenticator.register(AuthenticatorFixture.registration())
        fixture.user.set { $0.allows = false }
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await authenticator.register(
                AuthenticatorFixture.registration { $0.excludedCredentials = [first.credentialID] }
            )
        }
    }

    @Test func `A removed passkey cannot be used`() async throws {
        let authenticator = fixture.authenticator()
        let registration = try await authenticator.register(AuthenticatorFixture.registration())
        try await authenticator.removePasskey(registration.credentialID)
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await authenticator.authenticate(AuthenticatorFixture.assertion())
        }
        await expectError(\AuthenticatorError.reason, .noCredential) {
            try await authenticator.removePasskey(registration.credentialID)
        }
    }

    @Test func `A passkey is not used for another relying party`() async throws {
        let authenticator = fixture.authenticator()
        _ = try await authenticator.register(AuthenticatorFixture.registration())
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await authenticator.authenticate(
                AuthenticatorFixture.assertion { request in
                    request.origin = "https://other.example.org"
                    request.relyingPartyID = "other.example.org"
                }
            )
        }
    }

    @Test(arguments: ["example.org", "com", "xample.com", "other.id.example.com", "", "id.example.com."])
    func `A challenge for another origin is refused before the user is asked`(_ party: String) async throws {
        let authenticator = fixture.authenticator()
        await expectError(\AuthenticatorError.reason, .otherOrigin) {
            try await authenticator.register(AuthenticatorFixture.registration { $0.relyingPartyID = party })
        }
        await expectError(\AuthenticatorError.reason, .otherOrigin) {
            try await authenticator.authenticate(AuthenticatorFixture.assertion { $0.relyingPartyID = party })
        }
        #expect(fixture.user.answers.asked.isEmpty)
    }

    @Test func `Plain http is refused, except on loopback addresses`() async throws {
        let authenticator = fixture.authenticator()
        await expectError(\AuthenticatorError.reason, .insecureOrigin) {
            try await authenticator.register(AuthenticatorFixture.registration { $0.origin = "http://id.example.com" })
        }
        for (host, origin) in [
            ("localhost", "http://localhost:8080"), ("127.0.0.1", "http://127.0.0.1:8080"),
        ] {
            let registration = try await authenticator.register(
                AuthenticatorFixture.registration { request in
                    request.origin = origin + "/am"
                    request.relyingPartyID = host
                }
            )
            let text = String(decoding: registration.clientDataJSON, as: UTF8.self)
            #expect(text.contains(#""origin":"\#(origin)","#))
        }
    }

    @Test func `Invalid requests are refused`() async {
        let authenticator = fixture.authenticator()
        let changes: [@Sendable (inout PasskeyRegistrationRequest) -> Void] = [
            { $0.challenge = Data(count: 15) }, { $0.challenge = Data(count: 1025) }, { $0.userID = Data() },
            { $0.userID = Data(count: 65) }, { $0.userName = String(repeating: "a", count: 257) },
            { $0.origin = "id.example.com" },
        ]
        for change in changes {
            await expectError(\AuthenticatorError.reason, .invalidRequest) {
                try await authenticator.register(AuthenticatorFixture.registration(change))
            }
        }
        await expectError(\PasskeyError.name, "NotSupportedError") {
            try await authenticator.register(AuthenticatorFixture.registration { $0.algorithms = [-257] })
        }
        await expectError(\AuthenticatorError.reason, .invalidRequest) {
            try await authenticator.authenticate(AuthenticatorFixture.assertion { $0.challenge = Data() })
        }
    }

    @Test func `Nothing is stored if the user declines`() async throws {
        fixture.user.set { $0.allows = false }
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await fixture.authenticator().register(AuthenticatorFixture.registration())
        }
        #expect(await fixture.records.load() == nil)
    }

    @Test func `A user who cannot be asked is not an answer for the server`() async {
        let authenticator = SoftwareAuthenticator(store: fixture.records, owner: "alice", user: AbsentUser())
        await expectError(\AuthenticatorError.reason, .noUser) {
            try await authenticator.register(AuthenticatorFixture.registration())
        }
    }

    @Test func `A question to the user ends at the time limit`() async throws {
        fixture.user.set { $0.neverAnswers = true }
        let authenticator = fixture.authenticator { _ in }
        await expectError(\PasskeyError.name, "NotAllowedError") {
            try await authenticator.register(AuthenticatorFixture.registration())
        }
        #expect(await fixture.records.load() == nil)
    }

    // MARK: PIN

    @Test func `A required verification fails without a PIN, and succeeds with the right one`() async throws {
        let authenticator = fixture.authenticator()
        let request = AuthenticatorFixture.registration { $0.userVerification = .required }
        await expectError(\AuthenticatorError.reason, .noPIN) { try await authenticator.register(request) }
        try await authenticator.setPIN("2580")
        let registration = try await authenticator.register(request)
        #expect(ReadAuthenticatorData(attestation: registration.attestationObject)?.flags == 0x45)
        let assertion = try await authenticator.authenticate(AuthenticatorFixture.assertion())
        #expect(ReadAuthenticatorData(assertion.authenticatorData)?.flags == 0x05)
        let unverified = try await authenticator.authenticate(
            AuthenticatorFixture.assertion { $0.userVerification = .discouraged }
        )
        #expect(ReadAuthenticatorData(unverified.authenticatorData)?.flags == 0x01)
        #expect(fixture.user.answers.attempts == [8, 8])
    }

    @Test func `A wrong PIN states the attempts that are left, and a right one restores them`() async throws {
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("2580")
        _ = try await authenticator.register(AuthenticatorFixture.registration())
        fixture.user.set { $0.pin = "0000" }
        for left in [7, 6] {
            await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: left)) {
                try await authenticator.authenticate(AuthenticatorFixture.assertion())
            }
        }
        fixture.user.set { $0.pin = "2580" }
        _ = try await authenticator.authenticate(AuthenticatorFixture.assertion())
        #expect(await fixture.records.load()?.pin?.attemptsLeft == 8)
    }

    @Test func `Eight wrong attempts block the authenticator until it is reset`() async throws {
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("2580")
        _ = try await authenticator.register(AuthenticatorFixture.registration())
        fixture.user.set { $0.pin = "0000" }
        for left in (1...7).reversed() {
            await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: left)) {
                try await fixture.authenticator().authenticate(AuthenticatorFixture.assertion())
            }
        }
        await expectError(\AuthenticatorError.reason, .blocked) {
            try await authenticator.authenticate(AuthenticatorFixture.assertion())
        }
        fixture.user.set { $0.pin = "2580" }
        await expectError(\AuthenticatorError.reason, .blocked) {
            try await authenticator.authenticate(AuthenticatorFixture.assertion())
        }
        await expectError(\AuthenticatorError.reason, .blocked) {
            try await authenticator.setPIN("1234", current: "2580")
        }
        try await authenticator.reset()
        #expect(try await authenticator.passkeys().isEmpty)
        try await authenticator.setPIN("1234")
    }

    @Test func `A PIN is changed with the current one`() async throws {
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("2580")
        await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: 7)) {
            try await authenticator.setPIN("1234", current: "0000")
        }
        try await authenticator.setPIN("1234", current: "2580")
        fixture.user.set { $0.pin = "1234" }
        _ = try await authenticator.register(
            AuthenticatorFixture.registration { $0.userVerification = .required }
        )
    }

    @Test func `Setting a PIN again without the current one uses up no attempt`() async throws {
        let authenticator = fixture.authenticator()
        #expect(try await authenticator.hasPIN() == false)
        try await authenticator.setPIN("2580")
        for _ in 0..<9 {
            await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: 8)) {
                try await fixture.authenticator().setPIN("2580")
            }
        }
        #expect(try await authenticator.hasPIN())
        #expect(await fixture.records.load()?.pin?.attemptsLeft == 8)
    }

    @Test(arguments: ["", "123", String(repeating: "1", count: 64)])
    func `A PIN of an invalid length is refused`(_ pin: String) async {
        await expectError(\AuthenticatorError.reason, .invalidPIN) { try await fixture.authenticator().setPIN(pin) }
    }

    @Test func `A PIN of at most 63 bytes is the same however its characters are entered`() async throws {
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("cafe\u{301}s")
        fixture.user.set { $0.pin = "caf\u{E9}s" }
        _ = try await authenticator.register(
            AuthenticatorFixture.registration { $0.userVerification = .required }
        )
    }

    // MARK: Store

    @Test func `A store of another owner is refused`() async throws {
        _ = try await fixture.authenticator().register(AuthenticatorFixture.registration())
        await expectError(\AuthenticatorError.reason, .otherOwner) {
            try await fixture.authenticator(owner: "bob").authenticate(AuthenticatorFixture.assertion())
        }
    }

    @Test func `Passkeys beyond the maximum are refused`() async throws {
        let authenticator = fixture.authenticator()
        for number in 0..<AuthenticatorRecord.maximumKeys {
            _ = try await authenticator.register(
                AuthenticatorFixture.registration { $0.userID = Data("\(number)".utf8) }
            )
        }
        await expectError(\AuthenticatorError.reason, .full) {
            try await authenticator.register(AuthenticatorFixture.registration { $0.userID = Data("one more".utf8) })
        }
    }

    @Test func `A full authenticator fits into its encrypted file`() async throws {
        try await withTemporaryDirectory { directory in
            var record = AuthenticatorRecord(owner: "alice")
            let name = String(repeating: "a", count: 253)
            for _ in 0..<AuthenticatorRecord.maximumKeys {
                record.passkeys.append(
                    Passkey(
                        relyingPartyID: name,
                        userID: Data(count: 64),
                        userName: name,
                        at: AuthenticatorFixture.now
                    )
                )
                let request = DeviceBindingRequest(
                    origin: "https://am.example.com",
                    userID: name,
                    userName: name,
                    challenge: "c",
                    protection: .applicationPIN,
                    prompt: DeviceKeyPrompt(title: "", subtitle: "", text: ""),
                    timeout: .seconds(60)
                )
                let device = AuthenticatorDevice(applicationID: name)
                record.deviceKeys.append(try DeviceKey(request, of: device, at: AuthenticatorFixture.now))
            }
            let file = directory.appending(path: "passkeys.json")
            let store = FileAuthenticatorStore(at: file, key: .generate())
            try await store.save(record)
            #expect(try await store.load()?.deviceKeys.count == AuthenticatorRecord.maximumKeys)
        }
    }

    @Test func `Descriptions, dumps and errors contain no PIN and no key`() async throws {
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("2580-canary")
        fixture.user.set { $0.pin = "guess-canary" }
        let error = await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: 7)) {
            try await authenticator.register(AuthenticatorFixture.registration())
        }
        fixture.user.set { $0.pin = "2580-canary" }
        _ = try await authenticator.register(AuthenticatorFixture.registration())
        let record = try #require(await fixture.records.load())
        let stored = try JSONEncoder().encode(record.passkeys)
        let members = try JSONDecoder().decode([[String: JsonValue]].self, from: stored)
        let key = try #require(members.first?["key"]?.string)
        let assertion = try await authenticator.authenticate(AuthenticatorFixture.assertion())
        var signature = ""
        dump(assertion, to: &signature)
        #expect(!signature.contains("bytes"), "\(signature)")
        for value in [authenticator, record, record.passkeys[0], try #require(error)] as [Any] {
            var text = "\(value)"
            dump(value, to: &text)
            #expect(!text.contains("canary") && !text.contains(key), "\(text)")
        }
    }
}

/// A user whom no question reaches.
private struct AbsentUser: AuthenticatorUser {
    struct NoTerminal: Error {}

    func allows(_ operation: AuthenticatorOperation) throws -> Bool { throw NoTerminal() }

    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) throws -> String? { throw NoTerminal() }

    func choose(from choices: [String]) throws -> Int? { throw NoTerminal() }
}
