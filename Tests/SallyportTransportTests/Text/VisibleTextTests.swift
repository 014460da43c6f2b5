import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct VisibleTextTests {
    @Test(
        arguments: [
            ("", ""), ("plain text", "plain text"), ("naïve 地図 👩‍👩‍👧", "naïve 地図 👩‍👩‍👧"), ("a\u{200C}b", "a\u{200C}b"),
            ("a\u{1B}[2Jb", #"a\u{1B}[2Jb"#), ("a\u{9B}31m", #"a\u{9B}31m"#),
            ("\0\u{7F}\u{80}\u{9F}", #"\u{0}\u{7F}\u{80}\u{9F}"#),
            ("a\r\nb\tc", #"a\u{D}\u{A}b\u{9}c"#), ("\u{200E}\u{200F}\u{61C}", #"\u{200E}\u{200F}\u{61C}"#),
            ("\u{202A}\u{202E}\u{2066}\u{2069}", #"\u{202A}\u{202E}\u{2066}\u{2069}"#),
            ("\u{2028}\u{2029}\u{FEFF}\u{200B}\u{E0041}", #"\u{2028}\u{2029}\u{FEFF}\u{200B}\u{E0041}"#),
            (#"\u{9B}"#, #"\u{9B}"#), ("e\u{301}", "e\u{301}"),
        ]
    )
    func `Characters in a line that control a terminal or reorder text are escaped`(text: String, shown: String) {
        #expect(VisibleText.line(text) == shown)
    }

    @Test func `Each control character and direction mark is escaped`() {
        let values =
            Array(0...0x1F) + Array(0x7F...0x9F) + [0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E)
            + Array(0x2066...0x2069)
        for value in values {
            let scalar = Unicode.Scalar(UInt32(value)).map(String.init) ?? ""
            #expect(VisibleText.line("a\(scalar)b") == "a\\u{\(String(value, radix: 16, uppercase: true))}b")
        }
    }

    @Test func `A line that is too long is truncated`() {
        #expect(VisibleText.line("abcd", longest: 4) == "abcd")
        #expect(VisibleText.line("abcde", longest: 4) == "abcd…")
    }

    @Test(
        arguments: [
            ("a\nb\tc\n", "a\nb\tc\n"), ("a\r\nb", "a\r\nb"), ("a\rb\r", #"a\u{D}b\u{D}"#), ("a\r\r\n", "a\\u{D}\r\n"),
            ("\u{9B}\n", "\\u{9B}\n"),
        ]
    )
    func `Line breaks of a multi-line text are kept`(text: String, shown: String) {
        #expect(VisibleText.lines(text) == shown)
    }

    @Test func `Characters in JSON are escaped as JSON escape sequences`() {
        #expect(
            VisibleText.json("{\n \"a\": \"\u{9B}31m\u{202E}\u{E0041}é\"}")
                == "{\n \"a\": \"\\u009B31m\\u202E\\uDB40\\uDC41é\"}"
        )
    }

    @Test func `The description of a network error escapes control characters`() {
        let failure = NetworkFailure("the server says \u{9B}31m\n", request: "GET http://a/", advice: "\u{202E}ask it")
        #expect(
            "\(NetworkError.invalidResponse(failure))"
                == #"GET http://a/: the server says \u{9B}31m\u{A}; \u{202E}ask it"#
        )
    }
}
