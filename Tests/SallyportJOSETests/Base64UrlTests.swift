import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct Base64UrlTests {
    @Test func `Encoded bytes are decoded to the same bytes`() {
        let bytes = Data(0...255)
        #expect(Base64Url.decode(Base64Url.encode(bytes)) == bytes)
    }

    @Test(arguments: ["YQ==", "+w", "/w", "YR", "a", "Y Q"])
    func `Padding, invalid characters and unused bits are refused`(_ text: String) {
        #expect(Base64Url.decode(text) == nil)
    }
}
