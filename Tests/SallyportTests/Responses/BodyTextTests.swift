import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BodyTextTests {
    private func text(_ bytes: [UInt8], _ type: String?) -> String {
        let headers = HttpHeaders(type.map { [.contentType: $0] } ?? [:])
        return HttpResponse(status: .ok, headers: headers, body: Data(bytes), request: HttpRequest()).bodyAsString()
    }

    @Test(arguments: [
        nil, "text/plain", "text/plain; charset=utf-8", "text/plain; charset=\"UTF-8\"", "text/plain; charset=x-other",
    ])
    func `Text is decoded as UTF-8 by default`(type: String?) {
        #expect(text([0x68, 0xC3, 0xA9], type) == "hé")
    }

    @Test func `Invalid bytes are decoded as replacement characters`() {
        #expect(text([0x68, 0xFF, 0x69], nil) == "h\u{FFFD}i")
        #expect(text([0x68, 0x00, 0x69], "text/plain; charset=utf-16le") == "h\u{FFFD}")
    }

    @Test func `Charsets ISO-8859-1 and windows-1252 are decoded`() {
        #expect(text([0x68, 0xE9], "text/plain; charset=ISO-8859-1") == "hé")
        #expect(text([0x80, 0xE9, 0x93], "text/html; Charset=windows-1252") == "€é“")
        #expect(text([0x81], "text/html; charset=windows-1252") == "\u{81}")
    }

    @Test func `UTF-16 is decoded in either byte order`() {
        #expect(text([0x68, 0x00, 0xE9, 0x00], "text/plain; charset=utf-16") == "hé")
        #expect(text([0x68, 0x00, 0xE9, 0x00], "text/plain; charset=utf-16le") == "hé")
        #expect(text([0x00, 0x68, 0x00, 0xE9], "text/plain; charset=utf-16be") == "hé")
        #expect(text([0x3D, 0xD8, 0x00, 0xDE], "text/plain; charset=utf-16le") == "😀")
    }

    @Test func `A byte order mark takes precedence over the charset and is removed`() {
        #expect(text([0xEF, 0xBB, 0xBF, 0x68], "text/plain; charset=utf-16") == "h")
        #expect(text([0xFE, 0xFF, 0x00, 0x68], "text/plain; charset=utf-8") == "h")
        #expect(text([0xFF, 0xFE, 0x68, 0x00], nil) == "h")
    }

    @Test func `An empty or missing body gives empty text`() {
        #expect(text([], nil) == "")
        #expect(HttpResponse(status: .ok, body: nil, request: HttpRequest()).bodyAsString() == "")
    }
}
