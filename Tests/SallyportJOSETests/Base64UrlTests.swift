import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct Base64UrlTests {
    @Test func `encoded bytes are decoded to the same bytes`() {
        let bytes = Data(0...255)
        #expect(Base64Url.decode(Base64Url.encode(bytes)) == bytes)
    }

    @Test(arguments: ["YQ==", "+w", "/w", "YR", "a", "Y Q"])
    func `padding, other characters and unused bits are refused`(_ text: String) {
        #expect(Base64Url.decode(text) == nil)
    }
}
