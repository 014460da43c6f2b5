import Foundation
import HTTPTypes
import Sallyport
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RecordingBodiesTests {
    private func stream(_ chunks: [String]) -> RequestBody {
        .stream(
            BodyStream(
                AsyncStream<Data> { stream in
                    for chunk in chunks { stream.yield(Data(chunk.utf8)) }
                    stream.finish()
                }
            )
        )
    }

    @Test func `Streams are recorded and replayed in both directions`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("streams.har")
            let upload = folder.appendingPathComponent("upload.txt")
            try Data("a file".utf8).write(to: upload)
            let chunked = ScriptStep.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n"
            )
            let origin = try await record(file, [.receiveRequest, chunked, .receiveRequest, respond("done")]) {
                transport,
                origin in
                let request = makeRequest(origin, "/", .post, body: stream(["one ", "two"]))
                let first = try await transport.text(request)
                let second = try await transport.text(makeRequest(origin, "/", .put, body: .file(upload)))
                #expect([first, second] == ["abcdefgh", "done"])
            }
            let entries = try HttpArchive(Data(contentsOf: file)).entries
            #expect(entries.map(\.request.postData?.text) == ["one two", "a file"])
            #expect(entries.first?.response.content.text == "abcdefgh")
            let transport = try replay(file) { $0.matching.insert(.body) }
            let request = makeRequest(origin, "/", .post, body: stream(["one", " two"]))
            let text = try await transport.send(request) { response in
                #expect(response.head.headerFields[.transferEncoding] == nil)
                var text = ""
                for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
                return text
            }
            #expect(text == "abcdefgh")
            #expect(try await transport.text(makeRequest(origin, "/", .put, body: .file(upload))) == "done")
            try await transport.finish()
        }
    }

    @Test func `A long body is replayed in chunks`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("long.har")
            try writeArchive(file, [("GET", "https://api.example.com/", "", String(repeating: "a", count: 150_000))])
            let transport = try replay(file)
            let sizes = try await transport.send(makeRequest("https://api.example.com", "/")) { response in
                #expect(response.body.length == 150_000)
                var sizes: [Int] = []
                for try await chunk in response.body { sizes.append(chunk.count) }
                return sizes
            }
            #expect(sizes == [65_536, 65_536, 18_928])
        }
    }

    @Test func `A stream that is not read to its end is recorded up to there`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("events.har")
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            let origin = try await record(file, [.receiveRequest, .send(head + "data: 1\n\n"), .stall]) {
                transport,
                origin in
                try await transport.send(makeRequest(origin, "/events")) { response in
                    var reader = response.body.makeAsyncIterator()
                    let chunk = try await reader.next()
                    #expect(chunk == Data("data: 1\n\n".utf8))
                }
            }
            let content = try #require(try HttpArchive(Data(contentsOf: file)).entries.first).response.content
            #expect(content.comment == "incomplete: the reader stopped here")
            try await replay(file).send(makeRequest(origin, "/events")) { response in
                #expect(response.body.length == nil)
                var reader = response.body.makeAsyncIterator()
                let chunk = try await reader.next()
                #expect(chunk == Data("data: 1\n\n".utf8))
                let error = await #expect(throws: NetworkError.self) { try await response.body.collect(upTo: 10) }
                #expect(error?.kind == "incompleteBody")
                #expect(error?.failure.reason.contains("contains only the beginning of the body") == true)
            }
        }
    }

    @Test func `A body that is read to its declared length is complete`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("exact.har")
            let origin = try await record(file, [.receiveRequest, respond("abc")]) { transport, origin in
                try await transport.send(makeRequest(origin, "/")) { response in
                    var reader = response.body.makeAsyncIterator()
                    var count = 0
                    while count < 3, let chunk = try await reader.next() { count += chunk.count }
                }
            }
            let text = try await replay(file).text(makeRequest(origin, "/"))
            #expect(text == "abc")
        }
    }

    @Test(arguments: [true, false])
    func `A body that is longer than the limit fails the call with advice`(isStream: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("limit.har")
            let body = isStream ? stream(["12345", "6"]) : .text("123456")
            let request = makeRequest("https://api.example.com", "/", .post, body: body)
            let transport = try RecordingTransport(file: file) { options in
                options.mode = .all
                options.transport = MockTransport { _ in .text("abcdef") }
                options.maximumBodySize = 5
            }
            let sent = await expectError(\NetworkError.kind, "invalidRequest") { try await transport.text(request) }
            #expect(sent?.failure.reason == "the body is longer than the 5 bytes that a recording accepts")
            let received = await expectError(\NetworkError.kind, "responseTooLarge") { try await transport.text("/") }
            #expect(received?.failure.reason == "the body is longer than the 5 bytes that a recording accepts")
            #expect(received?.failure.advice == "raise maximumBodySize of the recording's options")
            try await transport.finish()
            #expect(try HttpArchive(Data(contentsOf: file)).entries.isEmpty)
            let replaying = try replay(file) { $0.maximumBodySize = 5 }
            await expectError(\NetworkError.kind, "invalidRequest") { try await replaying.text(request) }
            // The request was not compared.
            #expect(replaying.mismatches.isEmpty)
        }
    }

    @Test func `The response to a HEAD request has no body`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("head.har")
            let head = ScriptStep.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n")
            let origin = try await record(file, [.receiveRequest, head]) { transport, origin in
                let text = try await transport.text(makeRequest(origin, "/", .head))
                #expect(text == "")
            }
            try await replay(file).send(makeRequest(origin, "/", .head)) { response in
                #expect(response.head.headerFields[.contentLength] == "7")
                let body = try await response.body.collect(upTo: 0)
                #expect(body == Data())
            }
        }
    }

    @Test func `A compressed response is recorded as text`() async throws {
        // printf hello | gzip -n
        let gzip: [UInt8] = [
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36,
            0x05, 0, 0, 0,
        ]
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n"
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("gzip.har")
            let origin = try await record(file, [.receiveRequest, .sendBytes(Array(head.utf8) + gzip)]) {
                transport,
                origin in
                let text = try await transport.text(makeRequest(origin, "/"))
                #expect(text == "hello")
            }
            #expect(try HttpArchive(Data(contentsOf: file)).entries.first?.response.content.text == "hello")
            let text = try await replay(file).text(makeRequest(origin, "/"))
            #expect(text == "hello")
        }
    }

    @Test func `A body cannot be read after its scope`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("scope.har")
            try writeArchive(file, [("GET", "https://api.example.com/", "", "abc")])
            let response = try await replay(file).send(makeRequest("https://api.example.com", "/")) { $0 }
            await expectError(\NetworkError.kind, "cancelled") { try await response.body.collect(upTo: 10) }
        }
    }
}
