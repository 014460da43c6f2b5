import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportJourney

/// Invalid input to the client of a gateway: each has an error of its own, and neither the session nor the sign-in is lost.
@Suite(.concurrencyLimited) struct GatewayInvalidInputTests {
    // MARK: Answers

    @Test func `A choice that does not exist is refused before it is sent, and the sign-in continues`() async throws {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start("LoginWithPush", forceAuth: true))
            try await RecordedGateway.alice(&page)
            var choices = try node(in: await page.next())
            let count = gateway.requests.count
            var choice = try #require(choices[ChoiceCallback.self])
            expectError(\JourneyError.kind, "invalidAnswer") { try choice.select(2) }
            expectError(\JourneyError.kind, "invalidAnswer") { try choice.select("Letter") }
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == session)
            try choice.select("Push message")
            choices[ChoiceCallback.self] = choice
            #expect(try node(in: await choices.next())[PollingWaitCallback.self] != nil)
        }
    }

    @Test func `An answer that the node does not accept is refused by the server, and can be given again`() async throws
    {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start("LoginWithPush", forceAuth: true))
            try await RecordedGateway.alice(&page)
            var choices = try node(in: await page.next())
            choices.callbacks[0].raw.answer(.integer(7))
            let failure = try failure(in: await choices.next())
            #expect(failure.kind == .refused)
            #expect(failure.message == "IDToken1 must be an integer from 0 to 1.")
            try await gateway.expectSession(session)
            choices.callbacks[0].raw.answer(.integer(0))
            _ = try node(in: await choices.next())
        }
    }

    @Test func `A wrong password is a failure with the message of the server, and the session remains`() async throws {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start(forceAuth: true))
            page[NameCallback.self]?.name = "alice"
            page[PasswordCallback.self]?.password = "looking-glass"
            let failure = try failure(in: await page.next())
            #expect(failure.kind == .wrongAnswer)
            #expect(failure.message == "Login failure")
            try await gateway.expectSession(session)
        }
    }

    @Test func `A node without a required answer is not sent, and can be completed`() async throws {
        try await RecordedGateway.with { gateway in
            let first = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start(forceAuth: true))
            page[NameCallback.self]?.name = "alice"
            let count = gateway.requests.count
            let error = await expectError(\JourneyError.kind, "missingAnswer") { [page] in try await page.next() }
            #expect(error?.failure.reason == "the password is missing")
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == first)
            page[PasswordCallback.self]?.password = "wonderland"
            let second = try #require(try session(in: await page.next()))
            try await gateway.expectSession(second)
        }
    }

    @Test func `Values that violate policies are refused by the client or the server, and the registration continues`()
        async throws
    {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start("Registration", forceAuth: true))
            let count = gateway.requests.count
            var password = try #require(page[ValidatedCreatePasswordCallback.self])
            let error = expectError(\JourneyError.kind, "policyViolation") { try password.setPassword("short1") }
            #expect(error?.failure.reason == "the password must have at least 8 characters")
            #expect(gateway.requests.count == count)
            // Only the server checks addresses.
            try Self.register(in: &page, mail: "dinah")
            var again = try node(in: await page.next())
            let mail = again.callbacks.compactMap { $0 as? StringAttributeInputCallback }.filter { $0.name == "mail" }
            #expect(mail.map { $0.failedPolicies.map(\.description) } == [["must be an email address"]])
            #expect(try await gateway.journey.session() == session)
            try Self.register(in: &again, mail: "dinah@example.com")
            #expect(try node(in: await again.next())[KbaCreateCallback.self] != nil)
            try await gateway.expectSession(session)
        }
    }

    /// Answers the first node of the tree `Registration`.
    private static func register(in node: inout Node, mail: String) throws(JourneyError) {
        try node.update(ValidatedCreateUsernameCallback.self) { callback throws(JourneyError) in
            try callback.setUsername("dinah")
        }
        try node.update(ValidatedCreatePasswordCallback.self) { callback throws(JourneyError) in
            try callback.setPassword("wonderland7")
        }
        try node.update(StringAttributeInputCallback.self) { callback throws(JourneyError) in
            try callback.setValue(callback.name == "mail" ? mail : "Dinah")
        }
        try node.update(NumberAttributeInputCallback.self) { callback throws(JourneyError) in
            try callback.setValue(20)
        }
    }

    // MARK: Expired trees and links

    @Test func `An expired tree is a failure of its own kind, and the session remains`() async throws {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start(forceAuth: true))
            try await RecordedGateway.alice(&page)
            gateway.advance(by: 301)
            let failure = try failure(in: await page.next())
            #expect(failure.kind == .expired)
            #expect(failure.errorCode == "110")
            try await gateway.expectSession(session)
        }
    }

    @Test func `A magic link to a look-alike host is not followed, and the real one continues the tree`() async throws {
        try await RecordedGateway.with { gateway in
            let first = try await gateway.signIn()
            var name = try node(in: await gateway.journey.start("MagicLink", forceAuth: true))
            name[NameCallback.self]?.name = "alice"
            let suspended = try node(in: await name.next())
            #expect(suspended.isSuspended)
            await expectError(\JourneyError.kind, "suspended") { try await suspended.next() }
            let link = try #require(await gateway.server.inbox.first?.link)
            #expect(link.hasPrefix(gateway.base))
            let count = gateway.requests.count
            for host in ["127.0.0.1.example.com", "127.0.0.10", "127.0.0.1@127.0.0.2"] {
                let forged = link.replacing("127.0.0.1", with: host)
                let kind = host.contains("@") ? "invalidLink" : "foreignLink"
                await expectError(\JourneyError.kind, kind) { try await gateway.journey.resume(url: forged) }
            }
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == first)
            let second = try #require(try session(in: await gateway.journey.resume(url: link)))
            #expect(try await gateway.journey.session() == second)
            // Each link is valid once.
            let failure = try failure(in: await gateway.journey.resume(url: link))
            #expect(failure.kind == .expiredSuspension)
            #expect(try await gateway.journey.session() == second)
        }
    }

    // MARK: Push

    @Test func `A push message with a forged signature is refused, and the real one approves the sign-in`() async throws
    {
        try await RecordedGateway.with { gateway in
            let first = try await gateway.signIn()
            try await gateway.enroll()
            let waiting = try await gateway.waitForDevice()
            let (token, id) = try await gateway.deliveredMessage()
            let claims = try JsonWebSignature(parsing: token).claims()
            let forged = try JsonWebSignature.sign(claims, sharedSecret: Data(repeating: 1, count: 32))
            let count = gateway.requests.count
            await expectError(\MechanismError.reason, .invalidSignature) {
                try await gateway.push.receive(forged, messageID: id)
            }
            #expect(try await gateway.push.pendingMessages().isEmpty)
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == first)
            try await gateway.push.approve(try await gateway.push.receive(token, messageID: id))
            let second = try #require(try session(in: await waiting.next()))
            #expect(try await gateway.journey.session() == second)
        }
    }

    @Test func `A replayed push message is refused before and after its answer, and the session remains`() async throws
    {
        try await RecordedGateway.with { gateway in
            try await gateway.enroll()
            let waiting = try await gateway.waitForDevice()
            let (token, id) = try await gateway.deliveredMessage()
            let message = try await gateway.push.receive(token, messageID: id)
            await expectError(\MechanismError.reason, .replayed) {
                try await gateway.push.receive(token, messageID: id)
            }
            try await gateway.push.approve(message)
            let session = try #require(try session(in: await waiting.next()))
            let count = gateway.requests.count
            await expectError(\MechanismError.reason, .replayed) {
                try await gateway.push.receive(token, messageID: id)
            }
            await expectError(\MechanismError.reason, .notPending) { try await gateway.push.approve(message) }
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == session)
        }
    }

    // MARK: Passkeys

    /// Trees with passkeys of another domain than that of the gateway.
    private static let foreignPasskeys = """
        {
          "Login": {"start": "ask", "nodes": {
            "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
          }},
          "Foreign": {"start": "ask", "nodes": {
            "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
            "check": {"type": "check-password", "next": {"true": "register", "false": "failure"}},
            "register": {"type": "register-passkey", "relying-party": "example.org", "next": {
              "success": "failure", "failure": "failure", "error": "use", "unsupported": "failure"
            }},
            "use": {"type": "passkey", "relying-party": "example.org", "next": {
              "success": "failure", "failure": "failure", "error": "failure", "unsupported": "success",
              "no-device": "success"
            }}
          }}
        }
        """

    @Test func `A passkey for another origin is refused without the authenticator, and the sign-in continues`()
        async throws
    {
        try await RecordedGateway.with(trees: Self.foreignPasskeys) { gateway in
            let fixture = AuthenticatorFixture()
            let authenticator = fixture.authenticator()
            let first = try await gateway.signIn()
            var page = try node(in: await gateway.journey.start("Foreign", forceAuth: true))
            try await RecordedGateway.alice(&page)
            var registration = try node(in: await page.next())
            #expect(registration.requestsPasskey)
            let count = gateway.requests.count
            await expectError(\JourneyError.kind, "foreignRelyingParty") {
                try await registration.answerPasskey(with: authenticator)
            }
            #expect(fixture.user.answers.asked.isEmpty)
            #expect(try await authenticator.passkeys().isEmpty)
            #expect(gateway.requests.count == count)
            #expect(try await gateway.journey.session() == first)
            // The app tells the server that there is no passkey. As the user has none, the next node is skipped.
            registration[HiddenValueCallback.self]?.value = "ERROR::NotAllowedError:another origin"
            let second = try #require(try session(in: await registration.next()))
            #expect(try await gateway.journey.session() == second)
        }
    }

    private static let foreignSignIn = """
        {
          "Login": {"start": "ask", "nodes": {
            "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
          }},
          "Foreign": {"start": "use", "nodes": {
            "use": {"type": "passkey", "relying-party": "example.org", "next": "failure"}
          }}
        }
        """

    @Test func `A challenge to sign in with a passkey of another origin is refused, and the session remains`()
        async throws
    {
        try await RecordedGateway.with(trees: Self.foreignSignIn) { gateway in
            let fixture = AuthenticatorFixture()
            let session = try await gateway.signIn()
            // Without a session, the passkey identifies the user.
            var challenge = try node(in: await gateway.otherJourney().start("Foreign"))
            #expect(challenge.requestsPasskey)
            await expectError(\JourneyError.kind, "foreignRelyingParty") {
                try await challenge.answerPasskey(with: fixture.authenticator())
            }
            #expect(fixture.user.answers.asked.isEmpty)
            try await gateway.expectSession(session)
        }
    }
}
