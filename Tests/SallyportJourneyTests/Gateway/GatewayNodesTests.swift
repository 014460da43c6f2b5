import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportJourney

/// Trees of the gateway that a journey completes: together, these tests contain every type of node.
@Suite(.concurrencyLimited) struct GatewayNodesTests {
    /// A gateway with a tree named `Test`, and a journey.
    private struct Stage {
        let journey: Journey
        let server: AuthorizationServer
        let http: HttpClient
        let base: String

        /// Starts the tree.
        func start() async throws -> Node {
            try SallyportJourneyTests.node(in: try await journey.start("Test"))
        }

        /// Starts the tree, and answers that the user is alice.
        func startAsAlice() async throws -> JourneyStep {
            var node = try await start()
            node[NameCallback.self]?.name = "alice"
            return try await node.next()
        }

        /// Returns the messages that wait for a device.
        func messages(for token: String) async throws -> [JsonValue] {
            let response = try await http.request { request in
                request.url = base + "/push/messages"
                request.post(contentType: "application/json", body: #"{"deviceId":"\#(token)"}"#)
            }
            return try response.decode([String: JsonValue].self)["messages"]?.array ?? []
        }
    }

    /// Runs a test with a tree, whose description consists of nodes and begins with the node `first`.
    private func withTree(
        _ nodes: String,
        interceptors: [any ActionInterceptor] = [],
        _ test: (Stage) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.stepUpTree = nil
        configuration.trees = try JourneyTrees(json: Data(#"{"Test": {"start": "first", "nodes": {\#(nodes)}}}"#.utf8))
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
            let http = HttpClient.createClient { config in
                for interceptor in interceptors { config.addInterceptor(interceptor) }
            }
            defer { http.close() }
            let settings = try JourneyConfiguration(
                clientID: "pub",
                redirectURI: "http://127.0.0.1/callback",
                scope: "openid profile",
                baseURL: gateway.baseURL
            )
            let journey = Journey(settings, httpClient: http) { $0.idTokenAlgorithms = [.es256] }
            try await test(Stage(journey: journey, server: server, http: http, base: gateway.baseURL))
        }
    }

    @Test func `page, username, password and check-password`() async throws {
        let nodes = """
            "first": {
              "type": "page", "stage": "S", "header": "H", "description": "D",
              "nodes": [{"type": "username", "prompt": "Who?"}, {"type": "password", "prompt": "Secret?"}], "next": "check"
            },
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
            """
        try await withTree(nodes) { stage in
            for (password, isRight) in [("queen of hearts", false), ("wonderland", true)] {
                var node = try await stage.start()
                #expect(node.stage == "S" && node.header == "H" && node.descriptionText == "D")
                #expect(node[NameCallback.self]?.prompt == "Who?")
                #expect(node[PasswordCallback.self]?.prompt == "Secret?")
                node[NameCallback.self]?.name = "alice"
                node[PasswordCallback.self]?.password = password
                let step = try await node.next()
                if isRight {
                    #expect(try session(in: step) != nil)
                    #expect(try await stage.journey.requestTokens().idToken != nil)
                } else {
                    #expect(try failure(in: step).kind == .wrongAnswer)
                }
            }
        }
    }

    @Test func `choice, message and failure`() async throws {
        let nodes = """
            "first": {"type": "choice", "prompt": "Tea?", "choices": ["Green", "Black"], "default": "Black", "next": "text"},
            "text": {"type": "message", "message": "Sure?", "kind": "warning", "options": ["Yes", "No"], "next": "end"},
            "end": {"type": "failure", "message": "No tea today.", "url": "https://example.com/tea"}
            """
        try await withTree(nodes) { stage in
            var node = try await stage.start()
            #expect(node[ChoiceCallback.self]?.defaultIndex == 1)
            try node[ChoiceCallback.self]?.select("Green")
            node = try SallyportJourneyTests.node(in: try await node.next())
            #expect(node[TextOutputCallback.self]?.message == "Sure?")
            #expect(node[TextOutputCallback.self]?.messageType == .warning)
            try node[ConfirmationCallback.self]?.select("Yes")
            #expect(try failure(in: try await node.next()).message == "No tea today.")
        }
    }

    @Test func `polling and query`() async throws {
        let nodes = """
            "first": {"type": "polling", "wait": 1, "polls": 3, "next": "member"},
            "member": {"type": "query", "name": "member", "value": "gold", "next": {"true": "gold", "false": "failure"}},
            "gold": {"type": "failure", "message": "gold"}
            """
        for (interceptors, message) in [([], "Login failure"), ([Membership()], "gold")] as [([Membership], String)] {
            try await withTree(nodes, interceptors: interceptors) { stage in
                let started = try await stage.start()
                #expect(started[PollingWaitCallback.self] != nil)
                #expect(try failure(in: try await started.poll()).message == message)
            }
        }
    }

    @Test func `create-username, create-password, attributes, questions, terms and create-user`() async throws {
        let nodes = """
            "first": {"type": "page", "nodes": [
              {"type": "create-username", "min-length": 3}, {"type": "create-password", "digits": 1},
              {"type": "attributes", "attributes": [
                {"name": "givenName", "required": true}, {"name": "age", "kind": "number", "minimum": 13},
                {"name": "news", "kind": "boolean"}
              ]}
            ], "next": "questions"},
            "questions": {"type": "questions", "questions": ["First pet?"], "next": "terms"},
            "terms": {"type": "terms", "terms": "Be kind.", "version": "2", "next": {"accepted": "create", "declined": "failure"}},
            "create": {"type": "create-user", "next": {"created": "success", "failed": "failure"}}
            """
        try await withTree(nodes) { stage in
            var node = try await stage.start()
            expectError(\JourneyError.kind, "policyViolation") {
                try node[ValidatedCreateUsernameCallback.self]?.setUsername("al")
            }
            try node[ValidatedCreateUsernameCallback.self]?.setUsername("alice")
            try node[ValidatedCreatePasswordCallback.self]?.setPassword("carpenter1")
            try node[StringAttributeInputCallback.self]?.setValue("Walter")
            try node[NumberAttributeInputCallback.self]?.setValue(40)
            node[BooleanAttributeInputCallback.self]?.value = true
            node = try SallyportJourneyTests.node(in: try await node.next())
            // Only the server knows that the name is in use.
            #expect(node[ValidatedCreateUsernameCallback.self]?.failedPolicies.map(\.requirement) == ["UNIQUE"])
            try node[ValidatedCreateUsernameCallback.self]?.setUsername("walrus")
            try node[ValidatedCreatePasswordCallback.self]?.setPassword("carpenter1")
            node = try SallyportJourneyTests.node(in: try await node.next())
            node[KbaCreateCallback.self]?.question = "First pet?"
            node[KbaCreateCallback.self]?.answer = "Oyster"
            node = try SallyportJourneyTests.node(in: try await node.next())
            #expect(node[TermsAndConditionsCallback.self]?.terms == "Be kind.")
            #expect(node[TermsAndConditionsCallback.self]?.version == "2")
            node[TermsAndConditionsCallback.self]?.isAccepted = true
            #expect(try session(in: try await node.next()) != nil)
            #expect(try await stage.journey.requestTokens().idToken != nil)
        }
    }

    @Test func `device-profile`() async throws {
        let nodes = """
            "first": {"type": "device-profile", "message": "Collecting", "next": {"collected": "end", "invalid": "failure"}},
            "end": {"type": "failure", "message": "collected"}
            """
        try await withTree(nodes) { stage in
            var node = try await stage.start()
            #expect(node[DeviceProfileCallback.self]?.message == "Collecting")
            try await node.answerDeviceProfile(with: SystemDeviceProfile(identifier: "device-1"))
            #expect(try failure(in: try await node.next()).message == "collected")
        }
    }

    @Test func `suspend`() async throws {
        let nodes = #""first": {"type": "username", "next": "link"}, "link": {"type": "suspend", "next": "success"}"#
        try await withTree(nodes) { stage in
            let suspended = try node(in: try await stage.startAsAlice())
            #expect(suspended.isSuspended)
            let email = try #require(await stage.server.inbox.first)
            #expect(email.recipient == "alice@example.com")
            #expect(try session(in: try await stage.journey.resume(url: email.link)) != nil)
            #expect(try failure(in: try await stage.journey.resume(url: email.link)).kind == .expiredSuspension)
        }
    }

    @Test func `register-passkey and passkey`() async throws {
        let outcomes = #""success": "success", "failure": "failure", "error": "failure", "unsupported": "failure""#
        let nodes = """
            "first": {"type": "choice", "choices": ["Register", "Use"], "next": {"Register": "name", "Use": "use"}},
            "name": {"type": "username", "next": "register"},
            "register": {"type": "register-passkey", "user-verification": "required", "next": {\(outcomes)}},
            "use": {"type": "passkey", "user-verification": "required", "next": {\(outcomes), "no-device": "failure"}}
            """
        try await withTree(nodes) { stage in
            let authenticator = AuthenticatorFixture().authenticator()
            try await authenticator.setPIN("2580")
            var node = try await stage.start()
            try node[ChoiceCallback.self]?.select("Register")
            node = try SallyportJourneyTests.node(in: try await node.next())
            node[NameCallback.self]?.name = "alice"
            node = try SallyportJourneyTests.node(in: try await node.next())
            try await node.answerPasskey(with: authenticator)
            #expect(try session(in: try await node.next()) != nil)
            try await stage.journey.endSession()
            node = try await stage.start()
            try node[ChoiceCallback.self]?.select("Use")
            node = try SallyportJourneyTests.node(in: try await node.next())
            try await node.answerPasskey(with: authenticator)
            #expect(try session(in: try await node.next()) != nil)
        }
    }

    @Test(arguments: ["SHA1", "SHA256", "SHA512"], ["totp", "hotp"])
    func `register-otp and otp`(algorithm: String, kind: String) async throws {
        let nodes = """
            "first": {"type": "username", "next": "register"},
            "register": {"type": "register-otp", "kind": "\(kind)", "algorithm": "\(algorithm)", "digits": 8, "next": "otp"},
            "otp": {"type": "otp", "next": {"true": "success", "false": "failure", "not-registered": "failure"}}
            """
        try await withTree(nodes) { stage in
            let passwords = OneTimePasswords(store: MemoryMechanismStore(), owner: "alice")
            var node = try SallyportJourneyTests.node(in: try await stage.startAsAlice())
            let account = try await passwords.add(try #require(node[HiddenValueCallback.self]?.initialValue))
            try node[ConfirmationCallback.self]?.select("Next")
            node = try SallyportJourneyTests.node(in: try await node.next())
            node[PasswordCallback.self]?.password = try await passwords.next(for: account.id).text
            #expect(try session(in: try await node.next()) != nil)
        }
    }

    @Test(arguments: [false, true])
    func `register-push and push, also combined with one-time passwords`(isCombined: Bool) async throws {
        let otp =
            isCombined
            ? #""otp": {"type": "otp", "next": {"true": "push", "false": "failure", "not-registered": "failure"}},"#
            : ""
        let failures = #""denied": "failure", "timeout": "failure", "not-registered": "failure""#
        let nodes = """
            "first": {"type": "username", "next": "register"},
            "register": {
              "type": "register-push", "combined": \(isCombined), "wait": 1,
              "next": {"success": "\(isCombined ? "otp" : "push")", "timeout": "failure"}
            },
            \(otp)
            "push": {
              "type": "push", "kind": "challenge", "message": "Open?", "payload": "data", "context": "{}", "wait": 1,
              "next": {"approved": "success", \(failures)}
            }
            """
        try await withTree(nodes) { stage in
            let store = MemoryMechanismStore()
            let push = PushClient(store: store, owner: "alice", httpClient: stage.http)
            let passwords = OneTimePasswords(store: store, owner: "alice")
            var node = try SallyportJourneyTests.node(in: try await stage.startAsAlice())
            let uri = try #require(node[HiddenValueCallback.self]?.initialValue)
            #expect(uri.hasPrefix(isCombined ? "mfauth://totp/" : "pushauth://push/"))
            let token = UUID().uuidString
            let device = PushDevice(token: token, name: "Phone", type: "ios", communicationType: "apns")
            _ = try await push.enroll(uri, device: device)
            node = try SallyportJourneyTests.node(in: try await node.next())
            if isCombined {
                let account = try await passwords.add(uri)
                node[PasswordCallback.self]?.password = try await passwords.next(for: account.id).text
                node = try SallyportJourneyTests.node(in: try await node.next())
            }
            let number = try #require(node[HiddenValueCallback.self].flatMap { Int($0.initialValue) })
            let delivered = try #require(try await stage.messages(for: token).first)
            let message = try await push.receive(
                try #require(delivered["message"]?.string),
                messageID: try #require(delivered["messageId"]?.string)
            )
            #expect(message.text == "Open?" && message.customPayload == "data" && message.context == "{}")
            try await push.approve(message, number: number)
            #expect(try session(in: try await node.next()) != nil)
        }
    }

    @Test func `callbacks of an unknown type`() async throws {
        let nodes = """
            "first": {"type": "callbacks", "callbacks": [
              {"type": "RiddleCallback", "output": {"prompt": "Why is a raven like a writing desk?"}, "input": {"": ""}}
            ], "next": "end"},
            "end": {"type": "failure", "message": "end"}
            """
        try await withTree(nodes) { stage in
            var node = try await stage.start()
            #expect(node.callbacks.count == 1)
            #expect(node.callbacks[0].raw.type == "RiddleCallback")
            node.callbacks[0].raw.answer("nobody knows")
            #expect(try failure(in: try await node.next()).message == "end")
        }
    }
}

/// Adds a parameter to the requests that answer nodes, as in seed 001.
private struct Membership: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        guard action.type == "AUTHENTICATE" else { return request }
        var request = request
        request.setParameter(name: "member", value: "gold")
        return request
    }
}
