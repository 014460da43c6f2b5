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

    @Test func `The fields of a form can be read, replaced, removed and added`() {
        var request = makeRequest { $0.form(parameters: [("a b", "1"), ("scope", "x y"), ("a b", "ü&="), ("c", "")]) }
        #expect(request.formFields?.map(\.name) == ["a b", "scope", "a b", "c"])
        #expect(request.formFields?.map(\.value) == ["1", "x y", "ü&=", ""])
        request.setFormField(name: "a b", value: "2 & 3")
        #expect(request.body.text == "scope=x+y&c=&a+b=2+%26+3")
        request.removeFormField(name: "scope")
        request.form(parameters: ["a b": "4"])
        #expect(request.body.text == "c=&a+b=2+%26+3&a+b=4")
        request.removeFormField(name: "c")
        request.removeFormField(name: "a b")
        #expect(request.body.text == "")
        #expect(request.formFields?.isEmpty == true)
        request.setFormField(name: "d", value: "5")
        #expect(request.body.text == "d=5")
    }

    @Test func `The fields of a form whose body was set as data can be changed, and the others stay as they are`() {
        let request = makeRequest { request in
            request.put(contentType: "Application/X-WWW-Form-URLEncoded; charset=utf-8", body: "a=%7e&b=%FF&c=1")
            request.setFormField(name: "c", value: "2")
        }
        #expect(request.body.text == "a=%7e&b=%FF&c=2")
        #expect(request.getMethod() == .put)
        #expect(request.getHeader(name: "Content-Type") == "Application/X-WWW-Form-URLEncoded; charset=utf-8")
    }

    @Test(arguments: [RequestBody.none, .data(Data("{}".utf8)), .data(Data([0xFF]))])
    func `A field of a body that is not a form cannot be set, and no field is found or removed`(body: RequestBody)
        async
    {
        var request = makeRequest { request in
            if case .data(let data) = body {
                let isText = String(data: data, encoding: .utf8) != nil
                request.post(contentType: isText ? "application/json" : "application/x-www-form-urlencoded", body: data)
            }
            request.removeFormField(name: "a")
        }
        #expect(request.formFields == nil)
        request.setFormField(name: "a", value: "1")
        let (client, server) = makeClient()
        let error = await expectError(\NetworkError.kind, "invalidRequest") { [request] in
            try await client.request(request: request) as HttpResponse
        }
        #expect(error?.failure.reason == "the form field \"a\" cannot be set, because the body is not a form")
        #expect(server.requests.isEmpty)
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
