import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct JsonDocumentTests {
    private static let text = """
        { "z": 1.50, "a": [ 1e3, {"b":"\\u00e9"} , true ],
          "stage": null,"é" : "x\\/y" }
        """

    @Test func `A document keeps its bytes unchanged`() throws {
        #expect(try JsonDocument(Self.text).text == Self.text)
        #expect(try JsonDocument(" \n[1]\t").text == " \n[1]\t")
        #expect(try JsonDocument(" \n[1]\t").data == Data(" \n[1]\t".utf8))
    }

    @Test func `A byte order mark is ignored at the beginning of a file only`() throws {
        let content = Data([0xEF, 0xBB, 0xBF]) + Data("[1]".utf8)
        #expect(try JsonDocument(fileContent: content).text == "[1]")
        #expect(try JsonDocument(fileContent: Data("[1]".utf8)).text == "[1]")
        #expect(throws: JsonDocumentError.self) { try JsonDocument(content) }
    }

    @Test func `Replacing a value leaves all other bytes unchanged`() throws {
        var document = try JsonDocument(Self.text)
        try document.replace(["a", 1, "b"], with: JsonDocument(encoding: "alice"))
        #expect(document.text == Self.text.replacing(#""\u00e9""#, with: #""alice""#))
        try document.replace(["stage"], with: JsonDocument(#"{"n": 0.10}"#))
        #expect(document["stage", "n"]?.number == "0.10")
        #expect(document["z"]?.number == "1.50")
    }

    @Test func `Whitespace around the document is kept, and whitespace around a new value is removed`() throws {
        var document = try JsonDocument("\n{\"a\": 1 }\n")
        try document.replace(["a"], with: JsonDocument(" 2.0\n"))
        #expect(document.text == "\n{\"a\": 2.0 }\n")
        #expect(document["a"]?.number == "2.0")
        #expect(try JsonDocument(" 2.0\n").number == "2.0")
        try document.replace([], with: JsonDocument("[ ]"))
        #expect(document.text == "\n[ ]\n")
    }

    @Test func `Names are compared by code points, not by canonical equivalence`() throws {
        let document = try JsonDocument("{\"\u{E9}\": 1, \"e\u{301}\": 2}")
        #expect(document["\u{E9}"]?.number == "1")
        #expect(document["e\u{301}"]?.number == "2")
    }

    @Test func `Members keep their order, and values are read by path`() throws {
        let document = try JsonDocument(Self.text)
        #expect(document.members?.map(\.name) == ["z", "a", "stage", "é"])
        #expect(document["a"]?.elements?.map(\.text) == ["1e3", #"{"b":"\u00e9"}"#, "true"])
        #expect(document["a", 1, "b"]?.string == "é")
        #expect(document["é"]?.string == "x/y")
        #expect(document["a", 2]?.bool == true)
        #expect(document["stage"]?.isNull == true)
        #expect(document["a", 3] == nil)
        #expect(document["z", "a"] == nil)
        #expect(document["none"] == nil)
        #expect(try document["a", 1]?.decode(as: [String: String].self) == ["b": "é"])
    }

    @Test(arguments: [
        "", "{", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":1,}"#, #"{a:1}"#, "01", "1.", "nul", "[1]]",
        "\"\u{1}\"",
    ])
    func `Malformed JSON is refused`(_ text: String) {
        let error = #expect(throws: JsonDocumentError.self) { try JsonDocument(text) }
        #expect(error?.description.contains("is expected at line 1, column ") == true)
    }

    @Test(arguments: [
        ("{\n  \"é\": 1\n  \"b\": 2\n}", "a comma or the end of the value is expected at line 3, column 3"),
        (#"{"é": x}"#, "a value is expected at line 1, column 7"),
        ("[1\n", "a comma or the end of the value is expected at line 2, column 1"),
        ("[\r\n{\"a\": 1, \"a\": 2}]", "line 2, column 1 has two members with the same name, \"a\""),
    ])
    func `An error states the line and the column`(_ text: String, _ problem: String) {
        let error = #expect(throws: JsonDocumentError.self) { try JsonDocument(text) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#])
    func `An object with two members of the same name is refused`(_ text: String) {
        let error = #expect(throws: JsonDocumentError.self) { try JsonDocument(text) }
        #expect(error?.description.contains("has two members with the same name") == true)
    }

    @Test func `Half of a surrogate pair is refused`() {
        let error = #expect(throws: JsonDocumentError.self) { try JsonDocument(#""\ud800""#) }
        #expect(error?.description.contains("contains an unpaired surrogate") == true)
    }

    @Test func `The nesting depth is limited`() throws {
        let text = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(throws: JsonDocumentError("it is nested too deeply")) { try JsonDocument(text) }
        #expect(try JsonDocument(String(text.dropFirst().dropLast())).elements?.count == 1)
        let deep = Data(repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JsonDocumentError("it is nested too deeply")) { try JsonDocument(deep) }
        #expect(throws: JsonDocumentError("it is nested too deeply")) { try JsonDocument(deep, maximumDepth: .max) }
    }

    @Test func `Replacing values cannot exceed the maximum depth`() throws {
        var document = try JsonDocument("[0]")
        let nested = try JsonDocument("[0]")
        for depth in 1..<128 {
            try document.replace(Array(repeating: .element(0), count: depth), with: nested)
        }
        let path = Array(repeating: JsonDocument.Step.element(0), count: 128)
        #expect(document.value(at: path)?.number == "0")
        #expect(throws: JsonDocumentError("it is nested too deeply")) { try document.replace(path, with: nested) }
    }

    @Test func `Bytes that are not valid UTF-8 are refused`() {
        #expect(throws: JsonDocumentError("it is not valid UTF-8")) { try JsonDocument(Data([0x22, 0xFF, 0x22])) }
    }

    @Test func `Replacing a value that does not exist fails and leaves the document unchanged`() throws {
        var document = try JsonDocument(Self.text)
        #expect(throws: JsonDocumentError(#"there is no value at ["a"][7]"#)) {
            try document.replace(["a", 7], with: JsonDocument("1"))
        }
        #expect(document.text == Self.text)
    }
}
