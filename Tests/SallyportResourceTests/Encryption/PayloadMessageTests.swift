import Crypto
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
        "1\u{37E}session=\"\(session)\";counter=7;tag=\"AQID\"",
    ])
    func `Another form of a request's header is refused`(text: String) {
        #expect(PayloadRequestSeal(text) == nil)
    }

    @Test(arguments: [
        "", "1", "1;tag=", "1;tag=\"", "1;tag=\"AQID\" ", "1;tag=\"AQID\", 1;tag=\"AQID\"", "1;tag=\"AQID=\"",
        "1\u{37E}tag=\"AQID\"",
    ])
    func `Another form of a response's header is refused`(text: String) {
        #expect(PayloadResponseSeal.tag(text) == nil)
    }

    @Test func `The length of the content follows from the encrypted length`() {
        for length: Int64 in [0, 1, 65_479, 65_480, 65_481, 130_999, 131_000, 131_001, 1 << 30, (1 << 40) + 7] {
            #expect(PayloadBodyLength.decrypted(StreamSealer.encryptedLength(of: length)) == length)
        }
        for encrypted: Int64 in [-1, 0, 40, 55, 65_537, 65_551, 65_552, .max - 65_535, .max] {
            #expect(PayloadBodyLength.decrypted(encrypted) == nil, "\(encrypted)")
        }
    }

    // MARK: Protected fields

    private let keys = PayloadSession(
        id: PayloadMessageTests.session,
        secret: SymmetricKey(size: .bits256),
        transcript: Data()
    )

    private func request(_ fields: HTTPFields) -> PayloadRequestHead {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "A.example", path: "/", headerFields: fields)
        return PayloadRequestHead(head, hasBody: false)
    }

    private func response(_ fields: HTTPFields) -> PayloadResponseHead {
        PayloadResponseHead(status: 200, fields: fields, to: .get)
    }

    private func context(_ fields: HTTPFields) -> Data { request(fields).context(session: Self.session, counter: 1) }

    /// Other values than the one value 7.
    private static let changed = [["8"], [], ["7", "8"], ["7", "7"]]

    private func fields(_ name: String, _ values: [String]) throws -> HTTPFields {
        let name = try #require(HTTPField.Name(name))
        return HTTPFields(values.map { HTTPField(name: name, value: $0) })
    }

    @Test(arguments: [
        "Payload-Content-Type", "Authorization", "DPoP", "Cookie", "Idempotency-Key", "User-Agent", "Last-Event-ID",
        "Prefer", "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
        "Upload-Offset", "Upload-Complete", "Upload-Length", "Upload-Draft-Interop-Version", "X-HTTP-Method-Override",
    ])
    func `A request with a protected field that was changed, removed or added is refused`(name: String) throws {
        let (seal, _) = keys.seal(request(try fields(name, ["7"])), counter: 1)
        #expect(keys.open(request(try fields(name, ["7"])), seal) != nil)
        for values in Self.changed {
            #expect(keys.open(request(try fields(name, values)), seal) == nil, "\(values)")
        }
        let (bare, _) = keys.seal(request([:]), counter: 2)
        for added in ["7", ""] { #expect(keys.open(request(try fields(name, [added])), bare) == nil) }
    }

    @Test(arguments: [
        "Payload-Content-Type", "Content-Range", "Content-Disposition", "ETag", "Last-Modified", "Location", "Link",
        "Retry-After", "WWW-Authenticate", "Authentication-Info", "DPoP-Nonce", "Set-Cookie", "Upload-Offset",
        "Upload-Complete", "Upload-Length", "Upload-Limit",
    ])
    func `A response with a protected field that was changed, removed or added is refused`(name: String) throws {
        let (_, exchange) = keys.seal(request([:]), counter: 1)
        let (seal, _) = exchange.seal(response(try fields(name, ["7"])))
        #expect(exchange.open(response(try fields(name, ["7"])), seal) != nil)
        for values in Self.changed {
            #expect(exchange.open(response(try fields(name, values)), seal) == nil, "\(values)")
        }
        let (bare, _) = exchange.seal(response([:]))
        for added in ["7", ""] { #expect(exchange.open(response(try fields(name, [added])), bare) == nil) }
    }

    @Test func `Several values of a field differ from one, except for cookies, which HTTP/2 may split`() throws {
        #expect(try context(fields("Range", ["7", "8"])) != context([.range: "7, 8"]))
        #expect(try context(fields("Cookie", ["a=1", "b=2"])) == context(fields("Cookie", ["a=1; b=2"])))
        #expect(context([.range: "x"]) != context([.ifRange: "x"]))
        #expect(context([.range: " x\t"]) == context([.range: "x"]))
        #expect(context([.accept: "x"]) == context([:]))
    }

    @Test func `Hosts are equal if they differ in the case of ASCII letters only`() {
        func context(_ authority: String) -> Data {
            let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
            return PayloadRequestHead(head, hasBody: false).context(session: Self.session, counter: 1)
        }
        #expect(context("API.K.example:8443") == context("api.k.example:8443"))
        #expect(context("\u{212A}.example") != context("k.example"))
        #expect(context("\u{130}.example") != context("i\u{307}.example"))
    }

    @Test func `A sealed message has one value of each protected field, except for cookies, and no digests`() throws {
        let link = try #require(HTTPField.Name("Link"))
        var sealed = try fields("Link", ["<a>", "<b>"])
        for value in ["a=1", "b=2"] { sealed.append(HTTPField(name: .setCookie, value: value)) }
        for name in PayloadFields.digests { sealed[name] = "7" }
        PayloadFields.seal(&sealed, hasBody: false)
        #expect(sealed[values: link] == ["<a>, <b>"])
        #expect(sealed[values: .setCookie] == ["a=1", "b=2"])
        #expect(sealed.count == 3)
    }
}
