import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct HiddenSecretsTests {
    @Test(arguments: [
        "https://h.example/?password=abc;SECRET",
        "https://h.example/?token=abc?SECRET",
        "https://h.example/?next=https://u:SECRET@o.example/",
        "https://h.example/?auth_code=SECRET",
        "https://h.example/?claims=%7B%22password%22%3A%22SECRET%22%7D",
        "https://h.example/reset/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.SECRET",
    ])
    func `Secrets in any part of a URL are masked`(_ url: String) {
        let request = HttpRequest(url: url)
        #expect(!request.curlDescription.contains("SECRET"))
        #expect(!request.description.contains("SECRET"))
    }

    @Test(arguments: [
        ("application/json", #"{"key":"password","value":"SECRET"}"#),
        ("application/json", #"{"body":"{\"password\":\"SECRET\"}"}"#),
        ("application/json", #"{"h":"Bearer SECRET"}"#),
        ("application/json", #"[["Accept","a"],["Cookie","sid=SECRET"]]"#),
        ("application/json", #"{"raw":["Host","a","Set-Cookie","sid=SECRET","X-A","SECRET"]}"#),
        ("application/json", #"["X-Api-Key",["SECRET"],{"a":"SECRET"}]"#),
        ("application/json", #"{"body":"[\"cookie\",\"sid=SECRET\"]"}"#),
        ("application/json", #"{"raw":["Accept: a","Cookie: sid=SECRET"]}"#),
        ("application/json", #"["X-Api-Key: SECRET"]"#),
        ("application/json", #"{"request":"GET / HTTP/1.1\r\nX-Api-Key:\tSECRET, SECRET\r\nAccept: a"}"#),
        ("application/json", #"{"otpCode":"SECRET","verificationCode":"SECRET"}"#),
        ("application/x-www-form-urlencoded", "username=a&password=my SECRET pass&x=y"),
    ])
    func `Nested and encoded secrets in a body are masked`(_ type: String, _ body: String) {
        #expect(!Redaction.text(of: Data(body.utf8), contentType: type).contains("SECRET"))
    }

    @Test(arguments: [
        #"[["Accept","text/html"],["Host","a.example"]]"#, #"["The session has expired.","Sign in again."]"#,
        "[1,[],null]", #"{"raw":["Accept: a","at: 12:30","The token: a part\nhttps://a.example/"]}"#,
    ])
    func `Arrays without the name of a secret are shown`(_ json: String) {
        #expect(Redaction.text(of: Data(json.utf8), contentType: "application/json") == json)
    }

    @Test func `Dumping a decoding error does not show the response body`() {
        enum Role: String, Decodable { case admin }
        let body = Data(#"["SECRET"]"#.utf8)
        let response = HttpResponse(status: .ok, body: body, request: HttpRequest(url: "https://a.example/"))
        var text = ""
        do { _ = try response.decode([Role].self) } catch { dump(error, to: &text) }
        #expect(!text.isEmpty && !text.contains("SECRET"))
    }

    @Test func `Headers with a Bearer token are removed on a redirect to another origin, under any name`() async throws
    {
        let server = MockTransport()
        server.on(nil, "/start", .redirect(to: "https://other.example/end"))
        server.on(nil, "/end", .text("ok"))
        let client = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 1)
        }
        _ = try await client.request { request in
            request.url = "https://a.example/start"
            request.setHeader(name: "X-Upstream", value: "Bearer abc")
            request.setHeader(name: "X-Plain", value: "stays")
        }
        #expect(server.requests.map { $0.header("X-Upstream") } == ["Bearer abc", nil])
        #expect(server.requests.map { $0.header("X-Plain") } == ["stays", "stays"])
    }
}
