import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct MarkupTests {
    @Test(
        arguments: [
            ("<script>", "&lt;script&gt;"),
            ("\" onfocus=\"alert(1)", "&quot; onfocus=&quot;alert(1)"),
            ("'&amp;'", "&#39;&amp;amp;&#39;"),
            ("<\u{301}script>\u{301}", "&lt;\u{301}script&gt;\u{301}"),
            ("&\u{20DD}\"\u{FE0F}", "&amp;\u{20DD}&quot;\u{FE0F}"),
            ("a\0b", "a\u{FFFD}b"),
            ("Zoë & 张", "Zoë &amp; 张"),
        ]
    )
    func `Interpolated text is escaped`(value: String, escaped: String) {
        let markup: Markup = "<p>\(value)</p>"
        #expect(Array(markup.text.unicodeScalars) == Array("<p>\(escaped)</p>".unicodeScalars))
    }

    @Test func `Interpolated markup is not escaped again`() {
        let inner: Markup = "<b>\("<")</b>"
        let missing: Markup? = nil
        let outer: Markup = "\(inner)|\([inner, inner])|\(missing)"
        #expect(outer.text == "<b>&lt;</b>|<b>&lt;</b><b>&lt;</b>|")
    }
}
