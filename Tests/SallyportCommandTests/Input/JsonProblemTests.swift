import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct JsonProblemTests {
    @Test(
        arguments: [
            ("", "line 1, column 1: a value is expected, but the text ends, at ▸"),
            ("{\n  \"a\": 1,\n}", "line 3, column 1: a name in double quotes is expected, at ▸}"),
            ("[1 2]", "line 1, column 4: a comma or a closing bracket is expected, at [1 ▸2]"),
            ("{\"a\" 1}", "line 1, column 6: a colon is expected, at {\"a\" ▸1}"),
            ("{\"é\": tru}", "line 1, column 7: a value is expected, at {\"é\": ▸tru}"),
            (
                "\"ab",
                "line 1, column 1: a string that does not end, or that contains a line break or an invalid escape, at ▸\"ab"
            ),
            ("[01]", "line 1, column 2: an invalid number, at [▸01]"),
            ("{} x", "line 1, column 4: the end of the text is expected, at {} ▸x"),
            ("\r\n{\"a\":1]", "line 2, column 7: a comma or a closing brace is expected, at {\"a\":1▸]"),
            ("{\"password\": hunter2}", "line 1, column 14: a value is expected"),
        ]
    )
    func `The first error in a JSON text is found, and a line with a secret is not shown`(text: String, problem: String)
    {
        #expect(JsonProblem(in: Data(text.utf8))?.description == problem)
    }

    @Test(arguments: ["{}", "[1, 2.5e3, null, true]", "\"a\"", " {\"a\": {\"b\": []}} "])
    func `A valid JSON text has no error`(text: String) {
        #expect(JsonProblem(in: Data(text.utf8)) == nil)
    }

    @Test func `A text that is not UTF-8, or nested too deeply, is reported or ignored`() {
        #expect(JsonProblem(in: Data([0x5B, 0xFF]))?.reason == "the text is not UTF-8")
        #expect(JsonProblem(in: Data(repeating: UInt8(ascii: "["), count: 1_000)) == nil)
    }
}
