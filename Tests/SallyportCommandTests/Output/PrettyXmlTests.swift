import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct PrettyXmlTests {
    private func format(_ text: String, _ paint: Paint = .none) -> String? {
        PrettyXml.format(Data(text.utf8), paint).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `Elements are indented, and those with text are written unchanged`() {
        let text = """
            <?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c>">]><a x='1>2'><!-- note --><b> text <i>mixed</i></b>
            <c/><d><e></e></d></a>
            """
        #expect(
            format(text) == """
                <?xml version="1.0"?>
                <!DOCTYPE a [<!ENTITY b "c>">]>
                <a x='1>2'>
                  <!-- note -->
                  <b> text <i>mixed</i></b>
                  <c/>
                  <d>
                    <e></e>
                  </d>
                </a>

                """
        )
    }

    @Test func `CDATA and elements that preserve space are written unchanged`() {
        #expect(format("<a><b><![CDATA[<x>]]><c/></b></a>") == "<a>\n  <b><![CDATA[<x>]]><c/></b>\n</a>\n")
        #expect(format("<a xml:space=\"preserve\"> <b/> </a>") == "<a xml:space=\"preserve\"> <b/> </a>\n")
    }

    @Test(arguments: ["", "text", "<a>", "<a></b>", "</a>", "<a", "<>", "<a/>x", "<!-- ", "<a b=\"></a>", "{}", "<1/>"])
    func `A text that is not XML is refused`(text: String) {
        #expect(format(text) == nil)
    }

    @Test func `Very deep XML is refused`() {
        let deep = String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257)
        #expect(format(deep) == nil)
        #expect(format(String(deep.dropFirst(3).dropLast(4))) != nil)
    }

    @Test func `Tags are colored, and control characters escaped`() {
        let text = format("<a><b>\u{9B}1m</b></a>", Paint(isOn: true))
        #expect(
            text
                == "\u{1B}[34m<a>\u{1B}[0m\n  \u{1B}[34m<b>\u{1B}[0m\\u{9B}1m\u{1B}[34m</b>\u{1B}[0m\n\u{1B}[34m</a>\u{1B}[0m\n"
        )
    }
}
