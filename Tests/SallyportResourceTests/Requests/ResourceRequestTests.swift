import Foundation
import Sallyport
import SallyportResource
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ResourceRequestTests {
    @Test func `The factory has the documented defaults`() {
        let request = ResourceRequestFactory.makeResourceRequest(path: "accounts")
        #expect(request.path == "accounts" && request.method == .get && request.parametersEncoding == .JSON)
        #expect(request.parameters == nil && request.body == nil && request.headers == nil)
        #expect(request.multipartData == nil)
    }

    @Test func `The factory sets every property`() {
        let request = ResourceRequestFactory.makeResourceRequest(
            path: "accounts",
            method: .put,
            parameters: ["a": 1],
            body: Data([1]),
            headers: ["X-A": "b"],
            parametersEncoding: .formURL
        )
        #expect(request.path == "accounts" && request.method == .put && request.parameters == ["a": 1])
        #expect(request.body == Data([1]) && request.headers == ["X-A": "b"] && request.parametersEncoding == .formURL)
        #expect(request.multipartData == nil)
    }

    @Test func `Each of the six initializers sets its properties`() {
        let parameters: [String: JsonValue] = ["a": 1]
        let plain = ResourceRequest(path: "p", method: .delete)
        #expect(plain.path == "p" && plain.method == .delete && plain.parameters == nil)

        let parametrized = ResourceRequest(path: "p", method: .post, parameters: parameters)
        #expect(parametrized.parameters == parameters && parametrized.parametersEncoding == .JSON)

        let form = ResourceRequest(path: "p", method: .post, parameters: parameters, encoding: .formURL)
        #expect(form.parameters == parameters && form.parametersEncoding == .formURL && form.headers == nil)

        let complete = ResourceRequest(
            path: "p",
            method: .put,
            parameters: parameters,
            encoding: .formURL,
            headers: ["X-A": "b"]
        )
        #expect(complete.parameters == parameters && complete.parametersEncoding == .formURL)
        #expect(complete.headers == ["X-A": "b"])

        let raw = ResourceRequest(path: "p", method: .patch, body: Data([1]), headers: ["X-A": "b"])
        #expect(raw.body == Data([1]) && raw.headers == ["X-A": "b"] && raw.parameters == nil)

        let part = MultipartData(data: Data([1]), name: "file", fileName: "a.txt", mimeType: "text/plain")
        let multipart = ResourceRequest(path: "p", method: .post, parameters: parameters, multipartData: [part])
        #expect(multipart.multipartData == [part] && multipart.parameters == parameters && multipart.body == nil)
    }

    @Test func `The builder sets every property, and its earlier requests do not change`() {
        let part = MultipartData(data: Data([1]), name: "file")
        let builder = RequestBuilder.builder().setMethod("POST").setPath("p").setParameters(["a": 1])
        let first = builder.build()
        let second = builder.setParametersEncoding(.formURL).setHeaders(["X-A": "b"]).setMultipartData([part])
            .setBody(Data([1])).build()
        #expect(first.method == .post && first.path == "p" && first.parameters == ["a": 1])
        #expect(first.parametersEncoding == .JSON && first.headers == nil && first.body == nil)
        #expect(second.method == .post && second.path == "p" && second.parameters == ["a": 1])
        #expect(second.parametersEncoding == .formURL && second.headers == ["X-A": "b"] && second.body == Data([1]))
        #expect(second.multipartData == [part])
    }

    @Test func `All properties of a mutable request can be changed, and a copy does not change with it`() {
        let request = MutableResourceRequest(path: "p", method: .get)
        let before = request.copy()
        request.path = "q"
        request.method = .post
        request.parameters = ["a": 1]
        request.parametersEncoding = .formURL
        request.headers = ["X-A": "b"]
        request.body = Data([1])
        request.multipartData = [MultipartData(data: Data([2]), name: "file")]
        let after = request.copy()
        #expect(before.path == "p" && before.method == .get && before.parameters == nil)
        #expect(after.path == "q" && after.method == .post && after.parameters == ["a": 1])
        #expect(after.parametersEncoding == .formURL && after.headers == ["X-A": "b"] && after.body == Data([1]))
        #expect(after.multipartData?.count == 1)

        let copy = after.mutableCopy()
        #expect(copy.path == "q" && copy.method == .post && copy.parameters == ["a": 1] && copy.body == Data([1]))
        #expect(copy.headers == ["X-A": "b"] && copy.parametersEncoding == .formURL && copy.multipartData?.count == 1)
    }

    @Test func `A description contains neither parameters nor headers`() {
        let request = ResourceRequest(
            path: "p?key=secret",
            method: .post,
            parameters: ["a": "secret"],
            encoding: .JSON,
            headers: ["X-A": "secret"]
        )
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", dumped] { #expect(text.contains("POST p") && !text.contains("secret")) }
    }
}
