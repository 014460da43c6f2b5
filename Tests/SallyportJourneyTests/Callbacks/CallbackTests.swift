import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct CallbackTests {
    @Test func `A choice refuses indexes and texts that it does not have, and keeps the previous answer`() throws {
        let text = CallbackText.make(
            "ChoiceCallback",
            output: CallbackText.output("choices", #"["a","b"]"#) + "," + CallbackText.output("defaultChoice", "1")
        )
        var choice: ChoiceCallback = try #require(try callback(text))
        #expect(choice.defaultIndex == 1)
        try choice.select(0)
        for index in [-1, 2, .max] { expectError(\JourneyError.kind, "invalidAnswer") { try choice.select(index) } }
        expectError(\JourneyError.kind, "invalidAnswer") { try choice.select("c") }
        #expect(choice.selectedIndex == 0)
    }

    @Test(arguments: [
        (0, ["Yes", "No"], [0, 1]), (1, ["Yes", "No", "Cancel"], [0, 1, 2]), (2, ["OK", "Cancel"], [3, 2]),
    ])
    func `A confirmation without options has standard options and their values`(
        _ type: Int,
        _ options: [String],
        _ values: [Int]
    ) throws {
        let text = CallbackText.make("ConfirmationCallback", output: CallbackText.output("optionType", "\(type)"))
        var confirmation: ConfirmationCallback = try #require(try callback(text))
        #expect(confirmation.options == options)
        #expect(confirmation.missingAnswer != nil)
        for (index, value) in values.enumerated() {
            try confirmation.select(index)
            #expect(confirmation.raw.answer()?.integer == Int64(value))
            #expect(confirmation.selectedIndex == index)
        }
        #expect(confirmation.missingAnswer == nil)
    }

    @Test(arguments: [
        ("NameCallback", ""), ("PasswordCallback", #"{"name":"IDToken1"}"#),
        ("ChoiceCallback", #"{"name":"IDToken1","value":0}"#),
        ("KbaCreateCallback", #"{"name":"IDToken1question","value":""}"#),
        ("IdPCallback", #"{"name":"IDToken1","value":""}"#),
        ("SelectIdPCallback", #"{"name":"IDToken1","value":""}"#), ("NewCallback", #"{"name":"IDToken1","value":""}"#),
    ])
    func `A callback of an unknown or unexpected form stays raw`(_ type: String, _ input: String) throws {
        let raw: RawCallback = try #require(try callback(CallbackText.make(type, input: input)))
        #expect(raw.type == type)
    }

    @Test func `A raw callback has its outputs and inputs by name, and refuses unknown names`() throws {
        let text = CallbackText.make(
            "NewCallback",
            output: CallbackText.output("a", "1.50") + "," + CallbackText.output("b", "null"),
            input: #"{"name":"x","value":[1]},{"name":"y"},7,{"name":"IDToken3jws","value":""}"#
        )
        var raw: RawCallback = try #require(try callback(text))
        #expect(raw.outputNames == ["a", "b"])
        #expect(raw.output("a")?.number == "1.50")
        #expect(raw.inputNames == ["x", "IDToken3jws"])
        #expect(raw.input("x")?.text == "[1]")
        try raw.setInput("x", to: true)
        #expect(raw.input("x")?.bool == true)
        #expect(raw.hasInput("jws") && !raw.hasInput("") && !raw.hasInput("ws"))
        expectError(\JourneyError.kind, "invalidAnswer") { try raw.setInput("z", to: 1) }
        expectError(\JourneyError.kind, "invalidAnswer") { try raw.setInput("x", to: Double.nan) }
    }

    @Test func `Removing an answer restores the received input`() async throws {
        let server = TreeServer()
        let input = CallbackText.make("TextInputCallback", input: #"{"name":"IDToken1","value":"as received"}"#)
        server.answer(.node(input), .session())
        var node = try node(in: await server.journey().start())
        node[TextInputCallback.self]?.text = "changed"
        node[TextInputCallback.self]?.text = nil
        _ = try await node.next()
        #expect(server.treeRequests.last?.text.contains("as received") == true)
    }

    @Test func `An app can register a type for a callback`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.make("BadgeCallback")), .session())
        var types = CallbackTypes()
        types.register(BadgeCallback.self, for: "BadgeCallback")
        var node = try node(in: await server.journey(callbackTypes: types).start())
        await expectError(\JourneyError.description, "the badge is missing; set it and send the node again") {
            try await node.next()
        }
        node[BadgeCallback.self]?.badge = "42"
        _ = try await node.next()
        #expect(server.treeRequests.last?.text.contains(#""value":"42""#) == true)
    }

    @Test func `The inputs of a callback are found by their suffix`() throws {
        let text = CallbackText.make(
            "X",
            input:
                #"{"name":"IDToken12token","value":1},{"name":"IDToken12token_type","value":2},{"name":"IDToken12","value":3}"#
        )
        var raw: RawCallback = try #require(try callback(text))
        raw.answer("a")
        raw.answer("b", for: "token")
        raw.answer("c", for: "token_type")
        #expect(
            ["IDToken12", "IDToken12token", "IDToken12token_type"].map { raw.input($0)?.string } == ["a", "b", "c"]
        )
    }

    @Test(arguments: [("8000", 8.0), ("0", 0), ("-5", 0), ("99999999999", 3600), ("x", 5)])
    func `The time to wait is limited`(_ text: String, _ seconds: Double) throws {
        let output = CallbackText.output("waitTime", "\"\(text)\"")
        let polling: PollingWaitCallback = try #require(
            try callback(CallbackText.make("PollingWaitCallback", output: output, input: ""))
        )
        #expect(polling.waitTime == .seconds(seconds))
    }
}

/// A type of the app.
private struct BadgeCallback: Callback {
    var raw: RawCallback

    init?(_ raw: RawCallback) {
        guard raw.hasInput() else { return nil }
        self.raw = raw
    }

    var badge: String? {
        get { raw.answer()?.string }
        set { raw.answer(newValue.map { .string($0) }) }
    }

    var missingAnswer: String? { badge == nil ? "the badge" : nil }
}
