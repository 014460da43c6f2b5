import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

/// Nodes of trees that a software authenticator answers.
@Suite(.concurrencyLimited) struct PasskeyTreeTests {
    private static let challenge = Base64Url.encode(Data(repeating: 9, count: 32))

    private let fixture = AuthenticatorFixture()

    /// Returns a node that asks for a passkey.
    private func node(_ server: TreeServer, _ action: String, _ members: String) async throws -> Node {
        let data =
            #"{"_type":"WebAuthn","_action":"webauthn_\#(action)","challenge":"\#(Self.challenge)","#
            + #""_relyingPartyId":"example.com",\#(members)}"#
        server.answer(
            .node(
                CallbackText.make("MetadataCallback", output: CallbackText.output("data", data), input: ""),
                CallbackText.make(
                    "HiddenValueCallback",
                    output: CallbackText.output("value", #""false""#) + ","
                        + CallbackText.output("id", #""webAuthnOutcome""#),
                    input: #"{"name":"IDToken2","value":"webAuthnOutcome"}"#
                )
            ),
            .session()
        )
        return try SallyportJourneyTests.node(in: await server.journey().start())
    }

    private static let registration = #""userId":"dXNlcg==","userName":"alice","_pubKeyCredParams":[{"alg":-7}]"#

    /// Returns the parts of the answer that was sent.
    private func sentOutcome(_ server: TreeServer) throws -> [String] {
        let document = try JsonDocument(server.treeRequests.last?.text ?? "")
        let outcome = document["callbacks", 1, "input", 0, "value"]?.string ?? ""
        return outcome.split(separator: "::").map(String.init)
    }

    @Test func `A passkey is registered and used in trees`() async throws {
        let server = TreeServer()
        let authenticator = fixture.authenticator()
        var registering = try await node(server, "registration", Self.registration)
        try await registering.answerPasskey(with: authenticator)
        _ = try await registering.next()
        let registered = try sentOutcome(server)
        #expect(registered.count == 4)
        #expect(registered[0].contains(Self.challenge))
        #expect(registered[0].contains(#""origin":"https://am.example.com""#))
        let attestation = Data(registered[1].split(separator: ",").compactMap { Int8($0) }.map(UInt8.init(bitPattern:)))
        let created = try #require(ReadAuthenticatorData(attestation: attestation))
        #expect(registered[2] == created.credentialID.map { Base64Url.encode($0) })
        #expect(registered[3] == "laptop")

        var authenticating = try await node(server, "authentication", #""_allowCredentials":[]"#)
        try await authenticating.answerPasskey(with: authenticator)
        _ = try await authenticating.next()
        let used = try sentOutcome(server)
        #expect(used.count == 5)
        #expect(used[3] == registered[2])
        #expect(used[4] == "dXNlcg==")
    }

    @Test func `After a wrong PIN the node can be answered again`() async throws {
        let server = TreeServer()
        let authenticator = fixture.authenticator()
        try await authenticator.setPIN("2580")
        var node = try await node(server, "registration", Self.registration)
        fixture.user.set { $0.pin = "0000" }
        await expectError(\JourneyError.authenticatorReason, .wrongPIN(attemptsLeft: 7)) {
            try await node.answerPasskey(with: authenticator)
        }
        #expect(server.treeRequests.count == 1)
        fixture.user.set { $0.pin = "2580" }
        try await node.answerPasskey(with: authenticator)
        _ = try session(in: try await node.next())
    }

    @Test func `A user who declines is an answer for the tree`() async throws {
        let server = TreeServer()
        fixture.user.set { $0.allows = false }
        var node = try await node(server, "registration", Self.registration)
        try await node.answerPasskey(with: fixture.authenticator())
        _ = try await node.next()
        #expect(try sentOutcome(server).prefix(2) == ["ERROR", "NotAllowedError:the request was refused"])
    }
}
