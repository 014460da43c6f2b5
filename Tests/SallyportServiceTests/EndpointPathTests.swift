import Foundation
import Sallyport
import SallyportService
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct EndpointPathTests {
    private enum Sort: String { case byName = "by name" }

    private func path(_ path: EndpointPath, _ parameters: EndpointParameters = .none) throws -> String? {
        try service().service.request(for: PathOnly(path: path, parameters: parameters)).head().path
    }

    private func refusal(_ path: EndpointPath, _ parameters: EndpointParameters = .none) throws -> String {
        do throws(NetworkServiceError) {
            let service = try ServiceClient(baseURL: "https://api.example.com/v1")
            return try service.request(for: PathOnly(path: path, parameters: parameters)).url ?? ""
        } catch {
            return error.description
        }
    }

    @Test func `A value is percent-encoded so that it stays within its path segment`() throws {
        let id = UUID(uuidString: "7B7AF31C-3D35-4A20-9D5A-E0F5F5F3C3B1")!
        #expect(try path("/users/\(7)") == "/v1/users/7")
        #expect(try path("/users/\(id)") == "/v1/users/7B7AF31C-3D35-4A20-9D5A-E0F5F5F3C3B1")
        #expect(try path("/users/\(Sort.byName)") == "/v1/users/by%20name")
        #expect(try path("/users/\("a/b")") == "/v1/users/a%2Fb")
        #expect(try path("/users/\("a?b#c&d=é")") == "/v1/users/a%3Fb%23c%26d%3D%C3%A9")
        #expect(try path("/users/\("%2e%2e")") == "/v1/users/%252e%252e")
        #expect(try path("/users/\("{id}")") == "/v1/users/%7Bid%7D")
        #expect(try path("/users/\("x")/\("\r\nX: y")") == "/v1/users/x/%0D%0AX%3A%20y")
        #expect(try path("/files/\("a").\("b").txt") == "/v1/files/a.b.txt")
    }

    @Test func `The request has the template of the path, without values`() throws {
        func template(_ path: EndpointPath, _ parameters: EndpointParameters = .none) throws -> String? {
            try service().service.request(for: PathOnly(path: path, parameters: parameters)).urlTemplate
        }
        #expect(try template("/users") == "/v1/users")
        #expect(try template("/users/{id}/posts", ["id": 7, "page": 2]) == "/v1/users/{id}/posts")
        #expect(try template("users/\(7)/\("a/b").txt") == "/v1/users/{}/{}.txt")
        #expect(try template("") == "/v1")
    }

    @Test(arguments: ["", ".", "..", "../admin", "a/../../admin", #"..\admin"#, "./x", "x/.."])
    func `A value that would change the path is refused`(value: String) throws {
        let refusal = try refusal("/users/\(value)/posts")
        #expect(refusal.hasPrefix("PathOnly: the path"))
        let named = try self.refusal("/users/{id}/posts", ["id": value])
        #expect(named.hasPrefix("PathOnly: the path"))
    }

    @Test func `An empty value is allowed beside other text in a segment`() throws {
        #expect(try path("/users/me\("")") == "/v1/users/me")
        #expect(try refusal("/users/\("")").contains("one of its values is empty"))
        #expect(try refusal("/files/.\(".")").contains("it contains a dot segment"))
    }

    @Test func `A placeholder takes its value from the parameters or from values given with the path`() throws {
        #expect(try path("/users/{id}/posts", ["page": 2, "id": "a b"]) == "/v1/users/a%20b/posts?page=2")
        #expect(try path("/{a}/{b}", ["a": 1, "b": true]) == "/v1/1/true")
        #expect(try path(EndpointPath("/users/{id}", ["id": "a/b"])) == "/v1/users/a%2Fb")
        #expect(try refusal("/users/{id}").contains("have no value for {id}"))
        #expect(try refusal("/users/{id}", ["id": [1, 2]]).contains("have several values for {id}"))
    }

    @Test(arguments: [
        ("/users?x=1", "a ? or #"), ("/users#top", "a ? or #"), ("https://evil.example/", "a complete URL"),
        ("/../admin", "a dot segment"), ("/%2e%2E/admin", "a dot segment"), ("/./x", "a dot segment"),
        ("/%2e%2e%2fadmin", "a dot segment"), ("/a%2F..", "a dot segment"), ("/a%5c..", "a dot segment"),
        ("/users/{id", "braces"), (#"/a\b"#, "backslash"),
    ])
    func `The literal text of a path is validated`(text: String, problem: String) throws {
        #expect(try refusal(EndpointPath(text)).contains(problem))
    }

    @Test(arguments: [
        ("https://api.example.com", "", "https://api.example.com/"),
        ("https://api.example.com", "/", "https://api.example.com/"),
        ("https://api.example.com/", "users", "https://api.example.com/users"),
        ("https://api.example.com/v1", "/users", "https://api.example.com/v1/users"),
        ("https://api.example.com/v1/", "/users/", "https://api.example.com/v1/users/"),
        ("https://api.example.com/v1//", "users", "https://api.example.com/v1/users"),
        ("https://api.example.com/v1", "", "https://api.example.com/v1"),
        ("https://api.example.com/v1/", "", "https://api.example.com/v1/"),
        ("https://api.example.com/v1", "/", "https://api.example.com/v1/"),
        ("https://api.example.com/v1", "//evil.example/x", "https://api.example.com/v1//evil.example/x"),
        ("http://[::1]:8080/a", "b", "http://[::1]:8080/a/b"),
        ("HTTPS://API.example.com:443/V1", "b", "https://api.example.com/V1/b"),
    ])
    func `A path is appended to the path of the base URL`(base: String, path: String, url: String) throws {
        let service = try ServiceClient(baseURL: base)
        #expect(try service.request(for: PathOnly(path: EndpointPath(path))).url == url)
    }

    @Test(arguments: [
        "", "api.example.com", "/v1", "ftp://example.com/", "https://", "https:///v1", "https://user:pw@example.com/",
        "https://example.com/?key=1", "https://example.com/#top", "https://example.com/a/../b", "https://ex ample.com/",
        "https://example.com/%2e%2e/", "https://example.com:99999/", #"https://example.com/a\b"#,
        "https://example.com/a b",
    ])
    func `An invalid base URL is refused`(base: String) {
        do throws(NetworkServiceError) {
            _ = try ServiceClientConfiguration(baseURL: base)
            Issue.record("accepted")
        } catch {
            guard case .invalidConfiguration(let info) = error else { Issue.record("\(error)"); return }
            #expect(info.reason.hasPrefix("the base URL: "))
            #expect(!error.description.contains("pw"))
            #expect(!error.description.contains("key=1"))
        }
    }
}
