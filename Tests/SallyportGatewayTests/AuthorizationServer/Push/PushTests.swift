import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct PushTests {
    /// An authenticator app with the account of a QR code.
    private struct App {
        static let version = ["accept-api-version": "resource=1.0, protocol=1.0"]

        let journey: JourneyClient
        let parameters: [String: String]
        var deviceID = "device-\(UUID().uuidString)"
        let mechanism = UUID().uuidString

        init(_ journey: JourneyClient, uri: String) throws {
            self.journey = journey
            #expect(uri.hasPrefix("pushauth://push/Sallyport:alice?"))
            parameters = try FormParameters(parsing: uri.split(separator: "?", maxSplits: 1)[1]).values(except: [])
        }

        var secret: Data { Base64Url.decode(parameters["s"] ?? "") ?? Data() }

        /// The URL in a parameter, as a path of the gateway.
        func path(_ name: String) throws -> String {
            let url = String(decoding: try #require(Base64Url.decode(parameters[name] ?? "")), as: UTF8.self)
            #expect(url.hasPrefix(journey.base))
            return String(url.dropFirst(journey.base.count))
        }

        func response(to challenge: Data) -> JsonValue {
            let code = HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: secret))
            return .string(Data(code).base64EncodedString())
        }

        func send(
            _ path: String,
            _ names: [String: JsonValue],
            _ claims: [String: JsonValue],
            secret: Data? = nil
        ) async throws -> JourneyResponse {
            let key = try SigningKey(secret: secret ?? self.secret)
            let token = try JsonWebSignature.sign(claims, with: key)
            let body = names.merging(["jwt": .string(token)]) { $1 }
            return try JourneyResponse(try await journey.post(path, .object(body), headers: Self.version))
        }

        func register(_ changes: [String: JsonValue?] = [:], secret: Data? = nil) async throws -> JourneyResponse {
            var claims: [String: JsonValue] = [
                "response": response(to: try #require(Base64Url.decode(parameters["c"] ?? ""))),
                "mechanismUid": .string(mechanism), "deviceId": .string(deviceID), "deviceName": "Phone",
                "deviceType": "ios", "communicationType": "apns",
            ]
            for (name, value) in changes { claims[name] = value }
            let id = JsonValue.string(parameters["m"] ?? "")
            return try await send(try path("r"), ["messageId": id], claims, secret: secret)
        }

        /// Returns the messages that wait for the device.
        func messages() async throws -> [DeliveredPushMessage] {
            try await journey.post("/push/messages", ["deviceId": .string(deviceID)], headers: [:])
                .decode([String: [DeliveredPushMessage]].self)["messages"] ?? []
        }

        /// Answers a message.
        func answer(
            _ message: DeliveredPushMessage,
            _ changes: [String: JsonValue] = [:],
            secret: Data? = nil
        ) async throws -> JourneyResponse {
            let token = try JsonWebSignature(parsing: message.message)
            let challenge = try token.claims()["c"]?.string.flatMap { Data(base64Encoded: $0) }
            let claims = ["response": response(to: try #require(challenge))].merging(changes) { $1 }
            return try await send(
                try path("a"),
                ["messageId": .string(message.messageId)],
                claims,
                secret: secret
            )
        }
    }

    /// Begins the tree `LoginWithPush`, and selects a kind of message: 0, or 1 for one with numbers.
    private func choose(_ journey: JourneyClient, _ choice: Int) async throws -> JourneyResponse {
        let step = try await journey.start("LoginWithPush")
        let choices = try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "wonderland"])
        #expect(choices.types == ["ChoiceCallback"])
        return try await journey.answer(choices, ["IDToken1": .integer(Int64(choice))])
    }

    /// Begins the registration of an app.
    private func offer(_ journey: JourneyClient) async throws -> (step: JourneyResponse, app: App) {
        let step = try await choose(journey, 0)
        #expect(step.types == ["TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback"])
        #expect(step.output("id", of: 1) == "mfaDeviceRegistration")
        return (step, try App(journey, uri: try #require(step.output("value", of: 1)?.string)))
    }

    /// Registers an app.
    private func enrol(_ journey: JourneyClient) async throws -> App {
        let (step, app) = try await offer(journey)
        #expect(try await app.register().members == [:])
        #expect(try await journey.answer(step).types == ["ChoiceCallback"])
        return app
    }

    /// Adds trees that ask for a name only.
    private static func addTrees(_ configuration: inout AuthorizationServerConfiguration) throws {
        let ask = #""ask": {"type": "username", "next": "node"}"#
        let push = #""approved": "success", "denied": "failure", "timeout": "failure", "not-registered": "failure""#
        let check = #""check": {"type": "check-password", "next": {"true": "choose", "false": "failure"}}"#
        let json = """
            {
              "LoginWithPush": {"start": "ask", "nodes": {
                "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"}, \(check),
                "choose": {"type": "choice", "choices": ["Push message"], "next": "push"},
                "push": {"type": "push", "timeout": 120, "next": {
                  "approved": "success", "denied": "failure", "timeout": "failure", "not-registered": "register"
                }},
                "register": {"type": "register-push", "timeout": 120, "next": {"success": "choose", "timeout": "failure"}}
              }},
              "Register": {"start": "ask", "nodes": {\(ask), "node": {"type": "register-push", "timeout": 120, "next": "success"}}},
              "Long": {"start": "ask", "nodes": {\(ask), "node": {
                "type": "push", "message": "long", "payload": "data", "context": "{\\"location\\": \\"Oxford\\"}",
                "timeout": 100, "next": {\(push)}
              }}},
              "Short": {"start": "ask", "nodes": {\(ask), "node": {"type": "push", "timeout": 1, "next": {\(push)}}}},
              "Combined": {"start": "ask", "nodes": {
                \(ask), "node": {"type": "register-push", "combined": true, "next": {"success": "otp", "timeout": "failure"}},
                "otp": {"type": "otp", "next": {"true": "success", "false": "otp", "not-registered": "failure"}}
              }}
            }
            """
        configuration.trees = try JourneyTrees(json: Data(json.utf8))
        configuration.stepUpTree = nil
    }

    private func expectFailure(_ step: JourneyResponse, _ problem: String) {
        step.expectRefusal(401, "Login failure", ["failureUrl": "", "problem": .string(problem)])
    }

    @Test func `A user registers an app, and approves a sign-in with it`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let app = try await enrol(journey)
            let waiting = try await choose(journey, 0)
            #expect(waiting.types == ["PollingWaitCallback"])
            #expect(try await journey.answer(waiting).types == ["PollingWaitCallback"])
            let message = try #require(try await app.messages().first)
            #expect(try await app.messages().isEmpty)
            let token = try JsonWebSignature(parsing: message.message)
            try token.verify(with: #require(SigningKey(secret: app.secret).privateJsonWebKey), allowing: [.hs256])
            let claims = try token.claims()
            #expect(claims["u"] == .string(app.mechanism))
            #expect(claims["t"] == "120")
            #expect(claims["k"] == "default")
            #expect(claims["i"] == .integer(Int64(journey.clock.now.timeIntervalSince1970 * 1000)))
            #expect(try await app.answer(message).members == [:])
            // The step from before was answered, so the current one is needed.
            let current = try await choose(journey, 0)
            let second = try #require(try await app.messages().first)
            _ = try await app.answer(second)
            _ = try await journey.answer(current).token
        }
    }

    @Test func `A denied message and one that is not answered in time end the tree with the reason`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let app = try await enrol(journey)
            let denied = try await choose(journey, 0)
            _ = try await app.answer(try #require(try await app.messages().first), ["deny": true])
            expectFailure(try await journey.answer(denied), "The user denied the push message.")
            let late = try await choose(journey, 0)
            let message = try #require(try await app.messages().first)
            journey.clock.advance(121)
            try await app.answer(message)
                .expectRefusal(400, "The message has expired, or was answered before (messageId).")
            expectFailure(try await journey.answer(late), "The push message was not answered in time.")
        }
    }

    @Test(arguments: ["true", 1, [:], nil] as [JsonValue])
    func `An answer whose deny is not false does not approve the sign-in`(deny: JsonValue) async throws {
        try await JourneyClient.with { journey in
            let app = try await enrol(journey)
            let step = try await choose(journey, 0)
            _ = try await app.answer(try #require(try await app.messages().first), ["deny": deny])
            expectFailure(try await journey.answer(step), "The user denied the push message.")
        }
    }

    @Test func `A message with numbers needs the number that the step shows`() async throws {
        try await JourneyClient.with { journey in
            let app = try await enrol(journey)
            for isRight in [true, false] {
                let step = try await choose(journey, 1)
                #expect(step.types == ["TextOutputCallback", "PollingWaitCallback", "HiddenValueCallback"])
                #expect(step.output("id", of: 2) == "pushChallengeNumber")
                let shown = try #require(step.output("value", of: 2)?.string)
                let message = try #require(try await app.messages().first)
                let claims = try JsonWebSignature(parsing: message.message).claims()
                #expect(claims["k"] == "challenge")
                let numbers = try #require(claims["n"]?.string?.split(separator: ",").map(String.init))
                #expect(numbers.count == 3)
                let selected = try #require(numbers.first { ($0 == shown) == isRight })
                let answer = try await app.answer(message, ["challengeResponse": .string(selected)])
                if isRight {
                    #expect(answer.members == [:])
                    _ = try await journey.answer(step).token
                } else {
                    answer.expectRefusal(400, "The number of the challenge is wrong (challengeResponse).")
                    expectFailure(try await journey.answer(step), "The user selected a wrong number.")
                }
            }
        }
    }

    @Test func `A forged, repeated or misdirected answer is refused, and the message can still be answered`()
        async throws
    {
        try await JourneyClient.with { journey in
            let app = try await enrol(journey)
            let step = try await choose(journey, 0)
            let message = try #require(try await app.messages().first)
            try await app.answer(message, secret: Data(count: 32))
                .expectRefusal(400, "The jwt is not signed with the secret of the device.")
            try await app.answer(message, ["response": "AAAA"])
                .expectRefusal(400, "The response does not match the challenge (response).")
            let other = DeliveredPushMessage(messageId: "AUTHENTICATE:other", message: message.message)
            try await app.answer(other)
                .expectRefusal(400, "The message has expired, or was answered before (messageId).")
            #expect(try await app.answer(message).members == [:])
            try await app.answer(message)
                .expectRefusal(400, "The message has expired, or was answered before (messageId).")
            _ = try await journey.answer(step).token
        }
    }

    @Test func `A registration with a wrong signature, response or claim is refused, and cannot be repeated`()
        async throws
    {
        try await JourneyClient.with { journey in
            let (step, app) = try await offer(journey)
            try await app.register(secret: Data(count: 32))
                .expectRefusal(400, "The jwt is not signed with the secret of the device.")
            try await app.register(["response": "AAAA"])
                .expectRefusal(400, "The response does not match the challenge (response).")
            try await app.register(["mechanismUid": nil])
                .expectRefusal(400, "The claim mechanismUid is missing, or longer than 2048 bytes.")
            try await app.register(["deviceId": ""])
                .expectRefusal(400, "The claim deviceId is missing, or longer than 2048 bytes.")
            #expect(try await app.register().members == [:])
            let repeated = "The registration has expired, or was completed before (messageId)."
            try await app.register().expectRefusal(400, repeated)
            #expect(try await journey.answer(step).types == ["ChoiceCallback"])
        }
    }

    @Test func `A registration that is not completed in time ends the tree`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let (step, app) = try await offer(journey)
            let waiting = try await journey.answer(step)
            #expect(waiting.types == ["TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback"])
            #expect(waiting.output("value", of: 1) == step.output("value", of: 1))
            journey.clock.advance(121)
            try await app.register()
                .expectRefusal(400, "The registration has expired, or was completed before (messageId).")
            expectFailure(try await journey.answer(waiting), "No app was registered in time.")
        }
    }

    @Test func `A device replaces the previous one of its user`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let first = try await enrol(journey)
            var tree = try await choose(journey, 0)
            #expect(tree.types == ["PollingWaitCallback"])
            #expect(try await first.messages().count == 1)
            tree = try await journey.start("Register")
            let step = try await journey.answer(tree, ["IDToken1": "alice"])
            let second = try App(journey, uri: try #require(step.output("value", of: 1)?.string))
            #expect(try await second.register().members == [:])
            _ = try await choose(journey, 0)
            #expect(try await first.messages().isEmpty)
            #expect(try await second.messages().count == 1)
            let names: [String: JsonValue] = ["mechanismUid": .string(first.mechanism)]
            try await first.send("/json/push/sns/message?_action=refresh", names, ["deviceId": "new"])
                .expectRefusal(400, "The mechanismUid is unknown.")
        }
    }

    @Test func `A message is delivered until its own end, and has the payload and context of its node`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let app = try await enrol(journey)
            for tree in ["Long", "Short"] {
                _ = try await journey.answer(try await journey.start(tree), ["IDToken1": "alice"])
            }
            journey.clock.advance(2)
            let messages = try await app.messages()
            #expect(messages.count == 1)
            let claims = try JsonWebSignature(parsing: try #require(messages.first).message).claims()
            #expect(claims["m"] == "long")
            #expect(claims["p"] == "data")
            #expect(claims["x"] == #"{"location": "Oxford"}"#)
        }
    }

    @Test func `A combined registration is for push messages and one-time passwords`() async throws {
        try await JourneyClient.with(Self.addTrees) { journey in
            let step = try await journey.answer(try await journey.start("Combined"), ["IDToken1": "alice"])
            let uri = try #require(step.output("value", of: 1)?.string)
            #expect(uri.hasPrefix("mfauth://totp/Sallyport:alice?s="))
            #expect(uri.hasSuffix("&algorithm=SHA1&digits=6&period=30"))
            let app = try App(journey, uri: uri.replacing("mfauth://totp/", with: "pushauth://push/"))
            #expect(app.parameters["secret"]?.wholeMatch(of: /[A-Z2-7]{52}/) != nil)
            #expect(try await app.register().members == [:])
            #expect(try await journey.answer(step).types == ["PasswordCallback"])
            #expect(try await choose(journey, 0).types == ["PollingWaitCallback"])
        }
    }

    @Test func `An app changes the address of the device`() async throws {
        try await JourneyClient.with { journey in
            var app = try await enrol(journey)
            let names: [String: JsonValue] = ["mechanismUid": .string(app.mechanism)]
            let path = "/json/push/sns/message?_action=refresh"
            try await app.send(path, names, ["deviceId": "new"], secret: Data(count: 32))
                .expectRefusal(400, "The jwt is not signed with the secret of the device.")
            try await app.send(path, ["mechanismUid": "none"], ["deviceId": "new"])
                .expectRefusal(400, "The mechanismUid is unknown.")
            let new = "device-\(UUID().uuidString)"
            #expect(try await app.send(path, names, ["deviceId": .string(new)]).members == [:])
            _ = try await choose(journey, 0)
            #expect(try await app.messages().isEmpty)
            app.deviceID = new
            #expect(try await app.messages().count == 1)
        }
    }

    @Test(
        arguments: [
            ("?_action=register", "[]", "The body is not a JSON object with a jwt."),
            ("?_action=register", #"{"messageId": "m"}"#, "The body is not a JSON object with a jwt."),
            (
                "?_action=register", #"{"messageId": "m", "jwt": "x"}"#,
                "The registration has expired, or was completed before (messageId)."
            ),
            ("?_action=delete", "{}", "The _action must be register, authenticate or refresh."),
            ("", "{}", "The _action must be register, authenticate or refresh."),
        ]
    )
    func `A malformed request of an app is refused`(query: String, body: String, message: String) async throws {
        try await JourneyClient.with { journey in
            let response = try await journey.client.request { request in
                request.url = journey.base + "/json/push/sns/message" + query
                request.post(contentType: "application/json", body: body)
                request.setHeader(name: "accept-api-version", value: "resource=1.0, protocol=1.0")
            }
            try JourneyResponse(response).expectRefusal(400, message)
        }
    }

    @Test func `A request of an app for another API version is refused`() async throws {
        try await JourneyClient.with { journey in
            let headers = ["accept-api-version": "resource=2.1, protocol=1.0"]
            let response = try await journey.post("/json/push/sns/message?_action=register", [:], headers: headers)
            try JourneyResponse(response).expectRefusal(
                400,
                "The API version resource=2.1 is not supported. Send resource=1.0, protocol=1.0."
            )
        }
    }
}
