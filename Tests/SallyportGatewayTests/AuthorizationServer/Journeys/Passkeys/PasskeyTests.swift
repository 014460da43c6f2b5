import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PasskeyTests {
    /// A user with a passkey.
    private struct User {
        let journey: JourneyClient
        var authenticator: TestAuthenticator
        let handle: String

        init(_ journey: JourneyClient) async throws {
            self.journey = journey
            authenticator = TestAuthenticator(origin: journey.base)
            let step = try await Self.registration(journey)
            handle = try #require(step.output("data")?["userId"]?.string)
            _ = try await journey.answer(step, ["IDToken2": authenticator.register(step)]).token
        }

        /// Returns the step of the tree `RegisterPasskey` that asks for a passkey.
        static func registration(_ journey: JourneyClient) async throws -> JourneyResponse {
            let step = try await journey.start("RegisterPasskey")
            return try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "wonderland"])
        }

        func signIn(_ changes: TestAuthenticator.Changes = .init()) async throws -> JourneyResponse {
            let step = try await journey.start("Passkey")
            let response = authenticator.authenticate(step, userHandle: handle, changes)
            return try await journey.answer(step, ["IDToken2": response])
        }
    }

    /// Expects that a tree has failed for a reason.
    private func expect(_ step: JourneyResponse, problem: String, sourceLocation: SourceLocation = #_sourceLocation) {
        step.expectRefusal(
            401,
            "Login failure",
            ["failureUrl": "", "problem": .string(problem)],
            sourceLocation: sourceLocation
        )
    }

    @Test func `A user registers a passkey, and signs in with it without a name`() async throws {
        try await JourneyClient.with { journey in
            let step = try await User.registration(journey)
            #expect(step.types == ["MetadataCallback", "HiddenValueCallback"])
            #expect(step.output("id", of: 1) == "webAuthnOutcome")
            let options = try #require(step.output("data"))
            #expect(options["_type"] == "WebAuthn")
            #expect(options["_action"] == "webauthn_registration")
            #expect(options["_relyingPartyId"] == "127.0.0.1")
            #expect(options["_pubKeyCredParams"] == [["type": "public-key", "alg": -7]])
            #expect(options["_excludeCredentials"] == [])
            #expect(options["userName"] == "alice")
            let user = try await User(journey)
            #expect(options["userId"] == .string(user.handle))
            let login = try await journey.start("Passkey")
            #expect(login.output("data")?["_action"] == "webauthn_authentication")
            #expect(login.output("data")?["_allowCredentials"] == [])
            let response = user.authenticator.authenticate(login, userHandle: user.handle)
            let token = try await journey.answer(login, ["IDToken2": response]).token
            #expect(try await journey.start("Passkey", session: token).token == token)
            // A second registration excludes the passkey.
            let excluded = try await User.registration(journey).output("data")?["_excludeCredentials"]
            #expect(excluded == [["type": "public-key", "id": .array((0..<32).map { .integer($0) })]])
        }
    }

    @Test func `The response can be the legacyData of a JSON object`() async throws {
        try await JourneyClient.with { journey in
            let user = try await User(journey)
            let step = try await journey.start("Passkey")
            let legacy = user.authenticator.authenticate(step, userHandle: user.handle)
            let wrapped: [String: JsonValue] = ["authenticatorAttachment": "platform", "legacyData": legacy]
            let text = String(decoding: try JSONEncoder().encode(wrapped), as: UTF8.self)
            _ = try await journey.answer(step, ["IDToken2": .string(text)]).token
        }
    }

    @Test func `A registration that does not match the request is refused with the reason`() async throws {
        try await JourneyClient.with { journey in
            let authenticator = TestAuthenticator(origin: journey.base)
            func expect(
                _ problem: String,
                sourceLocation: SourceLocation = #_sourceLocation,
                _ change: (inout TestAuthenticator.Changes) -> Void
            ) async throws {
                var changes = TestAuthenticator.Changes()
                change(&changes)
                let step = try await User.registration(journey)
                let end = try await journey.answer(step, ["IDToken2": authenticator.register(step, changes)])
                self.expect(end, problem: problem, sourceLocation: sourceLocation)
            }
            try await expect("The type of the client data is not webauthn.create.") { $0.type = "webauthn.get" }
            try await expect("The response is for another challenge.") { $0.challenge = "AAAA" }
            let origins = "\(journey.base) or https://127.0.0.1"
            try await expect("The origin is https://evil.example instead of \(origins).") {
                $0.origin = "https://evil.example"
            }
            try await expect("The origin is \(journey.base).evil.example instead of \(origins).") {
                $0.origin = journey.base + ".evil.example"
            }
            try await expect("The response is from a frame of another origin.") { $0.crossOrigin = true }
            try await expect("The response is for another relying party than 127.0.0.1.") {
                $0.relyingParty = "evil.example"
            }
            try await expect("The user was not present.") { $0.flags = 0x44 }
            try await expect("The user was not verified.") { $0.flags = 0x41 }
            try await expect("The authenticator data is too long.") { $0.flags = 0x05 }
            try await expect("The authenticator data is too long.") { $0.suffix = Data([0]) }
            try await expect("The extensions in the authenticator data are not a CBOR map.") { $0.flags = 0xC5 }
            try await expect("The attestation must be none, because the server requests none.") { $0.format = "packed" }
            try await expect("The public key is not a key for ES256 on P-256.") { $0.algorithm = -257 }
            try await expect("The identifier of the credential differs from that in the attestation object.") {
                $0.credentialID = Data([1])
            }
        }
    }

    @Test func `A passkey can be registered once`() async throws {
        try await JourneyClient.with { journey in
            let user = try await User(journey)
            let step = try await User.registration(journey)
            expect(
                try await journey.answer(step, ["IDToken2": user.authenticator.register(step)]),
                problem: "The passkey is registered already, or the user has too many."
            )
        }
    }

    @Test func `A sign-in that does not match the request is refused with the reason`() async throws {
        try await JourneyClient.with { journey in
            let user = try await User(journey)
            func expect(
                _ problem: String,
                sourceLocation: SourceLocation = #_sourceLocation,
                _ change: (inout TestAuthenticator.Changes) -> Void
            ) async throws {
                var changes = TestAuthenticator.Changes()
                change(&changes)
                self.expect(try await user.signIn(changes), problem: problem, sourceLocation: sourceLocation)
            }
            try await expect("The type of the client data is not webauthn.get.") { $0.type = "webauthn.create" }
            try await expect("The response is for another challenge.") { $0.challenge = "AAAA" }
            let origins = "\(journey.base) or https://127.0.0.1"
            try await expect("The origin is https://evil.example instead of \(origins).") {
                $0.origin = "https://evil.example"
            }
            try await expect("The response is for another relying party than 127.0.0.1.") {
                $0.relyingParty = "evil.example"
            }
            try await expect("The user was not verified.") { $0.flags = 0x01 }
            try await expect("The signature was not made with the passkey.") { $0.signature = Data([1, 2, 3]) }
            try await expect("The passkey is unknown, or belongs to another user.") { $0.credentialID = Data([9]) }
            try await expect("The user handle is not that of the passkey's user.") { $0.userHandle = "bob" }
            try await expect("The user handle is not that of the passkey's user.") { $0.userHandle = "" }
            _ = try await user.signIn().token
        }
    }

    @Test func `The counter of signatures must increase once it is used`() async throws {
        try await JourneyClient.with { journey in
            var user = try await User(journey)
            _ = try await user.signIn().token
            user.authenticator.counter = 5
            _ = try await user.signIn().token
            for counter in [5, 4, 0] as [UInt32] {
                user.authenticator.counter = counter
                expect(
                    try await user.signIn(),
                    problem: "The counter of the signature has not increased: the passkey may have been copied."
                )
            }
            user.authenticator.counter = 6
            _ = try await user.signIn().token
        }
    }

    @Test(
        arguments: [
            (
                "ERROR::NotAllowedError:The user refused.",
                "The authenticator reported: NotAllowedError:The user refused."
            ),
            ("nonsense", "The passkey is unknown, or belongs to another user."),
        ]
    )
    func `A reported problem and a malformed response end the tree with a reason`(
        outcome: String,
        problem: String
    ) async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Passkey")
            expect(try await journey.answer(step, ["IDToken2": .string(outcome)]), problem: problem)
        }
    }

    @Test func `A part of a response that is not a list of bytes is refused`() async throws {
        try await JourneyClient.with { journey in
            let user = try await User(journey)
            for (old, new, name) in [
                (#"\}::[0-9,\-]+::"#, "}::x::", "authenticator data"),
                (#"\}::[0-9,\-]+::"#, "}::::", "authenticator data"),
                (#"::48,"#, "::300,48,", "signature"),
            ] {
                let step = try await journey.start("Passkey")
                let response = user.authenticator.authenticate(step, userHandle: user.handle).string ?? ""
                let changed = response.replacing(try Regex(old), with: new, maxReplacements: 1)
                #expect(changed != response)
                expect(
                    try await journey.answer(step, ["IDToken2": .string(changed)]),
                    problem: "The \(name) is not a list of bytes."
                )
            }
            let registration = try await User.registration(journey)
            expect(
                try await journey.answer(registration, ["IDToken2": #"{"a":1}::x::AQ::d"#]),
                problem: "The attestation object is not a list of bytes."
            )
        }
    }

    @Test func `A client without passkeys ends the tree`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Passkey")
            try await journey.answer(step, ["IDToken2": "unsupported"])
                .expectRefusal(401, "Login failure", ["failureUrl": ""])
        }
    }
}
