import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JsonTokenizerTests {
    private func tokens(_ text: String) -> [JsonToken] {
        var tokenizer = JsonTokenizer(Array(text.utf8))
        var tokens = [tokenizer.token]
        while tokenizer.token != .end, tokenizer.token != .invalid {
            tokenizer.advance()
            tokens.append(tokenizer.token)
        }
        return tokens
    }

    @Test func `A text is split into its tokens in order`() {
        #expect(
            tokens(" {\"a\" : [1,-0.5e+3,true,false,null]}\r\n\t") == [
                .objectStart, .string, .colon, .arrayStart, .number, .comma, .number, .comma, .true, .comma, .false,
                .comma, .null, .arrayEnd, .objectEnd, .end,
            ]
        )
        #expect(tokens("") == [.end])
    }

    @Test(arguments: [
        "01", "+1", ".5", "1.", "1e", "-", "1x", "tru", "truex", "nul", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12g4\"",
        "\"\n\"", "'a'", "/", "\u{FEFF}1",
    ])
    func `The tokenizer stops at bytes that are not a token`(text: String) {
        var tokenizer = JsonTokenizer(Array(text.utf8))
        #expect(tokenizer.token == .invalid)
        tokenizer.advance()
        #expect(tokenizer.token == .invalid)
    }

    @Test(arguments: [
        ("\"\"", ""), (#""é""#, "é"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u00e9\ud83d\ude00""#, "é😀"),
    ])
    func `The escape sequences of a string are decoded`(text: String, value: String) {
        #expect(JsonTokenizer(Array(text.utf8)).string == value)
    }

    @Test(arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83dA""#, #""\ud83d\u0041""#])
    func `A string with half a surrogate pair has no value`(text: String) {
        let tokenizer = JsonTokenizer(Array(text.utf8))
        #expect(tokenizer.token == .string)
        #expect(tokenizer.string == nil)
    }

    @Test func `The bytes of a token are those of the source text`() {
        var tokenizer = JsonTokenizer(Array(#"[ "a\n" , 1.50 ]"#.utf8))
        tokenizer.advance()
        #expect(String(decoding: tokenizer.tokenBytes, as: UTF8.self) == #""a\n""#)
        let taken = [tokenizer.take(.string), tokenizer.take(.number), tokenizer.take(.comma)]
        #expect(taken == [true, false, true])
        #expect(String(decoding: tokenizer.tokenBytes, as: UTF8.self) == "1.50")
    }
}
