import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct VisibleBytesTests {
    @Test(
        arguments: [
            ("plain\n", "plain\n"), ("a\u{1B}[2J\u{9B}b\u{202E}", #"a\u{1B}[2J\u{9B}b\u{202E}"#),
            ("é地👩‍👩‍👧\r\n", "é地👩‍👩‍👧\r\n"),
            ("a\rb\r", #"a\u{D}b\u{D}"#),
        ]
    )
    func `Text in chunks is escaped like the complete text`(text: String, shown: String) {
        let bytes = Data(text.utf8)
        for size in 1...max(bytes.count, 1) {
            var visible = VisibleBytes()
            var result = Data()
            for start in stride(from: 0, to: bytes.count, by: size) {
                result += visible.escaped(bytes[start..<min(start + size, bytes.count)])
            }
            result += visible.end()
            #expect(String(decoding: result, as: UTF8.self) == shown, "in pieces of \(size)")
        }
    }

    @Test func `Bytes that are not UTF-8 are replaced`() {
        var visible = VisibleBytes()
        let shown = visible.escaped(Data([0x9B, 0x41, 0xE2, 0x80])) + visible.end()
        #expect(String(decoding: shown, as: UTF8.self) == "\u{FFFD}A\u{FFFD}")
    }
}
