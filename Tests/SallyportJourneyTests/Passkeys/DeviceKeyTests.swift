import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct DeviceKeyTests {
    private let fixture = AuthenticatorFixture()

    private func binding(
        _ configure: (inout DeviceBindingRequest) -> Void = { _ in }
    ) -> DeviceBindingRequest {
        var request = DeviceBindingRequest(
            origin: "https://am.example.com",
            userID: "id=alice,ou=user",
            userName: "alice",
            challenge: "challenge-1",
            protection: .none,
            prompt: DeviceKeyPrompt(title: "Bind", subtitle: "", text: "this device"),
            timeout: .seconds(60)
        )
        configure(&request)
        return request
    }

    private func signing(
        _ configure: (inout DeviceSigningRequest) -> Void = { _ in }
    ) -> DeviceSigningRequest {
        var request = DeviceSigningRequest(
            origin: "https://am.example.com",
            userID: nil,
            challenge: "challenge-2",
            prompt: DeviceKeyPrompt(title: "Sign", subtitle: "", text: ""),
            timeout: .seconds(30)
        )
        configure(&request)
        return request
    }

    @Test func `A server can verify a binding, and later signatures with the key in its header`() async throws {
        let authenticator = fixture.authenticator()
        let binding = try await authenticator.bind(binding())
        #expect(binding.deviceName == "laptop")
        let bound = try JsonWebSignature(parsing: binding.jws)
        let key = JsonWebKey(members: try #require(bound.header["jwk"]?.object))
        #expect(key.members["d"] == nil)
        #expect(bound.header["typ"] == "JWS")
        #expect(bound.keyID == key.keyID)
        try bound.verify(with: key, allowing: [.es256])
        let now = Int64(AuthenticatorFixture.now.timeIntervalSince1970)
        #expect(
            try bound.claims() == [
                "sub": "id=alice,ou=user", "challenge": "challenge-1", "iss": "com.example.app", "platform": "ios",
                "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 60),
            ]
        )

        let signature = try JsonWebSignature(parsing: try await authenticator.sign(signing()))
        try signature.verify(with: key, allowing: [.es256])
        #expect(signature.header["jwk"] == nil)
        #expect(
            try signature.claims() == [
                "sub": "id=alice,ou=user", "challenge": "challenge-2", "iss": "com.example.app", "iat": .integer(now),
                "nbf": .integer(now), "exp": .integer(now + 30),
            ]
        )
        #expect(fixture.user.answers.asked.isEmpty)
    }

    @Test func `The identifier of the device remains the same, and a user has one key`() async throws {
        let first = try await fixture.authenticator().bind(binding())
        let second = try await fixture.authenticator().bind(binding { $0.userID = "bob" })
        _ = try await fixture.authenticator().bind(binding())
        #expect(first.deviceID == second.deviceID)
        #expect(try await fixture.authenticator().deviceKeys().count == 2)
    }

    @Test func `The user chooses among several users unless the server states one`() async throws {
        let authenticator = fixture.authenticator()
        for name in ["alice", "bob"] {
            _ = try await authenticator.bind(
                binding { request in
                    request.userID = name
                    request.userName = name
                }
            )
        }
        fixture.user.set { $0.choice = 1 }
        let chosen = try JsonWebSignature(parsing: try await authenticator.sign(signing()))
        #expect(try chosen.claims()["sub"] == "bob")
        #expect(fixture.user.answers.choices == ["alice in com.example.app", "bob in com.example.app"])
        let stated = try JsonWebSignature(parsing: try await authenticator.sign(signing { $0.userID = "alice" }))
        #expect(try stated.claims()["sub"] == "alice")
        fixture.user.set { $0.choice = nil }
        await expectError(\DeviceKeyError.name, "Abort") { try await authenticator.sign(signing()) }
    }

    @Test(arguments: [DeviceKeyProtection.applicationPIN, .biometryOrPasscode])
    func `A protected key requires the PIN for each signature`(_ protection: DeviceKeyProtection) async throws {
        let authenticator = fixture.authenticator()
        await expectError(\AuthenticatorError.reason, .noPIN) {
            try await authenticator.bind(binding { $0.protection = protection })
        }
        try await authenticator.setPIN("2580")
        _ = try await authenticator.bind(binding { $0.protection = protection })
        _ = try await authenticator.sign(signing())
        #expect(fixture.user.answers.attempts == [8, 8])
        #expect(fixture.user.answers.asked.first?.description == "bind this device to alice: Bind, this device")
        fixture.user.set { $0.pin = "0000" }
        await expectError(\AuthenticatorError.reason, .wrongPIN(attemptsLeft: 7)) {
            try await authenticator.sign(signing())
        }
    }

    @Test func `A key is used only for the server that it was created for`() async throws {
        let authenticator = fixture.authenticator()
        _ = try await authenticator.bind(binding())
        let other = "https://other.example.com"
        await expectError(\DeviceKeyError.name, "ClientNotRegistered") {
            try await authenticator.sign(signing { $0.origin = other })
        }
        _ = try await authenticator.bind(binding { $0.origin = other })
        #expect(try await authenticator.deviceKeys().map(\.origin) == ["https://am.example.com", other])
        _ = try await authenticator.sign(signing())
        _ = try await authenticator.sign(signing { $0.origin = other })
        #expect(fixture.user.answers.choices.isEmpty)
    }

    @Test func `Biometry alone is not supported`() async {
        await expectError(\DeviceKeyError.name, "Unsupported") {
            try await fixture.authenticator().bind(binding { $0.protection = .biometryOnly })
        }
    }

    @Test func `A device that is not bound cannot sign`() async throws {
        let authenticator = fixture.authenticator()
        await expectError(\DeviceKeyError.name, "ClientNotRegistered") { try await authenticator.sign(signing()) }
        _ = try await authenticator.bind(binding())
        await expectError(\DeviceKeyError.name, "ClientNotRegistered") {
            try await authenticator.sign(signing { $0.userID = "bob" })
        }
        let key = try #require(try await authenticator.deviceKeys().first)
        try await authenticator.removeDeviceKey(key.id)
        await expectError(\DeviceKeyError.name, "ClientNotRegistered") { try await authenticator.sign(signing()) }
        await expectError(\AuthenticatorError.reason, .noCredential) {
            try await authenticator.removeDeviceKey(key.id)
        }
    }

    @Test func `A question to the user ends at the time limit, and no key is created`() async throws {
        try await fixture.authenticator().setPIN("2580")
        fixture.user.set { $0.neverAnswers = true }
        await expectError(\DeviceKeyError.name, "Timeout") {
            try await fixture.authenticator { _ in }.bind(binding { $0.protection = .applicationPIN })
        }
        #expect(try await fixture.authenticator().deviceKeys().isEmpty)
    }

    @Test func `Invalid requests are refused`() async {
        let authenticator = fixture.authenticator()
        for request in [
            binding { $0.challenge = "" }, binding { $0.userID = "" },
            binding { $0.userName = String(repeating: "a", count: 257) },
        ] {
            await expectError(\AuthenticatorError.reason, .invalidRequest) { try await authenticator.bind(request) }
        }
    }
}
