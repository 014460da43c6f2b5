import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct UrlTests {
    @Test(arguments: [
        ("https://api.example.com", "/"),
        ("https://api.example.com?a=1", "/?a=1"),
        ("https://api.example.com/a/b?x=1&y=%20#part", "/a/b?x=1&y=%20"),
        ("https://api.example.com/a b", "/a%20b"),
        ("https://api.example.com/ü?q=ü", "/%C3%BC?q=%C3%BC"),
        ("https://api.example.com/a%20b c?d=%2B+e f", "/a%20b%20c?d=%2B+e%20f"),
        ("https://api.example.com/a/../b//c/?", "/b//c/?"),
        ("https://api.example.com/./a/./b/../../../c", "/c"),
        ("https://api.example.com/a//../b", "/a/b"),
        ("https://api.example.com/a/..", "/"),
        ("https://api.example.com/a/b/.", "/a/b/"),
        ("https://api.example.com/..?x=/../y#/..", "/?x=/../y"),
        ("https://api.example.com/.well-known/...//..a/b./.c", "/.well-known/...//..a/b./.c"),
        ("https://api.example.com/a/%2e%2e/%2E/b", "/a/%2e%2e/%2E/b"),
        ("https://api.example.com?x=/../y", "/?x=/../y"),
        ("https://api.example.com/100%", "/100%25"),
        ("https://api.example.com/a'(b)*,;!$@c", "/a'(b)*,;!$@c"),
    ])
    func `Path and query are sent percent-encoded, without dot segments and fragment`(url: String, path: String) throws
    {
        #expect(try makeRequest(url).head().path == path)
    }

    @Test(arguments: [
        ("HTTPS://API.Example.com/", "api.example.com"),
        ("https://api.example.com:443/", "api.example.com"),
        ("http://api.example.com:443/", "api.example.com:443"),
        ("http://api.example.com:80/", "api.example.com"),
        ("http://api.example.com:/", "api.example.com"),
        ("http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://under_score.example./", "under_score.example."),
    ])
    func `The host is sent in lowercase ASCII, with its port unless it is the scheme's default`(
        url: String,
        authority: String
    ) throws {
        #expect(try makeRequest(url).head().authority == authority)
    }

    @Test(arguments: [
        ("", "no URL"),
        ("http://[::1", "no valid host"),
        ("http://exa mple.com/", "no valid host"),
        ("http://[::1%25eth0]/", "no valid host"),
        ("http://[zz]/", "no valid host"),
        ("https://a.example\\@b.example/", "user name"),
        ("https://a.example\\b/", "no valid host"),
        ("http://h:80:80/", "no valid host"),
        ("http://h:+80/", "no valid host"),
        (":::", "no scheme"),
        ("not a url", "no scheme"),
        (" https://api.example.com/", "the scheme"),
        ("api.example.com/users", "no scheme"),
        ("//api.example.com/users", "no scheme"),
        ("ftp://example.com/", "the scheme ftp"),
        ("mailto:someone@example.com", "the scheme mailto"),
        ("https:api.example.com", "no host"),
        ("https://", "no valid host"),
        ("https:///users", "no valid host"),
        ("https://a%20b/", "no valid host"),
        ("https://example.com:0/", "no valid host and port"),
        ("https://example.com:65536/", "no valid host and port"),
        ("https://example.com/\r\nX: y", "control character"),
        ("https://user:pa55@example.com/", "user name or password"),
        ("https:user:pa55@example.com/", "no host"),
        ("user:pa55@example.com/", "the scheme user"),
        ("https://user:pa55?x@exa mple.com/", "no valid host"),
        ("https:\\\\user:pa55#@example.com/", "no host"),
    ])
    func `An invalid URL is refused with a description of the problem`(url: String, problem: String) throws {
        let mistake = refusal(of: makeRequest(url))
        #expect(mistake.contains(problem))
        #expect(!mistake.contains("pa55"))
        #expect(!makeRequest(url).description.contains("pa55"))
        #expect(!makeRequest(url).curlDescription.contains("pa55"))
    }

    @Test func `A parameter can be set, read and removed by a subscript, also one in the URL`() throws {
        var request = HttpRequest(url: "https://api.example.com/?page=1&tag=a%20b#top")
        #expect(request.query["page"] == "1" && request.query["tag"] == "a b" && request.query["none"] == nil)
        request.query["page"] = "2"
        request.query["tag"] = nil
        #expect(request.query["page"] == "2")
        #expect(try request.head().path == "/?page=2")
    }

    @Test func `A method can be set as a property, and each verb without a body removes the body`() {
        var request = HttpRequest(url: "https://api.example.com/")
        request.method = .put
        #expect(request.getMethod() == .put)
        for (method, change) in [
            (HttpMethod.post, { $0.post() }), (.put, { $0.put() }), (.patch, { $0.patch() }),
            (.delete, { $0.delete() }),
            (.get, { $0.get() }),
        ] as [(HttpMethod, (inout HttpRequest) -> Void)] {
            request.post(json: ["a": "1"])
            change(&request)
            #expect(request.method == method && request.body.text == nil && request.headers["Content-Type"] == nil)
        }
    }

    @Test func `A request without a URL is refused`() {
        #expect(refusal(of: makeRequest(nil)) == "the request has no URL; set request.url")
    }

    @Test func `The error for an invalid URL does not contain its query`() throws {
        let mistake = refusal(of: makeRequest("ftp://example.com/a?token=abc#def"))
        #expect(mistake.contains("\"ftp://example.com/a?…\""))
    }

    @Test func `Parameters follow the URL's own query in order and can have equal names`() throws {
        let request = makeRequest("https://api.example.com/search?lang=en#top") { request in
            request.setParameter(name: "q", value: "swift")
            request.addParameter(name: "tag", value: "a")
            request.addParameter(name: "tag", value: "b")
        }
        #expect(try request.head().path == "/search?lang=en&q=swift&tag=a&tag=b")
    }

    @Test func `Parameters that were set can be read in order, without those of the URL's own query`() {
        let request = makeRequest("https://api.example.com/?lang=en") { request in
            request.setParameter(name: "q", value: "a b")
            request.addParameter(name: "tag", value: "c")
            request.setParameter(name: "q", value: "d")
        }
        #expect(request.parameters.map(\.name) == ["tag", "q"])
        #expect(request.parameters.map(\.value) == ["c", "d"])
    }

    @Test func `All characters of parameters except unreserved ones are percent-encoded`() throws {
        let request = makeRequest { request in
            request.setParameter(name: "a&b", value: "1+1=2 ü/?#%-._~")
        }
        #expect(try request.head().path == "/?a%26b=1%2B1%3D2%20%C3%BC%2F%3F%23%25-._~")
    }

    @Test func `A parameter can be removed`() throws {
        let request = makeRequest { request in
            request.setParameter(name: "a", value: "1")
            request.setParameter(name: "b", value: "2")
            request.removeParameter(name: "a")
        }
        #expect(try request.head().path == "/?b=2")
    }

    @Test func `Setting a parameter replaces all parameters with its name, which can be added again`() throws {
        let request = makeRequest("https://api.example.com/?tag=a&lang=en&tag=b#top") { request in
            request.addParameter(name: "tag", value: "c")
            request.setParameter(name: "tag", value: "d")
            request.setParameter(name: "tag", value: "e")
            request.addParameter(name: "tag", value: "f")
        }
        #expect(try request.head().path == "/?lang=en&tag=e&tag=f")
    }

    @Test(arguments: [
        ("https://a.example/p?x=1", "https://a.example/p"),
        ("https://a.example/p?x=1&y=2#top", "https://a.example/p?y=2#top"),
        ("https://a.example/p?y=%20+&x&x=&x=3;4&z", "https://a.example/p?y=%20+&z"),
        ("https://a.example/p?%78=1&xx=2&&", "https://a.example/p?xx=2&&"),
        ("https://a.example/p?y=1#?x=2", "https://a.example/p?y=1#?x=2"),
        ("https://a.example/p#?x=2", "https://a.example/p#?x=2"),
        ("https://a.example/?", "https://a.example/?"),
        ("https://a.example/x=1", "https://a.example/x=1"),
    ])
    func `Removing a parameter removes it from the URL's own query and leaves the rest of the URL unchanged`(
        url: String,
        changed: String
    ) {
        #expect(makeRequest(url) { $0.removeParameter(name: "x") }.url == changed)
    }

    @Test func `A URL whose characters are encoded in another way replaces the previous one`() throws {
        var request = HttpRequest(url: "https://api.example.com/\u{E9}")
        request.url = "https://api.example.com/e\u{301}"
        #expect(try request.head().path == "/e%CC%81")
    }
}
