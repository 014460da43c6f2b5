import Crypto
import Foundation
import SallyportStorage
import SallyportTransport
import TestSupport

@testable import SallyportJourney

/// A software authenticator whose user gives the answers of a test.
struct AuthenticatorFixture: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let challenge = Data((0..<32).map { UInt8($0) })

    let records = MemoryAuthenticatorStore()
    let user = AnsweringUser()

    /// Returns an authenticator of the store, such as that of another process.
    ///
    /// - Parameter sleep: The wait until a time limit is reached. By default it is never reached.
    func authenticator(
        owner: String = "alice",
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await waitForCancellation() }
    ) -> SoftwareAuthenticator {
        SoftwareAuthenticator(
            store: records,
            owner: owner,
            user: user,
            device: AuthenticatorDevice(name: "laptop", applicationID: "com.example.app", platform: "ios"),
            clock: TimeSource(now: { .zero }, date: { Self.now }, sleep: sleep),
            pinCost: 1
        )
    }

    static func registration(_ configure: (inout PasskeyRegistrationRequest) -> Void = { _ in })
        -> PasskeyRegistrationRequest
    {
        var request = PasskeyRegistrationRequest(
            challenge: challenge,
            origin: "https://id.example.com",
            relyingPartyID: "example.com",
            relyingPartyName: "Example",
            userID: Data("user-1".utf8),
            userName: "alice",
            displayName: "Alice",
            algorithms: [-257, -7],
            excludedCredentials: [],
            userVerification: .preferred,
            requiresResidentKey: true,
            attestation: "none",
            timeout: .seconds(60)
        )
        configure(&request)
        return request
    }

    static func assertion(_ configure: (inout PasskeyAssertionRequest) -> Void = { _ in }) -> PasskeyAssertionRequest {
        var request = PasskeyAssertionRequest(
            challenge: challenge,
            origin: "https://id.example.com",
            relyingPartyID: "example.com",
            allowedCredentials: [],
            userVerification: .preferred,
            timeout: .seconds(60)
        )
        configure(&request)
        return request
    }
}

/// A user whose answers a test defines. By default everything is allowed, and the PIN is 2580.
final class AnsweringUser: AuthenticatorUser {
    struct Answers: Sendable {
        var allows = true
        var neverAnswers = false
        var pin: String? = "2580"
        var choice: Int? = 0
        var asked: [AuthenticatorOperation] = []
        var attempts: [Int] = []
        var choices: [String] = []
    }

    private let state = Locked(Answers())

    var answers: Answers { state.withLock { $0 } }

    func set(_ change: @Sendable (inout Answers) -> Void) { state.withLock(change) }

    func allows(_ operation: AuthenticatorOperation) async throws -> Bool {
        let answers = state.withLock { answers in
            answers.asked.append(operation)
            return answers
        }
        if answers.neverAnswers { try await waitForCancellation() }
        return answers.allows
    }

    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) async -> String? {
        state.withLock { answers in
            answers.attempts.append(attemptsLeft)
            return answers.pin
        }
    }

    func choose(from choices: [String]) async -> Int? {
        state.withLock { answers in
            answers.choices = choices
            return answers.choice
        }
    }
}

/// The authenticator data of a response, as a server reads it.
struct ReadAuthenticatorData {
    let relyingPartyHash: Data
    let flags: UInt8
    let signatureCount: UInt32
    let credentialID: Data?
    let publicKey: P256.Signing.PublicKey?

    init?(_ data: Data) {
        let data = Data(data)
        guard data.count >= 37 else { return nil }
        relyingPartyHash = data.prefix(32)
        flags = data[32]
        signatureCount = data[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags & 0x40 != 0 else {
            guard data.count == 37 else { return nil }
            credentialID = nil
            publicKey = nil
            return
        }
        let length = Int(data[53]) << 8 | Int(data[54])
        credentialID = data[55..<55 + length]
        // The key has a fixed form: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
        let key = Data(data[(55 + length)...])
        let start = Data([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
        guard key.count == 77, key.starts(with: start), key[42..<45] == Data([0x22, 0x58, 0x20]) else { return nil }
        publicKey = try? P256.Signing.PublicKey(rawRepresentation: key[10..<42] + key[45..<77])
    }

    /// Reads the authenticator data in an attestation object of the format "none".
    init?(attestation: Data) {
        let parts: [(UInt8, String)] = [(0x63, "fmt"), (0x64, "none"), (0x67, "attStmt"), (0x68, "authData")]
        var start = Data([0xA3])
        for (type, text) in parts {
            // The map of the statement is empty.
            if text == "authData" { start.append(0xA0) }
            start += [type] + Data(text.utf8)
        }
        start.append(0x58)
        guard attestation.starts(with: start), attestation.count > start.count + 1 else { return nil }
        let data = attestation.dropFirst(start.count + 1)
        guard Int(attestation[start.count]) == data.count else { return nil }
        self.init(data)
    }
}
