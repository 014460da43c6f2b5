import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct PasskeyTests {
    private static let outcome = CallbackText.make(
        "HiddenValueCallback",
        output: CallbackText.output("value", #""false""#) + "," + CallbackText.output("id", #""webAuthnOutcome""#),
        input: #"{"name":"IDToken2","value":"webAuthnOutcome"}"#
    )

    /// Returns a callback that asks for a passkey.
    private static func metadata(_ action: String, _ members: String) -> String {
        #"{"type":"MetadataCallback","output":[{"name":"data","value":{"_type":"WebAuthn","_action":"webauthn_\#(action)",\#(members)}}],"_id":0}"#
    }

    private static let registration =
        #""challenge":"AQID","_relyingPartyId":"example.com","relyingPartyName":"Example","userId":"dXNlcg==","userName":"alice","#
        + #""displayName":"Alice","_pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"#
        + #""_excludeCredentials":[{"type":"public-key","id":[-1,0,127]}],"attestationPreference":"none","timeout":"60000","#
        + #""_authenticatorSelection":{"userVerification":"required","requireResidentKey":true}"#

    private static let authentication =
        #""challenge":"AQID","relyingPartyId":"rpId: \"am.example.com\",","userVerification":"discouraged","#
        + #""_allowCredentials":[{"type":"public-key","id":"AP8"}],"timeout":"1""#

    private static func node(_ server: TreeServer, _ metadata: String) async throws -> Node {
        server.answer(.node(metadata, outcome), .session())
        return try SallyportJourneyTests.node(in: await server.journey().start())
    }

    /// Returns the value that was sent for the outcome.
    private static func sent(_ server: TreeServer) throws -> String? {
        try JsonDocument(server.treeRequests.last?.text ?? "")["callbacks", 1, "input", 0, "value"]?.string
    }

    @Test func `A registration has the options of the server, and its answer the form of PingAM`() async throws {
        let server = TreeServer()
        var node = try await Self.node(server, Self.metadata("registration", Self.registration))
        #expect(node.requestsPasskey)
        let description = "the response of an authenticator is missing; set it and send the node again"
        await expectError(\JourneyError.description, description) { try await node.next() }
        let authenticator = FixedAuthenticator()
        try await node.answerPasskey(with: authenticator)
        let request = try #require(authenticator.registration)
        #expect(request.challenge == Data([1, 2, 3]))
        #expect(request.origin == "https://am.example.com")
        #expect(request.relyingPartyID == "example.com" && request.relyingPartyName == "Example")
        #expect(request.userID == Data("dXNlcg==".utf8))
        #expect(request.userName == "alice" && request.displayName == "Alice")
        #expect(request.algorithms == [-7, -257])
        #expect(request.excludedCredentials == [Data([255, 0, 127])])
        #expect(request.userVerification == .required && request.requiresResidentKey)
        #expect(request.attestation == "none" && request.timeout == .seconds(60))
        _ = try await node.next()
        #expect(try Self.sent(server) == #"{"type":"webauthn.create"}::1,-1,-128::AP8::Laptop"#)
    }

    @Test func `An authentication has the options of the server, and its answer the form of PingAM`() async throws {
        let server = TreeServer()
        var node = try await Self.node(server, Self.metadata("authentication", Self.authentication))
        let authenticator = FixedAuthenticator()
        try await node.answerPasskey(with: authenticator)
        let request = try #require(authenticator.assertion)
        #expect(request.relyingPartyID == "am.example.com")
        #expect(request.allowedCredentials == [Data([0, 255])])
        #expect(request.userVerification == .discouraged && request.timeout == .seconds(1))
        _ = try await node.next()
        #expect(try Self.sent(server) == #"{"type":"webauthn.get"}::5,-6::7::AP8::dXNlcg=="#)
    }

    @Test func `A server that supports it gets the answer as JSON`() async throws {
        let server = TreeServer()
        let members = Self.authentication + #","supportsJsonResponse":true"#
        var node = try await Self.node(server, Self.metadata("authentication", members))
        try await node.answerPasskey(with: FixedAuthenticator())
        _ = try await node.next()
        let outcome = try JsonDocument(try #require(try Self.sent(server)))
        #expect(outcome["legacyData"]?.string == #"{"type":"webauthn.get"}::5,-6::7::AP8::dXNlcg=="#)
        #expect(outcome["authenticatorAttachment"]?.string == "platform")
    }

    @Test(arguments: [
        "evil.com", "com", "co.uk", "xam.example.com", "notexample.com", "m.example.com", "", "am.example.com.",
        ".example.com",
    ])
    func `A passkey for another relying party is refused, and the authenticator is not called`(_ id: String)
        async throws
    {
        let server = TreeServer()
        let members = #""challenge":"AQID","relyingPartyId":"rpId: \"\#(id)\"","_relyingPartyId":"\#(id)""#
        var node = try await Self.node(server, Self.metadata("authentication", members))
        let authenticator = FixedAuthenticator()
        if id.isEmpty {
            try await node.answerPasskey(with: authenticator)
            #expect(authenticator.assertion?.relyingPartyID == "am.example.com")
            return
        }
        await expectError(\JourneyError.kind, "foreignRelyingParty") {
            try await node.answerPasskey(with: authenticator)
        }
        #expect(authenticator.assertion == nil)
        #expect(node[HiddenValueCallback.self]?.value == nil)
    }

    @Test(
        arguments: [
            (#"[{"id":"AP8="}]"#, [[0, 255]]), (#"[{"id":"+/8"},{"id":[-1,255]}]"#, [[251, 255], [255, 255]]),
            ("[]", []), ("null", []),
        ] as [(String, [[UInt8]])]
    )
    func `Identifiers of passkeys are read in each form`(_ list: String, _ identifiers: [[UInt8]]) throws {
        #expect(try WebAuthnData.credentials(in: JsonDocument(list)) == identifiers.map { Data($0) })
    }

    @Test(arguments: [
        #"[{"id":"*"}]"#, #"[{"id":""}]"#, #"[{"id":[]}]"#, #"[{"id":[1,"a"]}]"#, #"[{"id":[256]}]"#, "[{}]", #""a""#,
        #"[{"id":"AP8"},{"id":7}]"#,
    ])
    func `A list with an identifier that cannot be read is refused, because without it all passkeys would be allowed`(
        _ list: String
    ) async throws {
        let server = TreeServer()
        let members = #""challenge":"AQID","_allowCredentials":\#(list)"#
        var node = try await Self.node(server, Self.metadata("authentication", members))
        let authenticator = FixedAuthenticator()
        await expectError(\JourneyError.kind, "invalidResponse") {
            try await node.answerPasskey(with: authenticator)
        }
        #expect(authenticator.assertion == nil)
    }

    @Test func `An authenticator of an app whose task is cancelled is no error of the authenticator`() async throws {
        let server = TreeServer()
        var node = try await Self.node(server, Self.metadata("authentication", Self.authentication))
        let cancelled = AuthenticatorError(.cancelled, NetworkFailure("the task was cancelled"))
        await expectError(\JourneyError.networkKind, "cancelled") {
            try await node.answerPasskey(with: FixedAuthenticator(error: cancelled))
        }
    }

    @Test func `The relying party of a server with an address is the address`() throws {
        let origin = try WebAuthnOrigin("https://192.0.2.7:8443/am")
        #expect(origin.text == "https://192.0.2.7:8443")
        #expect(try origin.relyingPartyID(in: JsonDocument("{}")) == "192.0.2.7")
        let parent = try JsonDocument(#"{"_relyingPartyId":"0.2.7"}"#)
        expectError(\JourneyError.kind, "foreignRelyingParty") { try origin.relyingPartyID(in: parent) }
    }

    @Test func `An authenticator that refuses is an answer, and another error leaves the node unanswered`() async throws
    {
        let server = TreeServer()
        var node = try await Self.node(server, Self.metadata("authentication", Self.authentication))
        await expectError(\JourneyError.kind, "handler") {
            try await node.answerPasskey(with: FixedAuthenticator(error: NoAuthenticator()))
        }
        #expect(node[HiddenValueCallback.self]?.value == nil)
        try await node.answerPasskey(with: FixedAuthenticator(error: PasskeyError.notAllowed))
        _ = try await node.next()
        #expect(try Self.sent(server) == "ERROR::NotAllowedError:the request was refused")
    }

    @Test(arguments: ["", #""challenge":"","#, #""challenge":"*","#])
    func `A request without a challenge is refused`(_ members: String) async throws {
        let server = TreeServer()
        var node = try await Self.node(server, Self.metadata("authentication", members + #""timeout":"1""#))
        await expectError(\JourneyError.kind, "invalidResponse") {
            try await node.answerPasskey(with: FixedAuthenticator())
        }
    }

    @Test func `A node without a request for a passkey is unchanged`() async throws {
        let server = TreeServer()
        var node = try await Self.node(server, CallbackText.polling)
        try await node.answerPasskey(with: FixedAuthenticator())
        #expect(!node.requestsPasskey)
        #expect(node[HiddenValueCallback.self]?.value == nil)
    }

    @Test func `Device binding and signing are answered by an authenticator`() async throws {
        let server = TreeServer()
        let outputs = [
            ("userId", #""id=alice""#), ("username", #""alice""#), ("authenticationType", #""APPLICATION_PIN""#),
            ("challenge", #""c-1""#), ("title", #""T""#), ("subtitle", #""S""#), ("description", #""D""#),
            ("timeout", "30"),
        ]
        let output = outputs.map { CallbackText.output($0.0, $0.1) }.joined(separator: ",")
        let binding = ["jws", "deviceName", "deviceId", "clientError"].map { #"{"name":"IDToken1\#($0)","value":""}"# }
        let signing = ["jws", "clientError"].map { #"{"name":"IDToken2\#($0)","value":""}"# }
        server.answer(
            .node(
                CallbackText.make("DeviceBindingCallback", output: output, input: binding.joined(separator: ",")),
                CallbackText.make(
                    "DeviceSigningVerifierCallback",
                    output: output,
                    input: signing.joined(separator: ",")
                )
            ),
            .session()
        )
        var node = try SallyportJourneyTests.node(in: await server.journey().start())
        await expectError(\JourneyError.kind, "missingAnswer") { try await node.next() }
        let origin = try WebAuthnOrigin(TreeServer.base)
        let request = try #require(node[DeviceBindingCallback.self]?.request(from: origin))
        #expect(request.origin == "https://am.example.com")
        #expect(request.userID == "id=alice" && request.userName == "alice" && request.challenge == "c-1")
        #expect(request.protection == .applicationPIN && request.timeout == .seconds(30))
        #expect(request.prompt == DeviceKeyPrompt(title: "T", subtitle: "S", text: "D"))
        #expect(node[DeviceSigningVerifierCallback.self]?.request(from: origin).userID == "id=alice")
        try await node.answerDeviceKey(with: FixedKeys())
        _ = try await node.next()
        let sent = server.treeRequests.last?.text ?? ""
        #expect(sent.contains(#""IDToken1jws","value":"b.i.n""#) && sent.contains(#""IDToken1deviceId","value":"d-1""#))
        #expect(sent.contains(#""IDToken2clientError","value":"ClientNotRegistered""#))
    }
}

private struct NoAuthenticator: Error {}

/// An authenticator with fixed responses, which records the requests.
private final class FixedAuthenticator: PasskeyAuthenticator {
    private let error: (any Error)?
    private let state = Locked<(PasskeyRegistrationRequest?, PasskeyAssertionRequest?)>((nil, nil))

    init(error: (any Error)? = nil) { self.error = error }

    var registration: PasskeyRegistrationRequest? { state.withLock { $0.0 } }
    var assertion: PasskeyAssertionRequest? { state.withLock { $0.1 } }

    func register(_ request: PasskeyRegistrationRequest) throws -> PasskeyRegistration {
        state.withLock { $0.0 = request }
        if let error { throw error }
        return PasskeyRegistration(
            credentialID: Data([0, 255]),
            clientDataJSON: Data(#"{"type":"webauthn.create"}"#.utf8),
            attestationObject: Data([1, 255, 128]),
            deviceName: "Laptop"
        )
    }

    func authenticate(_ request: PasskeyAssertionRequest) throws -> PasskeyAssertion {
        state.withLock { $0.1 = request }
        if let error { throw error }
        return PasskeyAssertion(
            credentialID: Data([0, 255]),
            clientDataJSON: Data(#"{"type":"webauthn.get"}"#.utf8),
            authenticatorData: Data([5, 250]),
            signature: Data([7]),
            userHandle: Data("dXNlcg==".utf8)
        )
    }
}

/// Device keys that can be created, and not used.
private struct FixedKeys: DeviceKeyAuthenticator {
    func bind(_ request: DeviceBindingRequest) -> DeviceBinding {
        DeviceBinding(jws: "b.i.n", deviceID: "d-1", deviceName: "Laptop")
    }

    func sign(_ request: DeviceSigningRequest) throws -> String { throw DeviceKeyError.notRegistered }
}
