import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct AttributeNodesTests {
    private static let account: [String: JsonValue] = [
        "IDToken1": "robert", "IDToken2": "s3cret-enough", "IDToken3": "Robert", "IDToken4": "robert@example.com",
        "IDToken5": 30, "IDToken6": true,
    ]

    /// Answers the first page of the tree `Registration`.
    private func start(
        _ journey: JourneyClient,
        _ changes: [String: JsonValue] = [:]
    ) async throws -> JourneyResponse {
        try await journey.answer(try await journey.start("Registration"), Self.account.merging(changes) { $1 })
    }

    @Test func `A user registers, and signs in with the new account`() async throws {
        try await JourneyClient.with { journey in
            let page = try await journey.start("Registration")
            #expect(
                page.types == [
                    "ValidatedCreateUsernameCallback", "ValidatedCreatePasswordCallback",
                    "StringAttributeInputCallback", "StringAttributeInputCallback", "NumberAttributeInputCallback",
                    "BooleanAttributeInputCallback",
                ]
            )
            #expect(page.output("echoOn", of: 1) == false)
            #expect(page.output("name", of: 3) == "mail")
            #expect(page.output("required", of: 3) == true)
            let policies: JsonValue = [
                "name": "age", "policyRequirements": ["MINIMUM_NUMBER_VALUE"],
                "policies": [
                    [
                        "policyId": "minimum-number-value", "policyRequirements": ["MINIMUM_NUMBER_VALUE"],
                        "params": ["minimum": 13],
                    ]
                ],
            ]
            #expect(page.output("policies", of: 4) == policies)
            let questions = try await journey.answer(page, Self.account)
            #expect(questions.types == ["KbaCreateCallback"])
            let terms = try await journey.answer(
                questions,
                ["IDToken1question": "In which city were you born?", "IDToken1answer": "Oxford"]
            )
            #expect(terms.types == ["TermsAndConditionsCallback"])
            #expect(terms.output("terms") == "Be kind.")
            #expect(terms.output("version") == "1.0")
            _ = try await journey.answer(terms, ["IDToken1": true]).token
            let login = try await journey.start("Login")
            let token = try await journey.answer(
                login,
                ["IDToken1": "robert", "IDToken2": "s3cret-enough"]
            ).token
            #expect(!token.isEmpty)
            // The subject is not the name, which somebody else can register later.
            let claims = try JsonWebSignature(parsing: try await journey.accessToken(token)).claims()
            #expect(claims["sub"]?.string?.wholeMatch(of: /robert\.[A-Za-z0-9_\-]{22}/) != nil)
            // The name is in use now.
            let again = try await start(journey)
            #expect(again.output("failedPolicies") == [#"{"params":{},"policyRequirement":"UNIQUE"}"#])
        }
    }

    @Test func `A name that is registered again after a day has nothing of the account before`()
        async throws
    {
        try await JourneyClient.with({ configuration in
            configuration.lifetimes.session = 100_000
            configuration.lifetimes.sessionIdle = 100_000
            configuration.lifetimes.accessToken = 100_000
        }) { journey in
            func register() async throws -> String {
                let questions = try await start(journey)
                let terms = try await journey.answer(questions, ["IDToken1question": "Q", "IDToken1answer": "A"])
                return try await journey.answer(terms, ["IDToken1": true]).token
            }
            func logIn(_ tree: String) async throws -> JourneyResponse {
                let step = try await journey.start(tree)
                return try await journey.answer(step, ["IDToken1": "robert", "IDToken2": "s3cret-enough"])
            }
            let session = try await register()
            let headers = ["Authorization": "Bearer \(try await journey.accessToken(session))"]
            #expect(try await journey.get("/userinfo", headers: headers).status.code == 200)
            let authenticator = TestAuthenticator(origin: journey.base)
            let creation = try await logIn("RegisterPasskey")
            let handle = try #require(creation.output("data")?["userId"]?.string)
            _ = try await journey.answer(creation, ["IDToken2": authenticator.register(creation)]).token
            _ = try await journey.answer(try await logIn("OneTimePassword"))
            #expect(try await logIn("OneTimePassword").types == ["PasswordCallback"])
            journey.clock.advance(86_401)
            let again = try await register()
            #expect(try await journey.start("Registration", session: again).token == again)
            #expect(try await journey.start("Registration", session: session).types.count == 6)
            #expect(try await journey.get("/userinfo", headers: headers).status.code == 401)
            let login = try await journey.start("Passkey")
            try await journey.answer(
                login,
                ["IDToken2": authenticator.authenticate(login, userHandle: handle)]
            ).expectRefusal(
                401,
                "Login failure",
                ["failureUrl": "", "problem": "The passkey is unknown, or belongs to another user."]
            )
            #expect(try await logIn("OneTimePassword").types.first == "TextOutputCallback")
        }
    }

    @Test(
        arguments: [
            ("IDToken1", 0, "ab", #"{"params":{"minLength":3},"policyRequirement":"MIN_LENGTH"}"#),
            ("IDToken1", 0, "alice", #"{"params":{},"policyRequirement":"UNIQUE"}"#),
            ("IDToken2", 1, "s3cret", #"{"params":{"minLength":8},"policyRequirement":"MIN_LENGTH"}"#),
            ("IDToken2", 1, "secret-enough", #"{"params":{"numNums":1},"policyRequirement":"AT_LEAST_X_NUMBERS"}"#),
            ("IDToken3", 2, "", #"{"params":{},"policyRequirement":"REQUIRED"}"#),
            ("IDToken4", 3, "robert", #"{"params":{},"policyRequirement":"VALID_EMAIL_ADDRESS_FORMAT"}"#),
            ("IDToken5", 4, 12, #"{"params":{"minimum":13},"policyRequirement":"MINIMUM_NUMBER_VALUE"}"#),
        ] as [(String, Int, JsonValue, String)]
    )
    func `An answer that violates a policy is asked again with the policy`(
        input: String,
        callback: Int,
        answer: JsonValue,
        policy: String
    ) async throws {
        try await JourneyClient.with { journey in
            let again = try await start(journey, [input: answer])
            for index in again.types.indices {
                let expected: JsonValue = index == callback ? [.string(policy)] : []
                #expect(again.output("failedPolicies", of: index) == expected)
            }
            #expect(try await journey.answer(again, Self.account).types == ["KbaCreateCallback"])
        }
    }

    @Test(
        arguments: [
            ("IDToken5", "old", "IDToken5 must be a number."), ("IDToken6", "yes", "IDToken6 must be true or false."),
            ("IDToken1", "", "IDToken1 needs an answer."),
            ("IDToken1validateOnly", 1, "IDToken1validateOnly must be true or false."),
        ] as [(String, JsonValue, String)]
    )
    func `An answer of another type is refused`(input: String, answer: JsonValue, message: String) async throws {
        try await JourneyClient.with { journey in
            try await start(journey, [input: answer]).expectRefusal(400, message)
        }
    }

    @Test func `A request that only validates returns the same page`() async throws {
        try await JourneyClient.with { journey in
            let same = try await start(journey, ["IDToken3validateOnly": true])
            #expect(same.types.count == 6)
            #expect(same.output("value", of: 2) == "Robert")
            #expect(same.output("failedPolicies", of: 2) == [])
        }
    }

    @Test func `Declined terms end the registration, and a repeated question is asked again`() async throws {
        try await JourneyClient.with { journey in
            let questions = try await start(journey)
            let terms = try await journey.answer(questions, ["IDToken1question": "Q", "IDToken1answer": "A"])
            try await journey.answer(terms, ["IDToken1": false])
                .expectRefusal(401, "Login failure", ["failureUrl": ""])
            let unanswered = try await start(journey)
            try await journey.answer(unanswered, ["IDToken1question": "Q"])
                .expectRefusal(400, "IDToken1answer needs an answer.")
        }
        let tree = """
            {"start": "n", "nodes": {"n": {"type": "questions", "questions": ["Q"], "count": 2, "next": "failure"}}}
            """
        try await JourneyClient.withTree(tree) { journey in
            let step = try await journey.start("Test")
            var answers: [String: JsonValue] = [
                "IDToken1question": "Q", "IDToken1answer": "A", "IDToken2question": "Q", "IDToken2answer": "B",
            ]
            let again = try await journey.answer(step, answers)
            #expect(again.types == ["KbaCreateCallback", "KbaCreateCallback"])
            answers["IDToken2question"] = "R"
            try await journey.answer(again, answers).expectRefusal(401, "Login failure", ["failureUrl": ""])
        }
    }

    @Test(
        arguments: [
            ("a@b.example", true), ("a.b+c@d-e.example", true), ("a@b", false), ("@b.example", false), ("a@b.", false),
            ("a@.example", false), ("a b@c.example", false), ("a@b@c.example", false), ("a@b.example ", false),
            ("a", false),
        ]
    )
    func `An email address has one @, and a domain of several names`(text: String, isValid: Bool) throws {
        var members = try NodeMembers(["email": true], place: "test")
        let policies = try AttributePolicies(&members)
        #expect(policies.failures(of: .string(text)).isEmpty == isValid)
    }

    @Test func `A device profile needs an identifier and metadata`() async throws {
        try await JourneyClient.with { journey in
            let step = try await journey.start("DeviceProfile")
            #expect(step.types == ["DeviceProfileCallback"])
            #expect(step.output("metadata") == true)
            #expect(step.output("location") == false)
            let profile = #"{"identifier": "device-1", "metadata": {"platform": {}}}"#
            #expect(try await journey.answer(step, ["IDToken1": .string(profile)]).types.count == 2)
            for wrong in ["none", #"{"identifier": ""}"#, #"{"identifier": "device-1"}"#] {
                let another = try await journey.start("DeviceProfile")
                try await journey.answer(another, ["IDToken1": .string(wrong)]).expectRefusal(
                    401,
                    "Login failure",
                    [
                        "failureUrl": "",
                        "problem": "The device profile is not JSON with an identifier and metadata.",
                    ]
                )
            }
        }
    }
}
