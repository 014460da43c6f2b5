import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct JourneyTests {
    private static let credentials: [String: JsonValue] = ["IDToken1": "alice", "IDToken2": "wonderland"]

    @Test func `A tree asks for name and password, and its session is exchanged for tokens`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Login")
            #expect(step.types == ["NameCallback", "PasswordCallback"])
            #expect(step.members["stage"] == "UsernamePassword")
            #expect(step.members["header"] == "Sign in")
            let callbacks: JsonValue = [
                [
                    "type": "NameCallback", "output": [["name": "prompt", "value": "User Name"]],
                    "input": [["name": "IDToken1", "value": ""]], "_id": 0,
                ],
                [
                    "type": "PasswordCallback", "output": [["name": "prompt", "value": "Password"]],
                    "input": [["name": "IDToken2", "value": ""]], "_id": 1,
                ],
            ]
            #expect(step.members["callbacks"] == callbacks)
            let end = try await journey.answer(step, Self.credentials)
            let token = try end.token
            #expect(end.members["realm"] == "/")
            #expect(end.members["successUrl"] == .string(journey.base + "/"))
            let cookie = try #require(end.response.getHeader(name: "Set-Cookie"))
            #expect(cookie == "iPlanetDirectoryPro=\(token); Path=/; HttpOnly; SameSite=Lax")
            let tokens = try await journey.tokens(token)
            let idToken = try JsonWebSignature(parsing: try #require(tokens["id_token"]?.string)).claims()
            #expect(idToken["iss"] == .string("\(journey.base)/oauth2/realms/root"))
            #expect(idToken["acr"] == "Login")
            #expect(idToken["amr"] == ["pwd"])
            #expect(idToken["sub"] == "alice")
        }
    }

    @Test
    func `At PingAM's paths id_tokens are signed with RS256, unless the client is registered for another algorithm`()
        async throws
    {
        for algorithm in [nil, SignatureAlgorithm.es256] {
            try await JourneyClient.with({ configuration in
                configuration.signatureAlgorithms = [.es256, .rs256]
                configuration.clients[0].metadata.idTokenSignature = algorithm
            }) { journey in
                let tokens = try await journey.tokens(try await journey.signIn())
                let idToken = try JsonWebSignature(parsing: try #require(tokens["id_token"]?.string))
                #expect(idToken.algorithm == algorithm ?? .rs256)
            }
        }
    }

    @Test func `A wrong password or name fails with Login failure, and the authId cannot be used again`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Login")
            let wrong = try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "looking-glass"])
            wrong.expectRefusal(401, "Login failure", ["failureUrl": ""])
            try await journey.answer(step, Self.credentials)
                .expectRefusal(401, "Session has timed out", ["errorCode": "110"])
            let another = try await journey.start("Login")
            try await journey.answer(another, ["IDToken1": "bob", "IDToken2": "wonderland"])
                .expectRefusal(401, "Login failure", ["failureUrl": ""])
        }
    }

    @Test func `An answer after the lifetime of the step, in another realm or with an invented authId has timed out`()
        async throws
    {
        try await JourneyClient.with { journey in
            let expired = try await journey.start("Login")
            journey.clock.advance(301)
            try await journey.answer(expired, Self.credentials)
                .expectRefusal(401, "Session has timed out", ["errorCode": "110"])
            let step = try await journey.start("Login")
            try await journey.answer(step, Self.credentials, realm: "alpha")
                .expectRefusal(401, "Session has timed out", ["errorCode": "110"])
            var body = try #require(step.body(Self.credentials).object)
            body["authId"] = "invented"
            try await journey.authenticate("", body: .object(body))
                .expectRefusal(401, "Session has timed out", ["errorCode": "110"])
        }
    }

    @Test func `An account is locked after too many wrong passwords, until the lockout ends`() async throws {
        try await JourneyClient.with({ $0.lockoutFailures = 2 }) { journey in
            for _ in 0..<2 {
                let step = try await journey.start("Login")
                try await journey.answer(step, ["IDToken1": "alice", "IDToken2": "wrong"])
                    .expectRefusal(401, "Login failure", ["failureUrl": ""])
            }
            let locked = try await journey.start("Login")
            try await journey.answer(locked, Self.credentials)
                .expectRefusal(401, "User Locked Out.", ["errorCode": "112", "failureUrl": ""])
            journey.clock.advance(301)
            _ = try await journey.signIn()
        }
    }

    @Test func `Simultaneous sign-ins with the right password do not lock the account, and wrong ones are limited`()
        async throws
    {
        try await JourneyClient.with({ $0.lockoutFailures = 2 }) { journey in
            func messages(_ password: String) async throws -> [String] {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            let step = try await journey.start("Login")
                            let end = try await journey.answer(
                                step,
                                ["IDToken1": "alice", "IDToken2": .string(password)]
                            )
                            return end.members["message"]?.string ?? "success"
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(try await messages("wonderland").allSatisfy { $0 == "success" })
            let refusals = try await messages("wrong")
            #expect(refusals.count { $0 == "Login failure" } == 2)
            #expect(refusals.count { $0 == "User Locked Out." } == 8)
        }
    }

    @Test func `The login page and trees lock an account together`() async throws {
        try await TestIdentity.with({ $0.lockoutFailures = 2 }) { identity in
            let browser = TestBrowser(identity)
            let page = try await browser.authorize(TestIdentity.request())
            for _ in 0..<2 {
                _ = try await browser.answer(page, ["username": "alice", "password": "wrong"])
            }
            func post(_ query: String, _ body: String) async throws -> TestResponse {
                try await identity.client.execute(
                    uri: "/json/realms/root/authenticate" + query,
                    method: .post,
                    headers: [
                        .contentType: "application/json", HTTPField.Name("accept-api-version")!: JourneyClient.version,
                    ],
                    body: .init(string: body)
                )
            }
            var body = try await post("?authIndexType=service&authIndexValue=Login", "").members
            let names: [(String, JsonValue)] = [("IDToken1", "alice"), ("IDToken2", "wonderland")]
            body["callbacks"] = .array(
                zip(["NameCallback", "PasswordCallback"], names).map { type, answer in
                    ["type": .string(type), "input": [["name": .string(answer.0), "value": answer.1]]]
                }
            )
            let data = try JSONEncoder().encode(body)
            let end = try await post("", String(decoding: data, as: UTF8.self))
            #expect(end.members["message"] == "User Locked Out.")
        }
    }

    @Test(
        arguments: [
            ("?authIndexType=service&authIndexValue=Nowhere", "No Configuration found: there is no tree \"Nowhere\"."),
            ("?authIndexType=module&authIndexValue=Login", "The authIndexType must be service or composite_advice."),
            ("", "The query needs authIndexType=service and authIndexValue, the name of a tree."),
            (
                "?authIndexType=composite_advice&authIndexValue=%3CAdvices%3E",
                "The authIndexValue is not an advice that this server has sent."
            ),
            ("?authIndexType=service&authIndexValue=Login&ForceAuth=1", "ForceAuth must be true or false."),
            ("?authIndexType=service&authIndexValue=Login&noSession=yes", "noSession must be true or false."),
            ("?authIndexValue=Login&authIndexValue=Login", "A parameter is repeated."),
        ]
    )
    func `A start with a wrong query is refused with the mistake`(query: String, message: String) async throws {
        try await JourneyClient.with { try await $0.authenticate(query).expectRefusal(400, message) }
    }

    @Test(
        arguments: [
            (nil, "The header accept-api-version is missing. Send resource=2.1, protocol=1.0."),
            ("resource=9.9", "The API version resource=9.9 is not supported. Send resource=2.1, protocol=1.0."),
            (
                "resource=2.1, protocol=2.0",
                "The API version protocol=2.0 is not supported. Send resource=2.1, protocol=1.0."
            ),
            ("newest", "The API version newest is not supported. Send resource=2.1, protocol=1.0."),
            ("protocol=1.0", "The header accept-api-version has no resource. Send resource=2.1, protocol=1.0."),
            (",", "The header accept-api-version has no resource. Send resource=2.1, protocol=1.0."),
        ] as [(String?, String)]
    )
    func `A request with a missing or unknown API version is refused`(version: String?, message: String) async throws {
        try await JourneyClient.with { journey in
            let path = "/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"
            let headers = version.map { ["accept-api-version": $0] } ?? [:]
            try JourneyResponse(try await journey.post(path, nil, headers: headers)).expectRefusal(400, message)
        }
    }

    @Test func `A body that is not a JSON object of the type application/json is refused`() async throws {
        try await JourneyClient.with { journey in
            func send(_ type: String, _ body: String) async throws -> JourneyResponse {
                try JourneyResponse(
                    try await journey.client.request { request in
                        request.url = journey.base + "/json/realms/root/authenticate"
                        request.post(contentType: type, body: body)
                        request.setHeader(name: "accept-api-version", value: JourneyClient.version)
                    }
                )
            }
            try await send("application/json", "[").expectRefusal(400, "The body is not a JSON object.")
            try await send("application/json", #"{"authId": 1}"#).expectRefusal(400, "The authId must be a string.")
            try await send("text/plain", "{}").expectRefusal(415, "The body must be application/json.")
        }
    }

    @Test func `An answer that does not match the callbacks is refused, and the right one still accepted`() async throws
    {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Login")
            func send(_ change: (inout [String: JsonValue]) -> Void) async throws -> JourneyResponse {
                var body = step.body(Self.credentials).object ?? [:]
                change(&body)
                return try await journey.authenticate("", body: .object(body))
            }
            try await send { $0["callbacks"] = nil }
                .expectRefusal(400, "The request has 0 callbacks, but this step has 2.")
            try await send { $0["callbacks"] = [["type": "PasswordCallback"], ["type": "PasswordCallback"]] }
                .expectRefusal(400, "Callback 1 is PasswordCallback, but this step has a NameCallback there.")
            try await send { body in
                body["callbacks"] = [
                    ["type": "NameCallback", "input": [["name": "IDToken9", "value": "x"]]],
                    ["type": "PasswordCallback"],
                ]
            }.expectRefusal(400, "IDToken1 needs an answer.")
            try await send { body in
                let input: JsonValue = [
                    ["name": "IDToken1", "value": "alice"], ["name": "IDToken9", "value": "x"],
                ]
                body["callbacks"] = [["type": "NameCallback", "input": input], ["type": "PasswordCallback"]]
            }.expectRefusal(400, "Callback 1 has no input IDToken9.")
            try await journey.answer(step, ["IDToken1": "", "IDToken2": "wonderland"])
                .expectRefusal(400, "IDToken1 needs an answer.")
            try await journey.answer(step, ["IDToken1": 5, "IDToken2": "wonderland"])
                .expectRefusal(400, "IDToken1 must be a string.")
            let long = JsonValue.string(String(repeating: "a", count: 257))
            try await journey.answer(step, ["IDToken1": long, "IDToken2": "wonderland"])
                .expectRefusal(400, "IDToken1 is longer than 256 bytes.")
            _ = try await journey.answer(step, Self.credentials).token
        }
    }

    @Test func `A session ends the tree at once, unless ForceAuth, noSession or another tree is requested`()
        async throws
    {
        try await JourneyClient.with { journey in
            let token = try await journey.signIn()
            let again = try await journey.start("Login", session: token)
            #expect(try again.token == token)
            #expect(again.response.getHeader(name: "Set-Cookie") == nil)
            #expect(try await journey.start("Login", query: "&ForceAuth=true", session: token).types.count == 2)
            #expect(try await journey.start("Login", query: "&noSession=true", session: token).types.count == 2)
            #expect(try await journey.start("StepUp", session: token).types == ["PasswordCallback"])
        }
    }

    @Test func `A success with noSession returns no token and sets no cookie`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Login", query: "&noSession=true")
            let end = try await journey.answer(step, Self.credentials)
            #expect(end.members == ["successUrl": .string(journey.base + "/"), "realm": "/"])
            #expect(end.response.getHeader(name: "Set-Cookie") == nil)
        }
    }

    @Test func `A new sign-in with a session replaces the session`() async throws {
        try await JourneyClient.with { journey in
            let first = try await journey.signIn()
            let second = try await journey.signIn(session: first, query: "&ForceAuth=true")
            #expect(second != first)
            #expect(try await journey.start("Login", session: first).types.count == 2)
            #expect(try await journey.start("Login", session: second).token == second)
        }
    }

    /// A tree `Login`, and a tree `Test` that does not authenticate the user.
    private static let unauthenticating = """
        {
          "Test": {"start": "n", "nodes": {"n": {"type": "choice", "choices": ["a"], "next": "success"}}},
          "Login": {"start": "n", "nodes": {
            "n": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
          }}
        }
        """

    @Test func `A tree that does not authenticate the user begins no session in place of one that has ended`()
        async throws
    {
        try await JourneyClient.with({ configuration in
            configuration.trees = try JourneyTrees(json: Data(Self.unauthenticating.utf8))
            configuration.stepUpTree = nil
            configuration.lifetimes.session = 100
        }) { journey in
            let expired = try await journey.start("Test", session: try await journey.signIn())
            journey.clock.advance(101)
            try await journey.answer(expired).expectRefusal(401, "Session has timed out", ["errorCode": "110"])
            let session = try await journey.signIn()
            let step = try await journey.start("Test", session: session)
            let logout = try await journey.post(
                "/json/realms/root/sessions?_action=logout",
                nil,
                headers: ["accept-api-version": "resource=3.1", "iPlanetDirectoryPro": session]
            )
            #expect(logout.status.code == 200)
            try await journey.answer(step).expectRefusal(401, "Session has timed out", ["errorCode": "110"])
        }
    }

    @Test func `A tree that does not authenticate the user returns the session, and does not renew it`() async throws {
        try await JourneyClient.with({ configuration in
            configuration.trees = try JourneyTrees(json: Data(Self.unauthenticating.utf8))
            configuration.stepUpTree = nil
            configuration.lifetimes.session = 100
        }) { journey in
            let session = try await journey.signIn()
            journey.clock.advance(60)
            let end = try await journey.answer(try await journey.start("Test", session: session))
            #expect(try end.token == session)
            #expect(end.response.getHeader(name: "Set-Cookie") == nil)
            journey.clock.advance(40)
            #expect(try await journey.start("Login", session: session).types.count == 2)
            // Without a session, nobody is signed in.
            let unknown = try await journey.start("Test")
            try await journey.answer(unknown).expectRefusal(401, "Login failure", ["failureUrl": ""])
        }
    }

    @Test func `A request that answers a step can demand that no session begins`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("Login")
            let end = try await journey.authenticate("?noSession=true", body: step.body(Self.credentials))
            #expect(end.members == ["successUrl": .string(journey.base + "/"), "realm": "/"])
            #expect(end.response.getHeader(name: "Set-Cookie") == nil)
        }
    }

    @Test func `A node compares a parameter of the current request`() async throws {
        let tree = """
            {"start": "ask", "nodes": {
              "ask": {"type": "message", "message": "Hello", "next": "member"},
              "member": {"type": "query", "name": "member", "value": "gold", "next": {"true": "gold", "false": "other"}},
              "gold": {"type": "failure", "message": "gold"},
              "other": {"type": "failure", "message": "other"}
            }}
            """
        try await JourneyClient.withTree(tree) { journey in
            for (query, message) in [("", "other"), ("?member=silver", "other"), ("?member=gold", "gold")] {
                let step = try await journey.start("Test", query: "&member=gold")
                try await journey.authenticate(query, body: step.body([:]))
                    .expectRefusal(401, message, ["failureUrl": ""])
            }
        }
    }

    @Test func `A tree that checks a password without a name fails, and locks nobody`() async throws {
        try await JourneyClient.with({ $0.lockoutFailures = 1 }) { journey in
            for _ in 0..<3 {
                let step = try await journey.start("StepUp")
                try await journey.answer(step, ["IDToken1": "wonderland"])
                    .expectRefusal(401, "Login failure", ["failureUrl": ""])
            }
        }
    }

    @Test func `A failing tree ends with its message and URL`() async throws {
        try await JourneyClient.with { journey in
            try await journey.start("Failing").expectRefusal(
                401,
                "This account is closed.",
                ["failureUrl": "https://example.com/closed"]
            )
        }
    }

    @Test func `A tree whose nodes lead to each other without asking ends with an error`() async throws {
        let tree = #"{"start": "a", "nodes": {"a": {"type": "otp", "next": "b"}, "b": {"type": "otp", "next": "a"}}}"#
        try await JourneyClient.withTree(tree) { journey in
            let step = try await journey.start("Test")
            #expect(step.response.status.code == 500)
            #expect(step.members["message"] == "The tree visits more than 100 nodes without asking the user.")
        }
    }
}
