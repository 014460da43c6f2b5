import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

/// Requests that are changed after they received an invalid value.
@Suite(.concurrencyLimited) struct ReusedRequestTests {
    typealias Change = @Sendable (inout HttpRequest) -> Void

    private static let correctedParts: [(part: String, invalid: Change, valid: Change)] = [
        ("body", { $0.post(json: ["born": Date()]) }, { $0.post(json: ["born": "1815"]) }),
        ("body", { $0.post(json: ["born": Date()]) }, { $0.post(contentType: "text/plain", body: "1815") }),
        ("body", { $0.post(json: ["born": Date()]) }, { $0.setBody(nil) }),
        ("body", { $0.post(json: ["born": Date()]) }, { $0.get() }),
        ("body", { $0.post(json: ["born": Date()]) }, { $0.form(parameters: ["born": "1815"]) }),
        ("form", { $0.form([1]) }, { $0.form(["born": "1815"]) }),
        ("media type", { $0.post(contentType: "a\nb", body: "a") }, { $0.post(json: ["a": 1]) }),
        ("media type", { $0.post(contentType: "a\nb", body: "a") }, { $0.delete() }),
        ("header", { $0.setHeader(name: "X-A", value: "a\nb") }, { $0.setHeader(name: "x-a", value: "b") }),
        ("header", { $0.addHeader(name: "X-A", value: "a\nb") }, { $0.removeHeader(name: "x-a") }),
        ("header name", { $0.setHeader(name: "X A", value: "a") }, { $0.removeHeader(name: "X A") }),
        ("cookie", { $0.setCookie(cookie: "theme") }, { $0.setHeader(name: "Cookie", value: "theme=dark") }),
        ("method", { $0.setMethod("GET /") }, { $0.setMethod(.put) }),
        ("method", { $0.setMethod("GET /") }, { $0.post(json: ["a": 1]) }),
        ("timeout", { $0.timeout = 0 }, { $0.timeout = 1 }),
    ]

    @Test(arguments: correctedParts.indices)
    func `A request with an invalid value can be sent after its part is set again`(index: Int) throws {
        let (part, invalid, valid) = Self.correctedParts[index]
        var request = HttpRequest(url: "https://example.com/")
        invalid(&request)
        #expect(!refusal(of: request).isEmpty, "\(part)")
        valid(&request)
        _ = try request.head()
    }

    @Test func `An invalid value remains a problem when another part is set`() {
        var request = HttpRequest(url: "https://example.com/")
        request.setHeader(name: "X-A", value: "a\nb")
        request.setHeader(name: "X-B", value: "b")
        request.setMethod(.post)
        request.setBody(Data("a".utf8))
        request.timeout = 1
        #expect(refusal(of: request).contains("the value of the header X-A contains a control character"))
    }

    @Test func `Values that add to others do not replace an invalid one`() {
        var request = HttpRequest(url: "https://example.com/")
        request.addHeader(name: "X-A", value: "a\nb")
        request.addHeader(name: "X-A", value: "b")
        #expect(refusal(of: request).contains("the value of the header X-A contains a control character"))

        var cookies = HttpRequest(url: "https://example.com/")
        cookies.setCookies(cookies: ["theme", "size=2"])
        #expect(refusal(of: cookies).contains("a cookie is not of the form name=value"))

        var form = HttpRequest(url: "https://example.com/")
        form.setFormField(name: "a", value: "1")
        form.form(parameters: ["b": "2"])
        #expect(refusal(of: form).contains("the form field \"a\" cannot be set"))
    }
}
