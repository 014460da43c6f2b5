import Foundation
import Sallyport
import SallyportLoopback
import TestSupport
import Testing

/// Uses the page of the traffic inspector in a real browser, with the mouse and the keyboard, in light and dark mode.
@Suite(
    .concurrencyLimited,
    .enabled(if: RealBrowser.inspectorCheck != nil, "run .ci/real-servers chromium to have Chromium ready")
)
struct InspectorPageTests {
    /// Returns the steps of one connection, which has one response.
    private static func response(_ status: String, _ field: String, _ body: String = "") -> Script {
        let length = status.hasPrefix("204") ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return [
            .receiveRequest, .send("HTTP/1.1 \(status)\r\n\(field)\r\nConnection: close\r\n\(length)\r\n\(body)"),
            .close,
        ]
    }

    @Test func `The page shows calls while they are made, and can be searched, opened and cleared`() async throws {
        let words = try #require(RealBrowser.inspectorCheck).split(separator: " ").map(String.init)
        let recorder = TrafficRecorder()
        let client = HttpClient.createClient { config in
            config.recorder = recorder
            config.redirects = .follow(limit: 3)
            config.onRequest { $0.setHeader(name: "X-App", value: "1") }
        }
        let scripts = [
            Self.response(
                "200 OK",
                "Content-Type: application/json",
                "{\"id\":12345678901234567890,\"name\":\"<b>Ada\u{202E}</b>\"}"
            ),
            Self.response("302 Found", "Location: /moved"),
            Self.response("200 OK", "Content-Type: text/plain", "here"),
            Self.response("200 OK", "Content-Type: image/png", "not a picture"),
            Self.response("204 No Content", "X-B: 1"),
            Self.response("409 Conflict", "Content-Type: application/json", #"{"title":"The item is sold"}"#),
            Self.response("200 OK", "Content-Type: text/plain", "after"),
        ]
        try await withScriptedServer(scripts) { server in
            let base = "http://\(server.authority)"
            for path in ["/users", "/start", "/a", "/b", "/orders"] {
                _ = try await client.request { $0.url = base + path }
            }
            try await TrafficInspector.withInspector(of: recorder) { inspector in
                let run = try RunningTool(
                    executable: URL(fileURLWithPath: words[0]),
                    arguments: Array(words.dropFirst()) + [inspector.url],
                    input: nil
                )
                _ = try await run.output(containing: "cleared")
                _ = try await client.request { $0.url = base + "/after" }
                let outcome = try await run.outcome(within: .seconds(120))
                #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
            }
        }
    }
}
