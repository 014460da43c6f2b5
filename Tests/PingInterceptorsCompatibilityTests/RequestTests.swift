import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@testable import PingInterceptorsCompatibility

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.concurrencyLimited) struct RequestTests {
    private let url = "https://am.example.com/token"

    /// A form, with parameters in the URL and beside it.
    private var form: HttpRequest {
        makeRequest(url + "?realm=%2Falpha&flag#top") { request in
            request.form(parameters: [("resource", "a"), ("resource", "b c"), ("code", "ä")])
            request.addParameter(name: "x", value: "1")
            request.addParameter(name: "x", value: "2")
            request.setHeader(name: "Accept", value: "application/json")
            request.addHeader(name: "X-Own", value: "1")
            request.addHeader(name: "X-Own", value: "2")
            request.setHeader(name: "X-Session", value: "secret", isSensitive: true)
        }
    }

    private var json: HttpRequest {
        makeRequest(url) { $0.post(json: ["a": 1, "b": true, "c": ["d": 1.5]]) }
    }

    /// Returns a request after the change of an interceptor.
    private func intercepted(_ request: HttpRequest, _ change: (Request) -> Request) -> HttpRequest {
        let received = Request(request)
        return request.applying(change(received), to: received)
    }

    // MARK: The request that an interceptor receives

    @Test func `Each property has the type that the seed declares`() {
        let request = Request(form)
        let url: String = request.url
        let method: Request.HTTPMethod = request.method
        let headers: [String: String] = request.headers
        let bodyParams: [String: Any] = request.bodyParams
        let urlParams: [String: String] = request.urlParams
        let responseType: Request.ContentType = request.responseType
        let requestType: Request.ContentType = request.requestType
        let timeoutInterval: Double = request.timeoutInterval
        #expect(url == self.url)
        #expect(method == .POST)
        #expect(headers == ["X-Own": "1, 2", "X-Session": "secret"])
        #expect(bodyParams as? [String: String] == ["resource": "a", "code": "ä"])
        #expect(urlParams == ["realm": "/alpha", "flag": "", "x": "1"])
        #expect(responseType == .json)
        #expect(requestType == .urlEncoded)
        #expect(timeoutInterval == 15)
        let types = [Request.ContentType.plainText, .json, .urlEncoded].map(\.rawValue)
        #expect(types == ["text/plain", "application/json", "application/x-www-form-urlencoded"])
        #expect([Request.HTTPMethod.GET, .PUT, .POST, .DELETE].map(\.rawValue) == ["GET", "PUT", "POST", "DELETE"])
    }

    @Test func `Members of a JSON body have plain values`() {
        let request = Request(json)
        #expect(request.requestType == .json)
        #expect(request.bodyParams["a"] as? Int == 1)
        #expect(request.bodyParams["b"] as? Bool == true)
        #expect((request.bodyParams["c"] as? [String: Any])?["d"] as? Double == 1.5)
        #expect(request.headers.isEmpty)
    }

    @Test func `Media types that have no case are headers`() {
        var request = form
        request.setHeader(name: "accept", value: "application/json, application/jwt")
        request.setHeader(name: "Content-Type", value: "application/jwt")
        #expect(Request(request).headers["accept"] == "application/json, application/jwt")
        #expect(Request(request).headers["Content-Type"] == "application/jwt")
        #expect(Request(request).bodyParams.isEmpty)
    }

    @Test func `The timeout is that of the request, or of the client`() {
        var request = json
        request.timeouts = Timeouts(total: .seconds(40))
        #expect(Request(request).timeoutInterval == 40)
        request.timeout = 30
        #expect(Request(request).timeoutInterval == 30)
    }

    // MARK: The request that is sent

    @Test func `A request that no interceptor changes is sent as it was`() throws {
        var text = json
        text.patch(contentType: "text/plain", body: "{}")
        for request in [form, json, text, makeRequest(url)] {
            let sent = intercepted(request) { $0.replacing() }
            #expect(try sent.head() == request.head())
            #expect(sent.body.text == request.body.text)
            #expect(sent.timeout == nil)
        }
    }

    @Test func `A changed parameter replaces all values of its name, and new ones are added`() throws {
        let sent = intercepted(form) { request in
            var urlParams = request.urlParams
            urlParams["x"] = "a&b"
            urlParams["ForceAuth"] = "true"
            return request.replacing(urlParams: urlParams)
        }
        #expect(try sent.head().path == "/token?realm=%2Falpha&flag&ForceAuth=true&x=a%26b")
    }

    @Test func `Parameters in the URL's own query can be replaced and removed`() throws {
        let sent = intercepted(form) { request in
            request.replacing(urlParams: ["realm": "/beta", "x": "1"])
        }
        #expect(try sent.head().path == "/token?x=1&x=2&realm=%2Fbeta")
    }

    @Test func `The query of a new URL precedes the parameters`() throws {
        let sent = intercepted(form) { $0.replacing(url: "https://other.example.com/t?q=1", urlParams: ["x": "1"]) }
        #expect(try sent.head().authority == "other.example.com")
        #expect(try sent.head().path == "/t?q=1&x=1&x=2")
        let moved = intercepted(form) { $0.replacing(url: "https://other.example.com/t") }
        #expect(try moved.head().path == "/t?realm=%2Falpha&flag=&x=1&x=2")
    }

    @Test func `Fields of a form are replaced, added and removed, and other fields keep all values`() throws {
        let sent = intercepted(form) { request in
            var bodyParams = request.bodyParams
            bodyParams["code"] = "b"
            bodyParams["number"] = 7
            return request.replacing(bodyParams: bodyParams)
        }
        #expect(sent.body.text == "resource=a&resource=b+c&code=b&number=7")
        let removed = intercepted(form) { $0.replacing(bodyParams: ["code": "ä"]) }
        #expect(removed.body.text == "code=%C3%A4")
        #expect(try sent.head().headerFields == form.head().headerFields)
        #expect(sent.getMethod() == .post)
    }

    @Test func `Members of a JSON body can be changed, and the method and media type remain`() throws {
        var request = json
        request.setMethod(.delete)
        request.setHeader(name: "Content-Type", value: "application/json; charset=utf-8")
        let sent = intercepted(request) { request in
            request.replacing(bodyParams: request.bodyParams.merging(["a": 2]) { _, new in new })
        }
        #expect(sent.body.text == #"{"a":2,"b":true,"c":{"d":1.5}}"#)
        #expect(sent.getMethod() == .delete)
        #expect(sent.getHeader(name: "Content-Type") == "application/json; charset=utf-8")
    }

    @Test(arguments: [
        (Request.ContentType.json, #"{"a":1,"b":"x y"}"#), (.urlEncoded, "a=1&b=x+y"),
        (.plainText, "a=1\r\nb=x y\r\n"),
    ])
    func `Body parameters are sent in the request type`(_ type: Request.ContentType, _ text: String) {
        let sent = intercepted(makeRequest(url) { $0.post(contentType: "text/html", body: "<p>") }) { request in
            request.replacing(method: .PUT, bodyParams: ["b": "x y", "a": 1], requestType: type)
        }
        #expect(sent.body.text == text)
        #expect(sent.getHeader(name: "Content-Type") == type.rawValue)
        #expect(sent.getMethod() == .put)
    }

    @Test func `Another request type encodes the same parameters again`() {
        let sent = intercepted(form) { $0.replacing(requestType: .json) }
        #expect(sent.body.text == #"{"code":"ä","resource":"a"}"#)
        #expect(sent.getHeader(name: "Content-Type") == "application/json")
    }

    @Test func `Without body parameters there is no body`() {
        let sent = intercepted(form) { $0.replacing(bodyParams: [:]) }
        #expect(sent.body.text == nil)
        #expect(sent.getHeader(name: "Content-Type") == nil)
        #expect(sent.getMethod() == .post)
    }

    @Test func `A body parameter that is not JSON is an error that states its name`() throws {
        let sent = intercepted(makeRequest(url)) { $0.replacing(bodyParams: ["when": Date()]) }
        let error = expectError(\NetworkError.kind, "invalidRequest") { try sent.head() }
        #expect(try #require(error).failure.reason.contains("at when: a value of type Date is not JSON"))
    }

    @Test func `Headers are replaced in any letter case, added and removed`() throws {
        let sent = intercepted(form) { request in
            request.replacing(headers: ["x-session": "other", "Accept-Language": "en-GB"])
        }
        #expect(sent.getHeader(name: "X-Own") == nil)
        #expect(sent.getHeader(name: "X-Session") == "other")
        #expect(sent.getHeader(name: "Accept-Language") == "en-GB")
        #expect(sent.getHeader(name: "Accept") == "application/json")
    }

    @Test(arguments: ["X-Session", "x-session"])
    func `A replaced header remains sensitive, in any letter case`(name: String) throws {
        let sent = intercepted(form) { request in
            var headers = request.headers
            headers["X-Session"] = nil
            headers[name] = "other"
            return request.replacing(headers: headers)
        }
        let fields = try sent.head().headerFields[fields: #require(HTTPField.Name(name))]
        #expect(fields.map(\.value) == ["other"])
        #expect(fields.map(\.indexingStrategy) == [.disallow])
    }

    @Test func `The response type sets Accept, and a header replaces it`() {
        #expect(intercepted(form) { $0.replacing(responseType: .plainText) }.getHeader(name: "Accept") == "text/plain")
        let sent = intercepted(form) { $0.replacing(headers: ["Accept": "image/png"], responseType: .plainText) }
        #expect(sent.getHeader(name: "Accept") == "image/png")
    }

    @Test func `An invalid header or timeout is an error`() {
        for change in [
            { $0.replacing(headers: ["X": "a\nb"]) }, { $0.replacing(timeoutInterval: 0) },
            { $0.replacing(timeoutInterval: .nan) },
        ] as [(Request) -> Request] {
            expectError(\NetworkError.kind, "invalidRequest") { try intercepted(form, change).head() }
        }
        #expect(intercepted(form) { $0.replacing(timeoutInterval: 3) }.timeout == 3)
    }

    @Test func `A method without a case is kept, or replaced by one with a case`() {
        var request = json
        request.setMethod(.patch)
        #expect(intercepted(request) { $0.replacing(urlParams: ["a": "1"]) }.getMethod() == .patch)
        #expect(intercepted(request) { $0.replacing(method: .PUT) }.getMethod() == .put)
    }

    // MARK: build()

    @Test func `Building a request encodes its URL and body and adds the media types`() throws {
        let request = Request(
            url: url + "?a=1&b=2",
            method: .POST,
            headers: ["X-Own": "1"],
            bodyParams: ["b": "ä ", "a": 1],
            urlParams: ["a": "x y", "c": "&"],
            requestType: .urlEncoded,
            responseType: .plainText,
            timeoutInterval: 5
        )
        let built = try #require(request.build())
        #expect(built.url?.absoluteString == url + "?b=2&a=x%20y&c=%26")
        #expect(built.httpMethod == "POST")
        #expect(built.httpBody.map { String(decoding: $0, as: UTF8.self) } == "a=1&b=%C3%A4+")
        #expect(built.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(built.value(forHTTPHeaderField: "Accept") == "text/plain")
        #expect(built.value(forHTTPHeaderField: "X-Own") == "1")
        #expect(built.timeoutInterval == 5)
    }

    @Test func `Building a request without parameters sends no body and no media type for it`() throws {
        let built = try #require(Request(url: url, method: .GET).build())
        #expect(built.url?.absoluteString == url)
        #expect(built.httpBody == nil)
        #expect(built.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(built.value(forHTTPHeaderField: "Accept") == "application/json")
        #expect(built.timeoutInterval == 60)
    }

    @Test func `Building an invalid request returns nil`() {
        #expect(Request(url: "am.example.com", method: .GET).build() == nil)
        #expect(Request(url: url, method: .GET, headers: ["X": "a\nb"]).build() == nil)
        #expect(Request(url: url, method: .POST, bodyParams: ["when": Date()]).build() == nil)
        #expect(Request(url: url, method: .GET, timeoutInterval: 0).build() == nil)
    }
}
