import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

/// Lets jsonschema and mitmproxy, which nobody here wrote, read the files of the recorder.
@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.harCheck != nil, "run .ci/real-servers har to have jsonschema and mitmproxy installed")
)
struct HarTests {
    private struct Result: Decodable {
        let problems: [String]
        let entries: Int
        /// The URL, the status and the body of each replayed response.
        let replayed: [[JsonValue]]
        /// The status of a request that is not in the file.
        let unknown: Int
    }

    private func check(_ archive: HttpArchive) async throws -> Result {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("traffic.har")
            try archive.data().write(to: file)
            let program = PythonProgram(interpreter: RealServer.harPython, script: RealServer.harCheck)
            return try await program.run([file.path, RealServer.mitmdump ?? ""], as: Result.self)
        }
    }

    @Test func `The file is valid HAR 1.2, and mitmproxy replays its responses when the server is gone`() async throws {
        let recorder = TrafficRecorder()
        let client = HttpClient.createClient { config in
            config.recorder = recorder
            config.redirects = .follow(limit: 3)
        }
        var base = ""
        try await Gateway.withRunning(GatewayConfiguration()) { address in
            base = address.baseURL
            for path in ["/echo?a=%20b&token=s3cret", "/redirect/2", "/bytes/100", "/cookies/set?a=1", "/status/404"] {
                _ = try await client.request { $0.url = base + path }
            }
            _ = try await client.request { request in
                request.url = base + "/echo"
                request.form(parameters: ["user": "Zoë", "password": "s3cret"])
            }
            try await client.stream {
                $0.url = base + "/stream/2"
            } handle: { response in
                for try await _ in response.bodyStream {}
            }
        }
        await #expect(throws: NetworkError.self) { try await client.request { $0.url = base + "/after-the-end" } }
        let archive = recorder.archive()
        let result = try await check(archive)
        #expect(result.problems == [])
        #expect(result.entries == archive.entries.count)
        #expect(result.unknown == 404)
        let expected = archive.entries.filter { $0.request.method == "GET" && $0.response.status > 0 }
        #expect(result.replayed.count == expected.count)
        for (replayed, entry) in zip(result.replayed, expected) {
            #expect(replayed[0].string == entry.request.url)
            #expect(replayed[1].integer == Int64(entry.response.status))
            #expect(replayed[2].string == (entry.response.content.text ?? ""))
        }
    }

    @Test func `A file that is read and written again is still valid`() async throws {
        let text = """
            {"log": {"version": "1.1", "creator": {}, "pages": [{"id": "p"}], "entries": [{"pageref": "p", "time": -1,
            "request": {"method": "GET", "url": "http://a.example/", "bodySize": null, "postData": {"params": [{}]}},
            "response": {"status": 200, "headers": [{"name": "A"}], "content": {"size": -1, "text": "x"}},
            "timings": {"send": -1}, "_own": 1, "surplus": 2}]}}
            """
        let result = try await check(HttpArchive(Data(text.utf8)))
        #expect(result.problems == [])
    }
}
