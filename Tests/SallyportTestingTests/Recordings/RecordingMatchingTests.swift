import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RecordingMatchingTests {
    /// Replays an archive with calls, and returns the text of the response to a request, or nil if none matches.
    private func response(
        to request: TransportRequest,
        in calls: [(String, String, String, String)],
        configure: (inout RecordingOptions) -> Void = { _ in }
    ) async throws -> (text: String?, mismatches: [RecordingMismatch]) {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("calls.har")
            try writeArchive(file, calls)
            let transport = try replay(file) { options in
                options.allowsUnused = true
                configure(&options)
            }
            do {
                return (try await transport.text(request), transport.mismatches)
            } catch NetworkError.invalidRequest {
                return (nil, transport.mismatches)
            }
        }
    }

    private let origin = "https://api.example.com"

    // MARK: Parts of requests

    @Test(arguments: [
        ("https://api.example.com", "/a?x=1&y=2"), ("https://api.example.com:443", "/a?y=2&x=1"),
        ("https://API.example.com", "/%61?x=%31&y=2"),
    ])
    func `Equivalent URLs match`(origin: String, path: String) async throws {
        let calls = [("GET", "https://api.example.com/a?x=1&y=2", "", "found")]
        let found = try await response(to: makeRequest(origin, path), in: calls)
        #expect(found.text == "found")
    }

    @Test(arguments: [
        ("https://api.example.com", "/a?x=1", HTTPRequest.Method.post, "method: recorded GET, sent POST"),
        (
            "http://api.example.com", "/a?x=1", .get,
            "origin: recorded https://api.example.com:443, sent http://api.example.com:80"
        ),
        ("https://api.example.com", "/b?x=1", .get, "path: recorded /a, sent /b"),
        ("https://api.example.com", "/a?x=2", .get, "query item x: recorded 1, sent 2"),
        ("https://api.example.com", "/a", .get, "query item x: recorded 1, not sent"),
        ("https://api.example.com", "/a?x=1&z=3", .get, "query item z: not recorded, sent 3"),
        ("https://api.example.com", "/a?x=1&x=1", .get, "query item x: recorded 1, sent 1, 1"),
    ])
    func `A difference in the method or the URL is named`(
        origin: String,
        path: String,
        method: HTTPRequest.Method,
        difference: String
    ) async throws {
        let result = try await response(
            to: makeRequest(origin, path, method),
            in: [("GET", "https://api.example.com/a?x=1", "", "found")]
        )
        #expect(result.text == nil)
        let closest = ClosestRecording(
            number: 1,
            call: "GET https://api.example.com/a?x=1",
            differences: [difference]
        )
        let call = "\(method) \(origin)\(path)"
        #expect(result.mismatches == [.unmatched(call: call, file: "calls.har", closest: closest)])
    }

    @Test func `Only selected parts are compared`() async throws {
        let calls = [
            ("GET", "https://api.example.com/a?page=1&time=5", "", "1"),
            ("GET", "https://api.example.com/a?page=2", "", "2"),
        ]
        let request = makeRequest("http://127.0.0.1:81", "/a?page=2&time=6")
        let samePage = try await response(to: request, in: calls) { $0.matching = [.path, .queryItem("page")] }
        #expect(samePage.text == "2")
        let result = try await response(to: request, in: calls) { $0.matching = [.query] }
        #expect(result.mismatches.text.contains("query item time: not recorded, sent 6"))
        let samePath = try await response(to: request, in: calls) { $0.matching = [.path] }
        #expect(samePath.text == "1")
    }

    @Test func `Ignored names are not compared`() async throws {
        let calls = [("POST", "https://api.example.com/a?nonce=1", #"{"id": 1, "inner": {"Time": 5}}"#, "found")]
        let request = makeRequest(
            origin,
            "/a?Nonce=2",
            .post,
            [.contentType: "application/json"],
            body: .text(#"{"inner":{"time":6},"id":1.0}"#)
        )
        let found = try await response(to: request, in: calls) { options in
            options.matching.insert(.body)
            options.ignoredNames = ["nonce", "time"]
        }
        #expect(found.text == "found")
    }

    @Test func `Header fields are compared if they are selected`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("fields.har")
            let origin = try await record(file, [.receiveRequest, respond("de"), .receiveRequest, respond("en")]) {
                transport,
                origin in
                _ = try await transport.text(makeRequest(origin, "/", .get, [.acceptLanguage: "de"]))
                _ = try await transport.text(makeRequest(origin, "/", .get, [.acceptLanguage: "en"]))
            }
            let transport = try replay(file) { $0.matching.insert(.header("accept-language")) }
            #expect(try await transport.text(makeRequest(origin, "/", .get, [.acceptLanguage: "en"])) == "en")
            let request = makeRequest(origin, "/", .get, [.acceptLanguage: "fr"])
            let error = await expectError(\NetworkError.kind, "invalidRequest") { try await transport.text(request) }
            #expect(error?.description.contains("header accept-language: recorded de, sent fr") == true)
        }
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"name":"Jane","tags":["a","b"],"age":7}"#, "body.name: recorded \"John\", sent \"Jane\""),
        (#"{"tags":["a","b"],"age":7}"#, "body.name: recorded \"John\", not sent"),
        (#"{"name":"John","tags":["a"],"age":7}"#, "body.tags[1]: recorded \"b\", not sent"),
        (#"{"name":"John","tags":["a","b"],"age":8}"#, "body.age: recorded 7, sent 8"),
        (#"{"name":"John","tags":["a","b"],"age":7,"new":null}"#, "body.new: not recorded, sent null"),
        ("plain", "body: recorded {\"age\":7,\"name\":\"John\",\"tags\":[\"a\",\"b\"]}, sent plain"),
        ("", "body: recorded {\"age\":7,\"name\":\"John\",\"tags\":[\"a\",\"b\"]}, none sent"),
    ])
    func `A difference in a JSON body is named with its position`(body: String, difference: String) async throws {
        let recorded = #"{ "name": "John", "tags": ["a", "b"], "age": 7 }"#
        let calls = [("POST", "https://api.example.com/users", recorded, "found")]
        let request = makeRequest(origin, "/users", .post, [.contentType: "application/json"], body: .text(body))
        let result = try await response(to: request, in: calls) { $0.matching.insert(.body) }
        guard case .unmatched(_, _, let closest)? = result.mismatches.first else { Issue.record("matched"); return }
        #expect(closest?.differences == [difference])
        // Bodies are not compared by default.
        let found = try await response(to: request, in: calls)
        #expect(found.text == "found")
    }

    @Test func `A long text is shown from its first difference`() async throws {
        let recorded = String(repeating: "a", count: 300)
        let calls = [("POST", "https://api.example.com/", recorded + "b", "found")]
        let request = makeRequest(origin, "/", .post, body: .text(recorded + "c"))
        let result = try await response(to: request, in: calls) { $0.matching.insert(.body) }
        let start = "…" + String(repeating: "a", count: 20)
        #expect(result.mismatches.text.contains("body: recorded \(start)b, sent \(start)c\n"))
    }

    @Test func `Multipart bodies with different boundaries match`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("form.har")
            @Sendable func request(_ origin: String, _ name: String) throws -> TransportRequest {
                var request = HttpRequest()
                var form = MultipartForm()
                form.append(name: "name", value: name)
                form.append(name: "password", value: UUID().uuidString)
                request.multipart(form)
                let fields: HTTPFields = [.contentType: "multipart/form-data; boundary=\(form.boundary)"]
                return makeRequest(origin, "/", .post, fields, body: request.body)
            }
            let origin = try await record(file, [.receiveRequest, respond("done")]) { transport, origin in
                _ = try await transport.text(request(origin, "John"))
            }
            let transport = try replay(file) { $0.matching.insert(.body) }
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await transport.text(request(origin, "Jane"))
            }
            #expect(error?.description.contains("John") == true)
            #expect(try await transport.text(request(origin, "John")) == "done")
        }
    }

    // MARK: Messages

    @Test func `The error of an unmatched call names the closest recording and its differences`() async throws {
        let calls = [
            ("GET", "https://api.example.com/users/7", "", "user"),
            ("DELETE", "https://other.example.com/a/b/c", "", ""),
            ("GET", "https://api.example.com/users?page=1&size=10", "", "users"),
        ]
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("users.har")
            try writeArchive(file, calls)
            let transport = try replay(file)
            let client = HttpClient.createClient { config in
                config.transport = transport
                config.retry = .exponential(attempts: 4)
            }
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request { request in request.url = "https://api.example.com/users?page=2&size=20" }
            }
            #expect(
                error?.failure.reason == """
                    no call of the recording users.har matches; the closest is call 3, \
                    GET https://api.example.com/users?page=1&size=10: query item page: recorded 1, sent 2; \
                    query item size: recorded 10, sent 20
                    """
            )
            #expect(
                error?.failure.advice
                    == "record the calls anew with SALLYPORT_RECORDING=all, or change matching of the recording's options"
            )
            let failure = await expectError(\RecordingError.kind, "mismatches") { try await transport.finish() }
            #expect(
                failure?.description == """
                    GET https://api.example.com/users?page=2&size=20 matches no call of users.har. \
                    The closest is call 3, GET https://api.example.com/users?page=1&size=10:
                      - query item page: recorded 1, sent 2
                      - query item size: recorded 10, sent 20
                    Record the calls anew with SALLYPORT_RECORDING=all, or change matching or ignoredNames of the recording's options.
                    Call 1 of users.har was not used: GET https://api.example.com/users/7.
                    Remove it from the file, record the calls anew with SALLYPORT_RECORDING=all, or set allowsUnused.
                    Call 2 of users.har was not used: DELETE https://other.example.com/a/b/c.
                    Remove it from the file, record the calls anew with SALLYPORT_RECORDING=all, or set allowsUnused.
                    Call 3 of users.har was not used: GET https://api.example.com/users?page=1&size=10.
                    Remove it from the file, record the calls anew with SALLYPORT_RECORDING=all, or set allowsUnused.
                    """
            )
            // The second call has no effect.
            try await transport.finish()
        }
    }

    @Test func `A request that is repeated more often than recorded is an error, unless repeats are allowed`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("once.har")
            try writeArchive(
                file,
                [("GET", "https://api.example.com/", "", "1"), ("GET", "https://api.example.com/", "", "2")]
            )
            let strict = try replay(file)
            for text in ["1", "2"] { #expect(try await strict.text("/") == text) }
            let error = await expectError(\NetworkError.kind, "invalidRequest") { try await strict.text("/") }
            #expect(
                error?.failure.reason.contains("the request is recorded 2 times, and has been replayed as often")
                    == true
            )
            let repeating = try replay(file) { $0.allowsRepeats = true }
            for text in ["1", "2", "2", "2"] { #expect(try await repeating.text("/") == text) }
            try await repeating.finish()
        }
    }

    @Test func `A recording without calls says so`() async throws {
        let result = try await response(to: makeRequest(origin, "/"), in: [])
        #expect(
            result.mismatches.text.hasPrefix(
                "GET https://api.example.com/ matches no call of calls.har, which contains no call."
            )
        )
    }

    @Test func `Unused calls can be allowed`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("many.har")
            try writeArchive(file, (1...3).map { ("GET", "https://api.example.com/\($0)", "", "\($0)") })
            let transport = try replay(file) { $0.allowsUnused = true }
            #expect(try await transport.text("/2") == "2")
            try await transport.finish()
        }
    }
}
