import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HttpResponseTests {
    private struct User: Decodable, Equatable {
        struct Address: Decodable, Equatable { var zip: Int }
        var name: String
        var addresses: [Address]
    }

    private func response(_ body: String, type: String = "application/json") -> HttpResponse {
        HttpResponse(status: .ok, headers: ["Content-Type": [type]], body: Data(body.utf8), request: makeRequest())
    }

    @Test(arguments: [
        (199, 4), (200, 0), (299, 0), (300, 1), (399, 1), (400, 2), (499, 2), (500, 3), (599, 3), (600, 4),
    ])
    func `Each status has at most one category`(code: Int, kind: Int) {
        let status = HttpStatus(code: code)
        let kinds = [status.isSuccess(), status.isRedirect(), status.isClientError(), status.isServerError()]
        #expect(kinds.firstIndex(of: true) ?? 4 == kind)
        #expect(kinds.count { $0 } == (kind < 4 ? 1 : 0))
    }

    @Test func `Changing a copy of a response leaves the original unchanged`() {
        let original = response("original")
        var copy = original
        copy.status = .notFound
        copy.headers = [:]
        copy.body = nil
        copy.request.url = "https://other.example.com/"
        #expect(original.status == .ok)
        #expect(original.getHeader(name: "Content-Type") == "application/json")
        #expect(original.bodyAsString() == "original")
        #expect(original.request.url == "https://api.example.com/")
    }

    @Test func `JSON bodies are decoded`() throws {
        let user = try response(#"{"name": "John", "addresses": [{"zip": 8000}]}"#).decode(User.self)
        #expect(user == User(name: "John", addresses: [.init(zip: 8000)]))
    }

    @Test(arguments: [
        (#"{"name": "J", "addresses": [{"zip": "s3cret"}]}"#, "not a Int at addresses.0.zip"),
        (#"{"name": "J", "addresses": [{}]}"#, "no zip at addresses.0"),
        (#"{"name": null, "addresses": []}"#, "null instead of String at name"),
        ("s3cret", "invalid data at the root"),
        ("", "the body of the response (status 200) is empty instead of the JSON of User"),
        ("\u{FEFF}\n <!DOCTYPE html><p>s3cret", "(status 200) is an HTML page instead of the JSON of User"),
        ("<HTML lang=s3cret>", "(status 200) is an HTML page instead of the JSON of User"),
        ("<error>s3cret</error>", "(status 200) is an XML document instead of the JSON of User"),
    ])
    func `A decoding error contains the path of the value and not the value`(body: String, problem: String) throws {
        let response = response(body)
        let error = try #require(throws: NetworkError.self) { try response.decode(User.self) }
        guard case .invalidResponse(let failure) = error else { return #expect(Bool(false), "\(error)") }
        #expect(failure.reason.contains(problem), "\(failure)")
        #expect(failure.request == "GET https://api.example.com/")
        #expect(!"\(error)".contains("s3cret"))
    }

    @Test func `Headers and cookies of a response are found in any letter case`() async throws {
        let mock = MockResponse(headers: [.setCookie: "id=1; Path=/a", .contentType: "text/plain"])
        let (client, _) = makeClient(
            mock.header(.setCookie, "theme=dark; Secure").header(.setCookie, "x=1; Domain=other.example")
        )
        let response = try await client.request { $0.url = "https://api.example.com/" }
        #expect(response.getHeader(name: "content-TYPE") == "text/plain")
        #expect(response.getHeaders(name: "set-cookie").count == 3)
        #expect(response.getCookieStrings().first == "id=1; Path=/a")
        #expect(response.getCookies().map(\.name) == ["id", "theme"])
        #expect(response.getCookies().map(\.path) == ["/a", "/"])
    }

    @Test func `The first value of a header is returned, or all values combined or as a list`() {
        let headers: HttpHeaders = ["Via": ["1.1 a", "1.1 b"], "Set-Cookie": ["a=1", "b=2"]]
        let response = HttpResponse(status: .ok, headers: headers, request: HttpRequest())
        #expect(response.getHeader(name: "via") == "1.1 a")
        #expect(response.getHeader(name: "set-cookie") == "a=1")
        #expect(response.getCombinedHeader(name: "via") == "1.1 a, 1.1 b")
        #expect(response.getHeaders(name: "via") == ["1.1 a", "1.1 b"])
        #expect(response.getHeader(name: "Age") == nil)
        #expect(response.getCombinedHeader(name: "Age") == nil)
    }

    @Test func `The request of a response is the request as sent`() async throws {
        let (client, _) = makeClient { config in
            config.onRequest { $0.setHeader(name: "X-Hook", value: "1") }
        }
        let response = try await client.request { request in
            request.url = "HTTPS://API.example.com:443/a#b"
            request.setParameter(name: "q", value: "1")
            request.put(json: ["a": 1])
        }
        #expect(response.request.url == "https://api.example.com/a?q=1")
        #expect(response.request.parameters.isEmpty)
        #expect(response.request.getMethod() == .put)
        #expect(response.request.getHeader(name: "X-Hook") == "1")
        #expect(response.request.getHeader(name: "x-requested-with") == "sallyport-sdk")
    }

    @Test func `Trailers and informational responses are available`() async throws {
        let mock = MockResponse(
            body: Data("a".utf8),
            trailers: [.eTag: "x"],
            informational: [HTTPResponse(status: .earlyHints)]
        )
        let (client, _) = makeClient(mock)
        let seen = Journal()
        let response = try await client.request { request in
            request.url = "https://api.example.com/"
            request.onInformational = { seen.add("\($0.status.code)") }
        }
        #expect(response.trailers[.eTag] == "x")
        #expect(response.informational.map(\.status.code) == [103])
        #expect(seen.entries == ["103"])
        #expect(response.connection.httpVersion == .http1_1)
    }

    @Test func `A body in memory can be read as a stream`() async throws {
        let response = response("abc")
        #expect(try await response.bodyStream.collect(upTo: 10) == Data("abc".utf8))
    }

    @Test func `The description of a response contains no secret`() {
        let request = makeRequest("https://api.example.com/a?token=s3cret") {
            $0.setHeader(name: "Authorization", value: "s3cret")
        }
        let response = HttpResponse(
            status: .ok,
            headers: ["Set-Cookie": ["s3cret"]],
            body: Data("s3cret".utf8),
            request: request
        )
        #expect("\(response)" == "GET https://api.example.com/a?… -> 200 OK")
        #expect(!String(reflecting: response).contains("s3cret"))
        #expect(!String(reflecting: request).contains("s3cret"))
    }
}
