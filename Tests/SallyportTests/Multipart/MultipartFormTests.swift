import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MultipartFormTests {
    private func stream(_ chunks: [String], length: Int64? = nil, isReplayable: Bool = false) -> BodyStream {
        BodyStream(SallyportTests.chunks(chunks.map { Data($0.utf8) }), length: length, isReplayable: isReplayable)
    }

    @Test func `A streamed part is written like other parts`() async throws {
        var form = try MultipartForm(boundary: "b")
        form.append(name: "before", value: "1")
        form.append(name: "log", stream: stream(["some ", "", "lines"]), filename: "a.log.txt")
        form.append(name: "after", value: "2")
        let lines = [
            "--b", "Content-Disposition: form-data; name=\"before\"", "", "1",
            "--b", "Content-Disposition: form-data; name=\"log\"; filename=\"a.log.txt\"", "Content-Type: text/plain",
            "", "some lines", "--b", "Content-Disposition: form-data; name=\"after\"", "", "2", "--b--", "",
        ]
        let written = try await form.body().written().bytes
        #expect(String(decoding: written, as: UTF8.self) == lines.joined(separator: "\r\n"))
    }

    @Test func `The length of the body is known if the length of each part is`() async throws {
        var form = MultipartForm()
        form.append(name: "ü", value: "é")
        form.append(name: "a", stream: stream(["12", "345"], length: 5), headers: ["X-Y": "z"])
        let known = try #require(try form.body().stream)
        #expect(known.length == Int64(try await form.body().written().bytes.count))
        form.append(name: "b", stream: stream(["1"]))
        #expect(try #require(try form.body().stream).length == nil)
    }

    @Test func `The body is replayable if each part is`() throws {
        var form = MultipartForm()
        form.append(name: "a", stream: stream([], isReplayable: true))
        #expect(try form.body().isReplayable)
        form.append(name: "b", stream: stream([]))
        #expect(try !form.body().isReplayable)
    }

    @Test(arguments: [(Int64(4), "longer"), (6, "shorter")])
    func `A stream longer or shorter than its stated length fails the call`(length: Int64, problem: String) async throws
    {
        let (client, server) = makeClient()
        let error = await #expect(throws: NetworkError.self) {
            try await client.request { request in
                request.url = "https://example.com/"
                var form = MultipartForm()
                form.append(name: "a", stream: stream(["12345"], length: length))
                form.append(name: "b", stream: stream(["without a length"]))
                request.multipart(form)
            }
        }
        #expect(
            "\(error, default: "")".contains(
                "the stream of the part \"a\" is \(problem) than the declared \(length) bytes"
            )
        )
        #expect(server.requests.isEmpty)
    }

    @Test func `An error thrown by a stream is rethrown`() async throws {
        struct Broken: Error {}
        var form = MultipartForm()
        form.append(name: "a", stream: BodyStream(AsyncThrowingStream<Data, any Error> { throw Broken() }))
        let body = try form.body()
        await #expect(throws: Broken.self) { try await body.written() }
    }

    @Test func `Several files can have the same field name`() async throws {
        try await withTemporaryDirectory { folder in
            let files = ["a.txt", "b.png", "empty"].map { folder.appendingPathComponent($0) }
            for (index, file) in files.enumerated() { try Data(repeating: 65, count: 2 - index).write(to: file) }
            var form = MultipartForm()
            form.append(name: "files", files: files)
            let (bytes, _) = try await form.body().written()
            let parts = try await readParts(MultipartReader(chunks([bytes]), contentType: form.contentType))
            #expect(parts.map(\.name) == ["files", "files", "files"])
            #expect(parts.map(\.filename) == ["a.txt", "b.png", "empty"])
            #expect(parts.map(\.contentType) == ["text/plain", "image/png", "application/octet-stream"])
            #expect(parts.map(\.content.count) == [2, 1, 0])
        }
    }

    @Test func `Additional headers follow the form's own, sorted by name`() throws {
        var form = try MultipartForm(boundary: "b")
        form.append(
            name: "a",
            data: Data("x".utf8),
            contentType: "text/css",
            headers: ["X-B": "ü", "Content-ID": "<1>"]
        )
        let lines = [
            "--b", "Content-Disposition: form-data; name=\"a\"", "Content-Type: text/css", "Content-ID: <1>", "X-B: ü",
            "",
            "x", "--b--", "",
        ]
        #expect(try form.body().text == lines.joined(separator: "\r\n"))
    }

    @Test(arguments: [
        ("X-A", "a\r\nb", "the header \"X-A\" of the part \"n\" has a value"),
        ("X A", "a", "\"X A\" of the part \"n\" is not"), ("X-A\r\nX-B", "a", "is not a token"),
        ("", "a", "is not a token"), ("X-A", "a\u{0}b", "has a value"),
        ("content-disposition", "form-data", "is written by the form itself"),
        ("Content-Transfer-Encoding", "base64", "is written by the form itself"),
        ("Content-Type", "text/plain", "is written by the form itself"),
    ])
    func `An invalid header and a header written by the form are refused`(name: String, value: String, problem: String)
    {
        let request = makeRequest { request in
            var form = MultipartForm()
            form.append(name: "n", data: Data(), headers: [name: value])
            request.multipart(form)
        }
        #expect(refusal(of: request).contains(problem))
    }

    @Test func `A name with a NUL is refused`() {
        var form = MultipartForm()
        form.append(name: "a\u{0}", value: "")
        expectError(\NetworkError.kind, "invalidRequest") { try form.body() }
    }

    @Test(arguments: [
        ("", "is empty"), (String(repeating: "a", count: 71), "is longer than 70 bytes"), ("a\r\nb", "does not allow"),
        ("a\"b", "does not allow"), ("ü", "does not allow"), ("a ", "ends with a space"), ("a;b", "does not allow"),
    ])
    func `A boundary not allowed by RFC 2046 is refused`(boundary: String, problem: String) {
        let error = #expect(throws: NetworkError.self) { try MultipartForm(boundary: boundary) }
        #expect("\(error, default: "")".contains(problem))
    }

    @Test(arguments: [
        ("abc-1_2.3", "boundary=abc-1_2.3"), ("a b:c", "boundary=\"a b:c\""), ("a/b", "boundary=\"a/b\""),
    ])
    func `A custom boundary is quoted in the content type if necessary and can be parsed`(
        boundary: String,
        parameter: String
    ) async throws {
        var form = try MultipartForm(boundary: boundary)
        #expect(form.contentType == "multipart/form-data; " + parameter)
        form.append(name: "a", value: "b")
        let (bytes, _) = try await form.body().written()
        let parts = try await readParts(MultipartReader(chunks([bytes]), contentType: form.contentType))
        #expect(parts.map(\.content) == [Data("b".utf8)])
    }

    @Test func `The same parts and boundary give the same bytes`() async throws {
        func form() throws -> MultipartForm {
            var form = try MultipartForm(boundary: "again")
            form.append(name: "a", value: "b")
            form.append(name: "c", data: Data(count: 10), filename: "d", headers: ["X-1": "1", "X-2": "2", "X-3": "3"])
            return form
        }
        #expect(try await form().body().written().bytes == form().body().written().bytes)
    }

    @Test func `A body of 10,000 parts is written in a few chunks of limited size`() async throws {
        var form = MultipartForm()
        for number in 0..<10_000 { form.append(name: "field \(number)", value: "value \(number)") }
        form.append(name: "end", stream: stream(["."], length: 1))
        let stream = try #require(try form.body().stream)
        let (bytes, sizes) = try await form.body().written()
        #expect(stream.length == Int64(bytes.count))
        #expect(sizes.count < 30)
        #expect(sizes.allSatisfy { $0 < 70_000 })
        let limits = MultipartLimits(parts: 10_001)
        let parts = try await readParts(MultipartReader(chunks([bytes]), contentType: form.contentType, limits: limits))
        #expect(parts.count == 10_001)
        #expect(parts[9_999].name == "field 9999")
        #expect(parts[9_999].content == Data("value 9999".utf8))
    }

    @Test(arguments: [300_000, 1_000_001])
    func `A file that changes during the upload fails the call`(length: Int) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("a.bin")
            try Data(count: 1_000_000).write(to: file)
            var form = MultipartForm()
            form.append(name: "a", file: file)
            let stream = try #require(try form.body().stream)
            let written = Locked(0)
            let error = await #expect(throws: NetworkError.self) {
                try await stream.forEachChunk { chunk in
                    // The headers and the first chunk of the file have been read.
                    let sum = written.withLock { written in
                        written += chunk.count
                        return written
                    }
                    if sum > 200_000, sum < 300_000 { try #require(truncate(file.path, off_t(length)) == 0) }
                }
            }
            let problem = length < 1_000_000 ? "became shorter while it was sent" : "changed while it was sent"
            #expect("\(error, default: "")".contains("\(file.path) \(problem)"))
        }
    }

    @Test func `A file deleted before the upload fails the call`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("a.bin")
            try Data(count: 10).write(to: file)
            var form = MultipartForm()
            form.append(name: "a", file: file)
            let body = try form.body()
            try FileManager.default.removeItem(at: file)
            let error = await #expect(throws: NetworkError.self) { try await body.written() }
            #expect("\(error, default: "")".contains("can no longer be opened: No such file"))
        }
    }
}
