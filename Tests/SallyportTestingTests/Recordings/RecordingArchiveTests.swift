import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

/// Replays archives in the form in which browsers and proxies export them.
@Suite(.concurrencyLimited) struct RecordingArchiveTests {
    private func withReplay(
        _ archive: String,
        configure: @escaping (inout RecordingOptions) -> Void = { _ in },
        _ body: (RecordingTransport) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("export.har")
            try Data(archive.utf8).write(to: file)
            try await body(
                replay(file) { options in
                    options.allowsUnused = true
                    configure(&options)
                }
            )
        }
    }

    private let origin = "https://shop.example.com"

    @Test func `A call of a browser is replayed, with its secrets ignored in the comparison`() async throws {
        try await withReplay(chromeArchive) { transport in
            let client = HttpClient.createClient { config in config.transport = transport }
            let cart = try await client.request { request in
                request.url = "https://shop.example.com/cart?lang=de&session_token=another"
            }
            #expect(cart.status == .ok)
            #expect(cart.bodyAsString() == #"{"items":[],"csrf_token":"from-the-browser"}"#)
            #expect(cart.headers["Set-Cookie"] == ["a=1; Path=/", "b=2; Path=/"])
            #expect(cart.headers["Content-Encoding"] == nil)
            #expect(cart.connection.httpVersion == .http2)
            try await transport.finish()
        }
    }

    @Test func `A binary body and a form of a browser are replayed`() async throws {
        try await withReplay(chromeArchive, configure: { $0.matching.insert(.body) }) { transport in
            let form = makeRequest(
                origin,
                "/login",
                .post,
                [.contentType: "application/x-www-form-urlencoded;charset=UTF-8"],
                body: .text("password=mine&user=a+b")
            )
            try await transport.send(form) { response in
                #expect(response.head.status == .seeOther)
                #expect(response.head.headerFields[.location] == "/cart")
            }
            let image = try await transport.send(makeRequest(origin, "/logo.png")) {
                try await $0.body.collect(upTo: 100)
            }
            #expect(image == Data([0x89, 0x50, 0x4E, 0x47]))
        }
    }

    @Test func `Entries that cannot be replayed are errors with their reason`() async throws {
        try await withReplay(chromeArchive) { transport in
            let blocked = await expectError(\NetworkError.kind, "networkError") {
                try await transport.text(makeRequest(origin, "/blocked"))
            }
            #expect(
                blocked?.failure.reason == "call 5 of export.har cannot be replayed: the recorded call has no response"
            )
            let empty = await expectError(\NetworkError.kind, "networkError") {
                try await transport.text(makeRequest(origin, "/large"))
            }
            #expect(
                empty?.failure.reason == """
                    call 6 of export.har cannot be replayed: the recording does not contain the 5000000 bytes of the response; \
                    export the archive again with content
                    """
            )
        }
    }

    @Test func `An archive of a recorder is replayed, without bodies that it does not contain`()
        async throws
    {
        var limits = TrafficRecorder.Limits()
        limits.bodyBytes = 10
        let recorder = TrafficRecorder(limits: limits)
        let mock = MockTransport { request in .text(request.path == "/long" ? "a text that is too long" : "short") }
        let client = HttpClient.createClient { config in
            config.transport = mock
            config.recorder = recorder
        }
        for path in ["/short", "/long"] {
            _ = try await client.request { request in request.url = "https://api.example.com\(path)" }
        }
        let archive = String(decoding: try recorder.archive().data(), as: UTF8.self)
        try await withReplay(archive) { transport in
            #expect(try await transport.text("/short") == "short")
            let reason = "the recording does not contain the 23 bytes of the response; export the archive again with content"
            let error = await #expect(throws: NetworkError.self) { try await transport.text("/long") }
            #expect(error.map { "\($0)" }?.contains(reason) == true, "\(String(describing: error))")
            try await transport.finish()
        }
    }

    @Test func `An archive of mitmproxy is replayed`() async throws {
        try await withReplay(mitmproxyArchive) { transport in
            let fields: HTTPFields = [.authorization: "Bearer mine"]
            #expect(try await transport.text(makeRequest("http://127.0.0.1:8080", "/users", .get, fields)) == "[]")
            try await transport.finish()
        }
    }
}

/// Entries as Chrome exports them: pseudo-header fields of HTTP/2, cookies joined by a line feed, encoded content, and calls that are none
/// over HTTP.
private let chromeArchive = #"""
    {
      "log": {
        "version": "1.2",
        "creator": { "name": "WebInspector", "version": "537.36" },
        "pages": [{
          "startedDateTime": "2026-11-23T17:30:35.123Z", "id": "page_1", "title": "https://shop.example.com/",
          "pageTimings": { "onContentLoad": 120.5, "onLoad": 250.75 }
        }],
        "entries": [
          {
            "_initiator": { "type": "script", "stack": { "callFrames": [] } }, "_priority": "High", "_resourceType": "fetch",
            "cache": {}, "connection": "443", "pageref": "page_1",
            "request": {
              "method": "GET", "url": "https://shop.example.com/cart?session_token=browser&lang=de#top", "httpVersion": "h2",
              "headers": [
                { "name": ":authority", "value": "shop.example.com" }, { "name": ":method", "value": "GET" },
                { "name": "cookie", "value": "sid=browser" }, { "name": "accept-encoding", "value": "gzip, deflate, br" }
              ],
              "queryString": [{ "name": "session_token", "value": "browser" }, { "name": "lang", "value": "de" }],
              "cookies": [{ "name": "sid", "value": "browser", "path": "/", "httpOnly": true }],
              "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "h2",
              "headers": [
                { "name": "content-type", "value": "application/json" }, { "name": "content-encoding", "value": "br" },
                { "name": "content-length", "value": "31" }, { "name": "set-cookie", "value": "a=1; Path=/\nb=2; Path=/" },
                { "name": "invalid name", "value": "x" }
              ],
              "cookies": [],
              "content": {
                "size": 44, "mimeType": "application/json", "compression": 13,
                "text": "{\"items\":[],\"csrf_token\":\"from-the-browser\"}"
              },
              "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 250, "_error": null
            },
            "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2026-11-23T17:30:35.200Z", "time": 31.5,
            "timings": {
              "blocked": 1.2, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 30, "receive": 0.2, "_blocked_queueing": 0.5
            }
          },
          {
            "request": {
              "method": "POST", "url": "https://shop.example.com/login", "httpVersion": "h2", "headers": [], "queryString": [],
              "cookies": [], "headersSize": -1, "bodySize": 27,
              "postData": {
                "mimeType": "application/x-www-form-urlencoded", "text": "user=a%20b&password=browser",
                "params": [{ "name": "user", "value": "a%20b" }, { "name": "password", "value": "browser" }]
              }
            },
            "response": {
              "status": 303, "statusText": "", "httpVersion": "h2", "headers": [{ "name": "location", "value": "/cart" }],
              "cookies": [], "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "/cart", "headersSize": -1,
              "bodySize": 0
            },
            "cache": {}, "startedDateTime": "2026-11-23T17:30:36.000Z", "time": 12, "timings": { "send": 0, "wait": 12, "receive": 0 }
          },
          {
            "request": {
              "method": "GET", "url": "https://shop.example.com/logo.png", "httpVersion": "h2", "headers": [], "queryString": [],
              "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "h2", "headers": [{ "name": "content-type", "value": "image/png" }],
              "cookies": [], "content": { "size": 4, "mimeType": "image/png", "text": "iVBORw==", "encoding": "base64" },
              "redirectURL": "", "headersSize": -1, "bodySize": -1
            },
            "cache": {}, "startedDateTime": "2026-11-23T17:30:36.100Z", "time": 3, "timings": { "send": 0, "wait": 3, "receive": 0 }
          },
          {
            "request": {
              "method": "GET", "url": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "httpVersion": "data", "headers": [],
              "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "OK", "httpVersion": "data", "headers": [], "cookies": [],
              "content": { "size": 14, "mimeType": "image/gif" }, "redirectURL": "", "headersSize": -1, "bodySize": -1
            },
            "cache": {}, "startedDateTime": "2026-11-23T17:30:36.150Z", "time": 0, "timings": { "send": 0, "wait": 0, "receive": 0 }
          },
          {
            "request": {
              "method": "GET", "url": "https://shop.example.com/blocked", "httpVersion": "", "headers": [], "queryString": [],
              "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
              "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1,
              "_error": "net::ERR_BLOCKED_BY_CLIENT"
            },
            "cache": {}, "startedDateTime": "2026-11-23T17:30:36.200Z", "time": 1, "timings": { "send": 0, "wait": 0, "receive": 1 }
          },
          {
            "request": {
              "method": "GET", "url": "https://shop.example.com/large", "httpVersion": "h2", "headers": [], "queryString": [],
              "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "h2", "headers": [], "cookies": [],
              "content": { "size": 5000000, "mimeType": "application/octet-stream" }, "redirectURL": "", "headersSize": -1,
              "bodySize": -1
            },
            "cache": {}, "startedDateTime": "2026-11-23T17:30:36.300Z", "time": 9, "timings": { "send": 0, "wait": 9, "receive": 0 }
          }
        ]
      }
    }
    """#

/// An entry as mitmproxy exports it.
private let mitmproxyArchive = #"""
    {
      "log": {
        "version": "1.2", "creator": { "name": "mitmproxy", "version": "11.0.2", "comment": "" }, "pages": [],
        "entries": [{
          "startedDateTime": "2026-11-23T17:30:35.123456+00:00", "time": 4.25,
          "request": {
            "method": "GET", "url": "http://127.0.0.1:8080/users", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [{ "name": "Host", "value": "127.0.0.1:8080" }, { "name": "Authorization", "value": "Bearer theirs" }],
            "queryString": [], "headersSize": 80, "bodySize": 0
          },
          "response": {
            "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [{ "name": "Transfer-Encoding", "value": "chunked" }, { "name": "Content-Type", "value": "application/json" }],
            "content": { "size": 2, "compression": 0, "mimeType": "application/json", "text": "[]" }, "redirectURL": "",
            "headersSize": 90, "bodySize": 2
          },
          "cache": {}, "timings": { "connect": -1, "ssl": -1, "send": 1.0, "receive": 0.25, "wait": 3.0 },
          "serverIPAddress": "127.0.0.1"
        }]
      }
    }
    """#
