import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ChoiceNodesTests {
    private static let choice = """
        {"start": "n", "nodes": {
          "n": {"type": "choice", "prompt": "Color?", "choices": ["red", "green"], "default": "green", "next": {
            "red": "stop", "green": "go"
          }},
          "stop": {"type": "failure", "message": "red"},
          "go": {"type": "failure", "message": "green"}
        }}
        """

    @Test func `The selected choice decides which node is next, and without an answer it is the default`() async throws
    {
        try await JourneyClient.withTree(Self.choice) { journey in
            let step = try await journey.start("Test")
            #expect(step.types == ["ChoiceCallback"])
            #expect(step.output("prompt") == "Color?")
            #expect(step.output("choices") == ["red", "green"])
            #expect(step.output("defaultChoice") == 1)
            try await journey.answer(step, ["IDToken1": 0]).expectRefusal(401, "red", ["failureUrl": ""])
            let another = try await journey.start("Test")
            try await journey.answer(another).expectRefusal(401, "green", ["failureUrl": ""])
            let text = try await journey.start("Test")
            try await journey.answer(text, ["IDToken1": "0"]).expectRefusal(401, "red", ["failureUrl": ""])
        }
    }

    @Test(arguments: [2, -1, "red", 0.5, nil] as [JsonValue])
    func `An answer that is not the index of a choice is refused`(answer: JsonValue) async throws {
        try await JourneyClient.withTree(Self.choice) { journey in
            let step = try await journey.start("Test")
            try await journey.answer(step, ["IDToken1": answer])
                .expectRefusal(400, "IDToken1 must be an integer from 0 to 1.")
        }
    }

    @Test func `A message has buttons, which decide which node is next`() async throws {
        let tree = """
            {"start": "n", "nodes": {
              "n": {"type": "message", "message": "Really?", "kind": "warning", "options": ["Yes", "No"], "next": {
                "Yes": "yes", "No": "failure"
              }},
              "yes": {"type": "failure", "message": "yes"}
            }}
            """
        try await JourneyClient.withTree(tree) { journey in
            let step = try await journey.start("Test")
            #expect(step.types == ["TextOutputCallback", "ConfirmationCallback"])
            #expect(step.output("message") == "Really?")
            #expect(step.output("messageType") == "1")
            #expect(step.output("options", of: 1) == ["Yes", "No"])
            try await journey.answer(step, ["IDToken2": 0]).expectRefusal(401, "yes", ["failureUrl": ""])
            let another = try await journey.start("Test")
            try await journey.answer(another, ["IDToken2": 1])
                .expectRefusal(401, "Login failure", ["failureUrl": ""])
        }
    }

    @Test func `A polling node asks the client to wait as often as described`() async throws {
        try await JourneyClient.with { journey in
            var step = try await journey.start("Waiting")
            for _ in 0..<3 {
                #expect(step.types == ["PollingWaitCallback"])
                #expect(step.output("waitTime") == "100")
                step = try await journey.answer(step)
            }
            #expect(step.types == ["NameCallback", "PasswordCallback"])
        }
    }

    @Test func `A node shows any callbacks as described, and accepts any answer`() async throws {
        let tree = """
            {"start": "n", "nodes": {
              "n": {"type": "callbacks", "callbacks": [
                {"type": "ReCaptchaCallback", "output": {"recaptchaSiteKey": "key"}, "input": {"": ""}},
                {"type": "SomethingNewCallback", "input": {"first": 1, "second": {"a": [true]}}}
              ], "next": "end"},
              "end": {"type": "failure", "message": "end"}
            }}
            """
        try await JourneyClient.withTree(tree) { journey in
            let step = try await journey.start("Test")
            let callbacks: JsonValue = [
                [
                    "type": "ReCaptchaCallback", "output": [["name": "recaptchaSiteKey", "value": "key"]],
                    "input": [["name": "IDToken1", "value": ""]], "_id": 0,
                ],
                [
                    "type": "SomethingNewCallback", "output": [],
                    "input": [
                        ["name": "IDToken2first", "value": 1], ["name": "IDToken2second", "value": ["a": [true]]],
                    ],
                    "_id": 1,
                ],
            ]
            #expect(step.members["callbacks"] == callbacks)
            try await journey.answer(step, ["IDToken1": "answer", "IDToken2first": ["b"]])
                .expectRefusal(401, "end", ["failureUrl": ""])
        }
    }
}
