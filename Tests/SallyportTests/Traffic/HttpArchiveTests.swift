import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct HttpArchiveTests {
    private let archive = HttpArchive(
        browser: HttpArchive.Creator(name: "Firefox", version: "145.0"),
        pages: [
            HttpArchive.Page(id: "p", title: "a page", startedDateTime: Date(timeIntervalSince1970: 5.25), onLoad: 7.5)
        ],
        entries: [
            HttpArchive.Entry(
                startedDateTime: Date(timeIntervalSince1970: 1_795_456_800.125),
                time: 31.5,
                request: HttpArchive.Request(
                    method: "POST",
                    url: "https://api.example.com/a?q=1",
                    headers: [HttpArchive.Field(name: "Accept", value: "*/*")],
                    queryString: [HttpArchive.Field(name: "q", value: "1")],
                    postData: HttpArchive.PostData(mimeType: "image/png", data: Data([0, 0xFF, 1])),
                    bodySize: 3
                ),
                response: HttpArchive.Response(
                    status: 201,
                    statusText: "Created",
                    httpVersion: "HTTP/2",
                    cookies: [HttpArchive.Cookie(name: "sid", value: "***")],
                    content: HttpArchive.Content(mimeType: "text/plain", data: Data("Zoë".utf8)),
                    redirectURL: "/b",
                    bodySize: 4
                ),
                timings: HttpArchive.Timings(dns: 1, connect: 4, ssl: 2, send: 0, wait: 20.5, receive: 6),
                pageref: "p",
                serverIPAddress: "203.0.113.7",
                connection: "443",
                comment: "first"
            )
        ],
        comment: "all"
    )

    @Test func `A written archive is read unchanged`() throws {
        #expect(try HttpArchive(archive.data()) == archive)
    }

    @Test func `Members that HAR 1.2 requires are written also if they are unknown`() throws {
        let text = String(decoding: try archive.data(), as: UTF8.self)
        for member in [
            #""version" : "1.2""#, #""startedDateTime" : "2026-11-23T18:00:00.125Z""#, #""blocked" : -1"#,
            #""headersSize" : -1"#, #""_encoding" : "base64""#, #""text" : "AP8B""#, #""text" : "Zoë""#,
        ] {
            #expect(text.contains(member), "\(member) in \(text)")
        }
    }

    @Test func `A body that is not UTF-8 is written in Base64, and both kinds are read as bytes`() throws {
        let entry = try HttpArchive(archive.data()).entries[0]
        #expect(entry.request.postData?.data == Data([0, 0xFF, 1]))
        #expect(entry.response.content.data == Data("Zoë".utf8))
        #expect(entry.response.content.encoding == nil)
    }

    @Test func `The file of a browser is read, with its own members, unknown numbers and a byte order mark`() throws {
        let text = """
            \u{FEFF}{"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{"startedDateTime": "2024-03-01T09:00:00.5+01:00", "id": "page_1", "title": "https://a.example/",
              "pageTimings": {"onContentLoad": 512.2, "onLoad": -1}}],
            "entries": [{"_connectionId": "41", "_initiator": {"type": "other"}, "_priority": "VeryHigh",
              "_resourceType": "document", "cache": {}, "connection": "443", "pageref": "page_1",
              "request": {"method": "GET", "url": "https://a.example/?a=%20b", "httpVersion": "h3",
                "headers": [{"name": ":authority", "value": "a.example"}, {"name": "accept", "value": "*/*"}],
                "queryString": [{"name": "a", "value": " b"}],
                "cookies": [{"name": "id", "value": "1", "path": "/", "expires": "Session", "httpOnly": true}],
                "headersSize": -1, "bodySize": 0},
              "response": {"status": 200, "statusText": "", "httpVersion": "h3", "headers": [], "cookies": [],
                "content": {"size": 3, "mimeType": "image/gif", "text": "R0lG", "encoding": "base64"},
                "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 310, "_error": null},
              "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2024-03-01T08:00:00.1234567Z",
              "time": 12.40000000001,
              "timings": {"blocked": 2.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.3, "wait": 9, "receive": 0.6,
                "_blocked_queueing": 1.9}}]}}
            """
        let archive = try HttpArchive(Data(text.utf8))
        let entry = try #require(archive.entries.first)
        #expect(archive.creator.name == "WebInspector")
        #expect(archive.pages.first?.startedDateTime == Date(timeIntervalSince1970: 1_709_280_000.5))
        #expect(archive.pages.first?.onLoad == nil)
        #expect(entry.pageref == "page_1")
        #expect(abs(entry.startedDateTime.timeIntervalSince1970 - 1_709_280_000.1234567) < 0.000_01)
        #expect(entry.request.headers.map(\.name) == [":authority", "accept"])
        #expect(entry.request.cookies == [HttpArchive.Cookie(name: "id", value: "1")])
        #expect(entry.request.postData == nil)
        #expect(entry.request.bodySize == 0)
        #expect(entry.response.content.data == Data("GIF".utf8))
        #expect(entry.response.bodySize == nil)
        #expect(entry.timings == HttpArchive.Timings(blocked: 2.5, send: 0.3, wait: 9, receive: 0.6))
    }

    @Test func `Each entry needs only a method, a URL and a status`() throws {
        let text = """
            {"log": {"entries": [{"request": {"method": "GET", "url": "http://a.example/"}, "response": {"status": 204},
            "time": null, "startedDateTime": "soon", "timings": []}]}}
            """
        let entry = try #require(try HttpArchive(Data(text.utf8)).entries.first)
        #expect(entry.response.status == 204)
        #expect(entry.time == 0)
        #expect(entry.startedDateTime == Date(timeIntervalSince1970: 0))
        #expect(entry.response.content.data == nil)
    }

    @Test(arguments: [
        ("[]", "not a "),
        ("{", "invalid data at the root"),
        (#"{"log": {}}"#, "no entries at log"),
        (#"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#, "no url at log.entries.0.request"),
    ])
    func `The error for another file names the first problem`(text: String, problem: String) {
        let error = #expect(throws: HttpArchiveError.self) { try HttpArchive(Data(text.utf8)) }
        #expect(error?.description.hasPrefix("this is not a HAR file: ") == true)
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `A file that is larger than the limit is refused`() throws {
        let data = try archive.data()
        let error = #expect(throws: HttpArchiveError.self) { try HttpArchive(data, maximumSize: data.count - 1) }
        #expect(
            error?.description
                == "the HAR file has \(data.count) bytes, more than the \(data.count - 1) that are accepted"
        )
    }

    @Test func `An archive with an infinite duration or date cannot be written`() {
        var (duration, date) = (archive, archive)
        duration.entries[0].time = .infinity
        date.entries[0].startedDateTime = Date(timeIntervalSince1970: .infinity)
        for archive in [duration, date] {
            let error = #expect(throws: HttpArchiveError.self) { try archive.data() }
            #expect(error?.description == "the archive cannot be written: a number or date in it is not finite")
        }
    }

    @Test(arguments: [
        ("2026-11-23T18:00:00Z", 1_795_456_800.0), ("2026-11-23T18:00:00.25Z", 1_795_456_800.25),
        ("2026-11-23T19:30:00,5+01:30", 1_795_456_800.5), ("2026-11-23T13:00:00-0500", 1_795_456_800.0),
        ("2026-11-23T20:00:00+02", 1_795_456_800.0), ("2026-11-23T18:00:00", 1_795_456_800.0),
    ])
    func `Dates are read in the forms of ISO 8601 that programs write`(text: String, seconds: Double) {
        #expect(ArchiveDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "now", "2026-11-23", "2026-11-23T18:00:00+1", "2026-11-23T18:00:00.Z"])
    func `Other texts are not dates`(text: String) {
        #expect(ArchiveDate.parse(text) == nil)
    }

    @Test func `Dates are written with milliseconds, also before 1970`() throws {
        #expect(try ArchiveDate.text(Date(timeIntervalSince1970: 1_795_456_800.0016)) == "2026-11-23T18:00:00.002Z")
        #expect(try ArchiveDate.text(Date(timeIntervalSince1970: -0.25)) == "1969-12-31T23:59:59.750Z")
    }

    @Test func `A request of an archive becomes a request that can be sent`() {
        let request = HttpRequest(
            HttpArchive.Request(
                method: "PURGE",
                url: "https://a.example/b",
                headers: [
                    HttpArchive.Field(name: ":path", value: "/b"), HttpArchive.Field(name: "X-A", value: "1"),
                    HttpArchive.Field(name: "X-A", value: "2"),
                ],
                postData: HttpArchive.PostData(mimeType: "text/plain", text: "hi")
            )
        )
        #expect(request.getMethod().rawValue == "PURGE")
        #expect(request.getCombinedHeader(name: "X-A") == "1, 2")
        #expect(request.curlDescription.hasSuffix("https://a.example/b"))
    }
}
