import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportLoopback

/// Writes a page of the traffic inspector with calls to a file for `Tests/RealServers/page-screenshots.py`.
@Suite(.concurrencyLimited) struct InspectorPageFilesTests {
    private static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PAGES"]

    private static let server = {
        let server = MockTransport { _ in
            throw NetworkError.timeout(
                NetworkFailure("no response within 15 s", phase: .head, advice: "raise the timeout")
            )
        }
        server.on(.get, "/users", .json(#"{"users":[{"id":12345678901234567890,"name":"<b>Ada</b>"}],"token":"t"}"#))
        server.on(.get, "/start", .redirect(to: "/users?page=1"))
        server.on(.post, "/orders", .json(#"{"title":"The item is sold"}"#, status: 409))
        server.on(.get, "/photo", MockResponse(headers: [.contentType: "image/png"], body: Data(count: 4_089_446)))
        return server
    }()

    /// Returns the page with the calls of a client.
    static func page() async throws -> InspectorPage {
        let recorder = TrafficRecorder()
        let client = HttpClient.createClient { config in
            config.transport = server
            config.recorder = recorder
            config.redirects = .follow(limit: 3)
            config.onRequest { $0.setHeader(name: "Authorization", value: "Bearer s3cret") }
        }
        for path in ["users", "start", "photo", "slow/" + String(repeating: "long/", count: 30)] {
            _ = try? await client.request { $0.url = "https://api.example.com/\(path)" }
        }
        _ = try await client.request { request in
            request.url = "https://api.example.com/orders?confirm=yes"
            request.post(json: ["item": "7", "password": "s3cret"])
        }
        return InspectorPage(calls: try InspectorFeed(recorder, since: 0).json())
    }

    @Test func `A page in a file contains the calls without secrets and without closing its block of data`()
        async throws
    {
        let html = try await Self.page().html
        #expect(html.contains("sold"))
        #expect(!html.contains("s3cret"))
        #expect(!html.contains("<b>Ada"))
    }

    @Test func `A less-than sign is escaped also in a character of several code points`() async throws {
        let recorder = TrafficRecorder()
        let client = HttpClient.createClient { config in
            config.transport = MockTransport { _ in .text("\u{0600}</script>") }
            config.recorder = recorder
        }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        let json = try InspectorFeed(recorder, since: 0).json()
        #expect(!json.contains(UInt8(ascii: "<")))
        #expect(json.range(of: Data(#"\u003C\/script>"#.utf8)) != nil)
    }

    @Test(.enabled(if: folder != nil, "set SALLYPORT_PAGES to a folder"))
    func `The page is written to a file`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let page = try await Self.page()
        let file = folder.appendingPathComponent("inspector")
        try Data(page.html.utf8).write(to: file.appendingPathExtension("html"))
        try Data(page.policy.utf8).write(to: file.appendingPathExtension("policy"))
    }
}
