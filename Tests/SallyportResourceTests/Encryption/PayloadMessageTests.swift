import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct PayloadMessageTests {
    private static let session = "AAAAAAAAAAAAAAAAAAAAAA"

    @Test func `The value of a request's header is parsed and written in one form`() throws {
        let text = "1;session=\"\(Self.session)\";counter=7;tag=\"AQID\""
        let seal = try #require(PayloadRequestSeal(text))
        #expect(seal == PayloadRequestSeal(session: Self.session, counter: 7, tag: Data([1, 2, 3])))
        #expect(seal.text == text)
    }

    @Test(arguments: [
        "", "1", "1;session=\"\(session)\";counter=7", "2;session=\"\(session)\";counter=7;tag=\"AQID\"",
        "1; session=\"\(session)\";counter=7;tag=\"AQID\"", "1;session=\"\(session)\";counter=07;tag=\"AQID\"",
        "1;session=\"\(session)\";counter=+7;tag=\"AQID\"", "1;session=\"\(session)\";counter=0;tag=\"AQID\"",
        "1;session=\"\(session)\";counter=1000000000000000;tag=\"AQID\"",
        "1;session=\"\(session)\";counter=7;tag=\"AQID=\"", "1;session=\"\(session)\";counter=7;tag=\"AQJ\"",
        "1;session=\"\(session)\";counter=7;tag=\"AQID\";x", "1;session=\"\(session)\";counter=7;tag=AQID",
        "1;session=\"AAAA\";counter=7;tag=\"AQID\"", "1;counter=7;session=\"\(session)\";tag=\"AQID\"",
        "1;session=\"\(session)\";counter=7;tag=\"AQID\", 1;session=\"\(session)\";counter=7;tag=\"AQID\"",
        "1;session=\";counter=7;tag=\"",
    ])
    func `Another form of a request's header is refused`(text: String) {
        #expect(PayloadRequestSeal(text) == nil)
    }

    @Test(arguments: [
        "", "1", "1;tag=", "1;tag=\"", "1;tag=\"AQID\" ", "1;tag=\"AQID\", 1;tag=\"AQID\"", "1;tag=\"AQID=\"",
    ])
    func `Another form of a response's header is refused`(text: String) {
        #expect(PayloadResponseSeal.tag(text) == nil)
    }

    @Test func `The length of the content follows from the encrypted length`() {
        for length: Int64 in [0, 1, 65_479, 65_480, 65_481, 130_999, 131_000, 131_001, 1 << 30, (1 << 40) + 7] {
            #expect(PayloadBodyLength.decrypted(StreamSealer.encryptedLength(of: length)) == length)
        }
        for encrypted: Int64 in [-1, 0, 40, 55, 65_537, 65_551, 65_552] {
            #expect(PayloadBodyLength.decrypted(encrypted) == nil, "\(encrypted)")
        }
    }

    @Test func `A field is protected with its combined value, and differs from an absent one`() {
        func context(_ fields: HTTPFields) -> Data {
            let head = HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "A.example",
                path: "/",
                headerFields: fields
            )
            return PayloadRequestHead(head, hasBody: false).context(session: Self.session, counter: 1)
        }
        var twice = HTTPFields()
        twice.append(HTTPField(name: .ifNoneMatch, value: "\"7\""))
        twice.append(HTTPField(name: .ifNoneMatch, value: "\"8\""))
        #expect(context(twice) == context([.ifNoneMatch: "\"7\", \"8\""]))
        #expect(context([:]) != context([.range: ""]))
        #expect(context([.range: "x"]) != context([.ifRange: "x"]))
        #expect(context([.accept: "x"]) == context([:]))
    }
}
