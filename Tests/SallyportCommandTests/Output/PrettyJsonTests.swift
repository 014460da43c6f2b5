import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct PrettyJsonTests {
    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), (" { } ", "{}"), ("[\n]", "[]"), ("null", "null"), ("true", "true"),
        ("false", "false"),
        ("\"a\"", "\"a\""), ("0", "0"), ("-0", "-0"), ("  7\t\r\n", "7"),
        ("12345678901234567890.10e+05", "12345678901234567890.10e+05"), ("1E400", "1E400"), ("-0.0", "-0.0"),
        ("1e-7", "1e-7"),
        ("[1,2]", "[\n  1,\n  2\n]"), ("[[],{}]", "[\n  [],\n  {}\n]"),
        (#"{"b":1,"a":2,"b":3}"#, "{\n  \"b\": 1,\n  \"a\": 2,\n  \"b\": 3\n}"),
        (
            #"{"a":{"b":[1,{"c":null}]}}"#,
            "{\n  \"a\": {\n    \"b\": [\n      1,\n      {\n        \"c\": null\n      }\n    ]\n  }\n}"
        ),
        (#"["\"\\\/\b\f\n\r\t\u00e9\uD83D","é🗝️"]"#, "[\n  \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\",\n  \"é🗝️\"\n]"),
        (#"{"":""}"#, "{\n  \"\": \"\"\n}"), (#"["{[,:]}"]"#, "[\n  \"{[,:]}\"\n]"),
    ])
    func `JSON is indented and otherwise unchanged`(_ json: String, _ pretty: String) {
        #expect(format(json) == pretty + "\n")
        #expect(format(pretty) == pretty + "\n")
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{1:2}",
        "{a:1}",
        "{'a':1}", "{\"a\" 1}", "[1}", "{\"a\":1]", "1 2", "{}{}", "{}\n{}", "[1]x", "01", "-", "+1", ".5", "1.",
        "1.e1", "1e",
        "1e+", "0x10", "--1", "-a", "NaN", "Infinity", "nul", "nulll", "True", "\"", "\"a", "\"\\\"", "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123", "\"a\nb\"", "\"\t\"", "\"\0\"", "// a\n1", "[1] // a", "\u{FEFF}1", "\u{A0}1", "undefined",
    ])
    func `Text that is not exactly one JSON value is not formatted`(_ text: String) {
        #expect(format(text) == nil)
    }

    @Test func `Bytes that are not UTF-8 are not formatted`() {
        #expect(PrettyJson.format(Data([0x22, 0xFF, 0x22])) == nil)
        #expect(PrettyJson.format(Data([0x22, 0xC3, 0x22])) == nil)
    }

    @Test func `Deeply nested JSON is not formatted`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(format(nested(256)) != nil)
        #expect(format(nested(257)) == nil)
        #expect(format(String(repeating: "[", count: 1_000_000)) == nil)
        #expect(format(String(repeating: #"{"a":"#, count: 1_000_000)) == nil)
    }

    @Test func `JSON that would become many times as long is not formatted`() {
        func inside(_ depth: Int, _ text: String) -> String {
            String(repeating: "[", count: depth) + text + String(repeating: "]", count: depth)
        }
        let numbers = String(repeating: "1,", count: 10_000) + "1"
        #expect(format(inside(250, numbers)) == nil)
        #expect(format(inside(3, numbers)) != nil)
        #expect(format(inside(250, "1,1")) != nil)
    }

    @Test(arguments: 0..<300)
    func `Formatted JSON has the same value for Foundation, and formatting it again changes nothing`(seed: Int) throws {
        var generator = Numbers(state: UInt64(seed))
        let json = value(depth: 0, using: &generator)
        let pretty = try #require(PrettyJson.format(Data(json.utf8)))
        let options: JSONSerialization.ReadingOptions = .fragmentsAllowed
        let expected = try JSONSerialization.jsonObject(with: Data(json.utf8), options: options) as? NSObject
        let found = try JSONSerialization.jsonObject(with: pretty, options: options) as? NSObject
        #expect(found == expected)
        #expect(PrettyJson.format(pretty) == pretty)
    }

    @Test(arguments: 0..<300)
    func `Modified JSON is formatted exactly if Foundation can parse it`(seed: Int) {
        var generator = Numbers(state: UInt64(seed))
        var json = Array(value(depth: 0, using: &generator).utf8)
        let index = Int.random(in: 0..<json.count, using: &generator)
        json[index] = Array("{}[],:\"0e-. atx\\".utf8).randomElement(using: &generator) ?? 0
        let isRead = (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) != nil
        let isPretty = PrettyJson.format(Data(json)) != nil
        #expect(isPretty == isRead, "\(String(decoding: json, as: UTF8.self))")
    }

    private func format(_ text: String) -> String? {
        PrettyJson.format(Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func value(depth: Int, using generator: inout Numbers) -> String {
        let blank = [" ", "", "\n", "\t "].randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &generator) {
        case 0: return blank + "\(Int.random(in: -1000...1000, using: &generator))"
        case 1: return "\(Int.random(in: 0...99, using: &generator)).5e-3" + blank
        case 2: return #""a\nb\u00e9 {}[],:""#
        case 3: return ["true", "false", "null"].randomElement(using: &generator) ?? ""
        case 4:
            let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                value(depth: depth + 1, using: &generator)
            }
            return "[" + blank + items.joined(separator: blank + ",") + blank + "]"
        default:
            let items = (0..<Int.random(in: 0...3, using: &generator)).map { index in
                "\"\(index)\"" + blank + ":" + value(depth: depth + 1, using: &generator)
            }
            return "{" + items.joined(separator: "," + blank) + blank + "}"
        }
    }
}

private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ (state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    }
}
