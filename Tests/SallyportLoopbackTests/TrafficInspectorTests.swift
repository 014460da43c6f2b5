import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportLoopback

@Suite(.concurrencyLimited) struct TrafficInspectorTests {
    private let recorder = TrafficRecorder()

    /// Makes a call that the recorder keeps, with a secret and with HTML in its response.
    private func call() async throws {
        let server = MockTransport { _ in .json(#"{"name":"<script>alert(1)</script>","token":"s3cret"}"#) }
        let client = HttpClient.createClient { config in
            config.transport = server
            config.recorder = recorder
        }
        _ = try await client.request { $0.url = "https://api.example.com/users?q=%3Cb%3E&token=s3cret" }
    }

    /// Sends a request to an inspector.
    ///
    /// - Parameter text: The request, in which HERE stands for the authority and TOKEN for the first component of the path.
    private func response(to text: String) async throws -> String {
        try await TrafficInspector.withInspector(of: recorder) { inspector in
            let parts = inspector.url.split(separator: "/")
            let request = text.replacing("HERE", with: parts[1]).replacing("TOKEN", with: parts[2])
            let port = try #require(parts[1].split(separator: ":").last.flatMap { Int($0) })
            return try await Visitor.send(request, to: port)
        }
    }

    private func get(_ path: String) async throws -> String {
        try await response(to: "GET /TOKEN/\(path) HTTP/1.1\r\nHost: HERE\r\n\r\n")
    }

    @Test func `The page runs only its own script and style, and loads only from its server`() async throws {
        let response = try await get("")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for field in [
            "Content-Type: text/html; charset=utf-8",
            "Content-Security-Policy: default-src 'none'; script-src 'sha256-",
            "; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
        ] {
            #expect(response.contains(field), "\(field)")
        }
        #expect(!response.contains("unsafe-inline"))
        #expect(!response.contains("https://"))
    }

    @Test func `The calls are JSON without secrets, which HTML may contain`() async throws {
        try await call()
        let response = try await get("calls?since=0")
        #expect(response.contains("Content-Type: application/json"))
        #expect(response.contains(#""url":"https:\/\/api.example.com\/users?q=%3Cb%3E&token=***""#))
        #expect(response.contains("curl "))
        #expect(!response.contains("<script"))
        #expect(!response.contains("s3cret"))
        #expect(try await get("calls?since=999").contains(#""calls":[]"#))
    }

    @Test func `The calls are downloaded as a HAR file`() async throws {
        try await call()
        let response = try await get("traffic.har")
        #expect(response.contains("Content-Disposition: attachment; filename=\"traffic.har\""))
        let body = try #require(response.components(separatedBy: "\r\n\r\n").dropFirst().first)
        #expect(try HttpArchive(Data(body.utf8)).entries.map(\.response.status) == [200])
    }

    @Test func `The page can clear the calls, but a GET cannot`() async throws {
        try await call()
        #expect(try await get("clear").hasPrefix("HTTP/1.1 405 "))
        #expect(recorder.count == 1)
        let response = try await response(to: "POST /TOKEN/clear HTTP/1.1\r\nHost: HERE\r\nContent-Length: 0\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 204 "))
        #expect(recorder.count == 0)
    }

    @Test(
        arguments: [
            ("GET /TOKEN/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
            ("GET /TOKEN/calls HTTP/1.1\r\nHost: localhost\r\n\r\n", "421 Misdirected Request"),
            ("GET /TOKEN/ HTTP/1.1\r\n\r\n", "421 Misdirected Request"),
            ("GET /TOKEN/ HTTP/1.1\r\nHost: HERE\r\nHost: HERE\r\n\r\n", "421 Misdirected Request"),
            ("GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET /calls HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET /TOKENx/ HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET //TOKEN/ HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET /TOKEN/../etc HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("GET http://HERE/TOKEN/ HTTP/1.1\r\nHost: HERE\r\n\r\n", "404 Not Found"),
            ("DELETE /TOKEN/calls HTTP/1.1\r\nHost: HERE\r\n\r\n", "405 Method Not Allowed"),
            ("\u{16}\u{03}\u{01}\u{02}nonsense\r\n\r\n", "400 Bad Request"),
        ]
    )
    func `Requests of other programs and web pages are refused without traffic`(text: String, status: String)
        async throws
    {
        try await call()
        let response = try await response(to: text)
        #expect(response.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(response.prefix(60))")
        #expect(!response.contains("example.com"))
    }

    @Test func `Each inspector has a token of 128 random bits, and its port is closed afterwards`() async throws {
        var urls: [String] = []
        for _ in 0..<2 {
            urls.append(try await TrafficInspector.withInspector(of: recorder) { $0.url })
        }
        let tokens = urls.compactMap { $0.split(separator: "/").last }
        #expect(Set(tokens).count == 2)
        #expect(tokens.allSatisfy { $0.count == 22 })
        await #expect(throws: (any Error).self) { try await Visitor.get(urls[0]) }
    }

    @Test func `A port that is in use is refused with advice`() async throws {
        try await TrafficInspector.withInspector(of: recorder) { inspector in
            let port = try #require(
                inspector.url.split(separator: "/")[1].split(separator: ":").last.flatMap { Int($0) }
            )
            let error = await #expect(throws: NetworkError.self) {
                try await TrafficInspector.withInspector(of: recorder, port: port) { _ in }
            }
            #expect(
                error?.failure.reason
                    == "cannot show the traffic on 127.0.0.1, port \(port): the address is already in use"
            )
        }
    }

    @Test func `An inspector that runs in a task ends when the task is cancelled`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task { [recorder] in
            try await TrafficInspector.run(recorder) { continuation.yield($0.url) }
        }
        var urls = stream.makeAsyncIterator()
        let url = try #require(await urls.next())
        #expect(try await Visitor.get(url).contains("<title>Traffic"))
        task.cancel()
        try await task.value
        await #expect(throws: (any Error).self) { try await Visitor.get(url) }
    }
}
