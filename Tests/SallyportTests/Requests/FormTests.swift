import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct FormTests {
    @Test func `A form is a POST with its parameters sorted by name`() {
        let request = makeRequest { $0.form(parameters: ["b": "2", "a": "1", "c": "3"]) }
        #expect(request.getMethod() == .post)
        #expect(request.getHeader(name: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.body.text == "a=1&b=2&c=3")
    }

    @Test func `Pairs keep their order and can have equal names`() {
        let request = makeRequest { $0.form(parameters: [("b", "2"), ("a", "1"), ("b", "3")]) }
        #expect(request.body.text == "b=2&a=1&b=3")
    }

    @Test func `Parameters of several calls are combined`() {
        let request = makeRequest { request in
            request.form(parameters: ["b": "2"])
            request.form(parameters: ["a": "1"])
            request.form(parameters: [:])
        }
        #expect(request.body.text == "b=2&a=1")
    }

    @Test func `Setting another body discards earlier form parameters`() {
        let request = makeRequest { request in
            request.form(parameters: ["b": "2"])
            request.post(json: ["x": 1])
            request.form(parameters: ["a": "1"])
        }
        #expect(request.body.text == "a=1")
    }

    @Test(arguments: [
        ("a b", "a+b"), ("1+1", "1%2B1"), ("ü", "%C3%BC"), ("a&b=c", "a%26b%3Dc"), ("*-._~", "*-._%7E"),
        ("\r\n", "%0D%0A"), ("😀", "%F0%9F%98%80"), ("", ""), ("100%", "100%25"),
    ])
    func `Names and values of a form are encoded as in the URL standard`(text: String, escaped: String) {
        #expect(makeRequest { $0.form(parameters: ["x": text]) }.body.text == "x=\(escaped)")
        #expect(makeRequest { $0.form(parameters: [text: "x"]) }.body.text == "\(escaped)=x")
    }
}
