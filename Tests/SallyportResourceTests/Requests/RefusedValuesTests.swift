import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportResource

/// Values that are refused, or shown, in spite of bytes and characters that could hide their meaning.
@Suite(.concurrencyLimited) struct RefusedValuesTests {
    @Test(arguments: [
        "..%2fx%ff", "..%2fx%", "a/..%2f..%2fx%zz", "..%5cx%ff", "x/..%5c..%5c%zz", "%2e%2e/x%ff", "..%2F%CC%81x",
        "../\u{301}x", "a/../../\u{301}x", "a/..\\\u{301}x", "//\u{301}x",
    ])
    func `A path that leaves the base URL is refused in spite of invalid escapes and combining characters`(
        _ path: String
    ) async throws {
        let server = try ResourceServer()
        await expectError(\ResourceError.reason, .invalidRequest) {
            try await server.client().deviceClient.sendUnauthenticatedRequest(ResourceRequest(path: path, method: .get))
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test(arguments: [
        ("a/\u{301}b", "/resources/a/%CC%81b"), ("/\u{301}", "/resources/%CC%81"), ("a/../%ff", "/resources/%ff"),
        ("a#\u{301}b", "/resources/a"), ("a?\u{301}=../..", "/resources/a?%CC%81=../.."),
    ])
    func `A path with combining characters or invalid UTF-8 is sent as it is`(path: String, target: String) async throws
    {
        let server = try ResourceServer()
        let request = ResourceRequest(path: path, method: .get)
        let echo = try Echo(await server.client().deviceClient.sendUnauthenticatedRequest(request))
        #expect(echo.url == "https://api.example.com" + target)
    }

    @Test func `The error for a refused path does not contain a query that begins with a combining character`()
        async throws
    {
        let request = ResourceRequest(path: "../x?\u{301}key=secret", method: .get)
        let error = await expectError(\ResourceError.reason, .invalidRequest) {
            try await ResourceServer().client().deviceClient.sendUnauthenticatedRequest(request)
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `A header in two spellings is refused, and nothing is sent`() async throws {
        let server = try ResourceServer()
        for headers in [["Content-Type": "a/b", "content-type": "c/d"], ["X-A": "1", "x-a": "2"]] {
            let request = ResourceRequest(path: "p", method: .post, body: Data([1]), headers: headers)
            let error = await expectError(\ResourceError.reason, .invalidHeaders) {
                try await server.client().deviceClient.sendUnauthenticatedRequest(request)
            }
            #expect(error?.description.contains("is set twice") == true)
        }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `Descriptions of requests and tasks contain no control characters`() {
        let request = ResourceRequest(path: "a\r\nb\u{9B}c?\u{301}key=secret", method: "GE\nT")
        for text in ["\(request)", "\(NetworkTask(request, .authenticated))"] {
            #expect(text.hasPrefix(#"GE\u{A}T a\u{D}\u{A}b\u{9B}c"#))
            #expect(!text.contains("secret"))
        }
    }
}
