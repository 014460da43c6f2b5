import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct Base64UrlTests {
    @Test func `bytes come back as they were`() {
        let bytes = Data(0...255)
        #expect(Base64Url.decode(Base64Url.encode(bytes)) == bytes)
    }

    @Test(arguments: ["YQ==", "+w", "/w", "YR", "a", "Y Q"])
    func `what no encoder writes is refused`(_ text: String) {
        #expect(Base64Url.decode(text) == nil)
    }
}
