import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MultipartReaderTests {
    private let type = "multipart/form-data; boundary=b"

    private func read(_ text: String, _ limits: MultipartLimits = MultipartLimits()) async throws -> [ReadPart] {
        try await readParts(MultipartReader(chunks([Data(text.utf8)]), contentType: type, limits: limits))
    }

    /// Returns the error for a body, which must be the same if the body is received byte by byte.
    private func error(_ text: String, _ limits: MultipartLimits = MultipartLimits()) async -> MultipartError? {
        var errors: [MultipartError?] = []
        for size in [Int.max, 1] {
            let chunks = pieces(Data(text.utf8)) { size }
            errors.append(
                await #expect(throws: MultipartError.self) {
                    try await readParts(MultipartReader(chunks, contentType: type, limits: limits))
                }
            )
        }
        #expect(errors[0] == errors[1])
        return errors[0]
    }

    @Test func `Parts have a name, file name, content type, headers and content`() async throws {
        let body = """
            --b\r
            Content-Disposition: form-data; name="title"\r
            \r
            Ünï\r
            --b\r
            content-disposition: form-data; name="photo"; filename="a.jpg"\r
            Content-Type: image/jpeg\r
            X-A: 1\r
            X-A: 2\r
            \r
            \r\n\r
            --b--\r\n
            """
        let parts = try await read(body)
        #expect(parts.map(\.name) == ["title", "photo"])
        #expect(parts.map(\.filename) == [nil, "a.jpg"])
        #expect(parts.map(\.contentType) == ["text/plain", "image/jpeg"])
        #expect(parts.map(\.content) == [Data("Ünï".utf8), Data("\r\n".utf8)])
        #expect(parts[1].headers["X-A"] == ["1", "2"])
    }

    @Test(arguments: [
        "--b\r\nX-A: 1\r\n\r\n--b\r\nX-A: 1\r\n\r\nlast\r\n--b--", "--b\r\n\r\n--b\r\n\r\nlast\r\n--b--",
        "--b\r\n\r\n--b \t\r\n\r\nlast\r\n--b--",
    ])
    func `A boundary line can directly follow the headers of a part without content`(body: String) async throws {
        for size in [Int.max, 1] {
            let chunks = pieces(Data(body.utf8)) { size }
            let parts = try await readParts(MultipartReader(chunks, contentType: type))
            #expect(parts.map(\.content) == [Data(), Data("last".utf8)])
        }
        #expect(try await read("--b\r\nX-A: 1\r\n\r\n--b--").map(\.content) == [Data()])
    }

    @Test func `Content that resembles a boundary line at its start is read as content`() async throws {
        for content in ["--bx", "--b-", "\r\n--bx", "--", "-", "\r\n"] {
            for size in [Int.max, 1] {
                let chunks = pieces(Data("--b\r\n\r\n\(content)\r\n--b--".utf8)) { size }
                let parts = try await readParts(MultipartReader(chunks, contentType: type))
                #expect(parts.map(\.content) == [Data(content.utf8)])
            }
        }
    }

    @Test(arguments: [
        ("--b--", 0), ("--b--\r\n", 0), ("before\r\n--b\r\n\r\nx\r\n--b--after\r\nmore", 1),
        ("\r\n--b\r\n\r\nx\r\n--b--", 1), ("--bx\r\n--b \t\r\n\r\nx\r\n--b--", 1),
        ("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", 2),
    ])
    func `The preamble and the epilogue are skipped`(body: String, count: Int) async throws {
        #expect(try await read(body).count == count)
    }

    @Test(arguments: [
        "\r\n--bb\r\n", "--b\r\n", "\r\n-b\r\n", "\r\n--b-\r\n", "\r\n--bx--", "\n--b\r\n", "\r--b\r\n", "\r\n--b\n",
        "\r\n --b\r\n", "\r\n--B\r\n", "\r", "\r\n", "\r\n-", "\r\n--", "\r\r\n\r\n\r", "\r\n--b x\r\n",
        "\r\n--b" + String(repeating: " ", count: 65) + "\r\n",
    ])
    func `Lines that resemble the boundary are read as content`(content: String) async throws {
        let whole = "a\(content)z\(content)"
        #expect(try await read("--b\r\n\r\n\(whole)\r\n--b--").map(\.content) == [Data(whole.utf8)])
    }

    private static let dispositions: [(header: String, name: String?, filename: String?)] = [
        (#"form-data; name="a"; filename="b""#, "a", "b"), ("form-data;name=a;filename=b", "a", "b"),
        ("form-data", nil, nil), (#"FORM-DATA; NAME="a""#, "a", nil), (#"form-data; name="""#, "", nil),
        (#"form-data; name="%22%0D%0A%0d%0a%25%2"; filename="a%22b""#, "\"\r\n\r\n%25%2", "a\"b"),
        (#"form-data; name="a\b\\c"; filename="C:\temp\x.txt""#, #"a\b\\c"#, #"C:\temp\x.txt"#),
        (#"form-data; name="a\"; filename="b\"#, #"a\"#, #"b\"#), (#"form-data; name="a\"b""#, #"a"b"#, nil),
        (#"form-data; name="a;b=c"; filename="ü🎉""#, "a;b=c", "ü🎉"), (#"form-data; name="a"; name="b""#, "a", nil),
        (#"form-data; x="; name=y"; name="a""#, "a", nil),
        ("form-data; name=a; filename*=UTF-8''%C3%BC; filename=b", "a", "b"),
        ("form-data; name=a; filename*=UTF-8''%C3%BC", "a", "ü"),
    ]

    @Test(arguments: dispositions)
    func `Names and file names are parsed as the HTML standard writes them`(
        header: String,
        name: String?,
        filename: String?
    ) async throws {
        let part = try await read("--b\r\nContent-Disposition: \(header)\r\n\r\n\r\n--b--")[0]
        #expect(part.name == name)
        #expect(part.filename == filename)
    }

    @Test func `Headers can be folded and contain bytes that are not UTF-8`() async throws {
        let head = Data("--b\r\nX-A: a\r\n\tb\r\nContent-Disposition: form-data; name=\"".utf8)
        let body = head + [0xFC] + Data("\"\r\n\r\n\r\n--b--".utf8)
        let part = try await readParts(MultipartReader(chunks([body]), contentType: type))[0]
        #expect(part.headers["X-A"] == ["a\tb"])
        #expect(part.name == "ü")
    }

    @Test(arguments: [
        "", "text/plain; boundary=b", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=ü",
        "multipart/form-data; boundary=\"a\nb\"", "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
    ])
    func `A content type without a boundary is refused`(contentType: String) {
        #expect(throws: MultipartError.noBoundary(contentType: contentType)) {
            try MultipartReader(chunks([]), contentType: contentType)
        }
    }

    @Test(arguments: ["Multipart/Mixed; charset=x; BOUNDARY=b", "multipart/related;boundary=\"b\";type=x"])
    func `Every multipart type is read`(contentType: String) async throws {
        let body = chunks([Data("--b\r\n\r\nx\r\n--b--".utf8)])
        #expect(try await readParts(MultipartReader(body, contentType: contentType)).count == 1)
    }

    @Test(arguments: [
        ("", MultipartError.boundaryNotFound), ("--c\r\n\r\n--c--", .boundaryNotFound), ("--b", .boundaryNotFound),
        ("--b\r", .boundaryNotFound), ("--b\r\n", .endedEarly(parts: 1)), ("--b\r\nX-A: b\r\n", .endedEarly(parts: 1)),
        ("--b\r\n\r\nx", .endedEarly(parts: 1)), ("--b\r\n\r\nx\r\n--b", .endedEarly(parts: 1)),
        ("--b\r\n\r\nx\r\n--b-", .endedEarly(parts: 1)), ("--b\r\n\r\nx\r\n--b\r\n\r\n", .endedEarly(parts: 2)),
    ])
    func `A truncated body throws an error`(body: String, expected: MultipartError) async {
        #expect(await error(body) == expected)
    }

    @Test func `A body truncated at any byte throws an error`() async throws {
        let body = Data("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n-\r\n--b\r\n\r\nx\r\n--b--".utf8)
        for count in 0..<body.count {
            let error = await #expect(throws: MultipartError.self) {
                try await readParts(MultipartReader(chunks([body.prefix(count)]), contentType: type))
            }
            // The first boundary ends with its line.
            let expected: [MultipartError] =
                count < 5 ? [.boundaryNotFound] : [.endedEarly(parts: 1), .endedEarly(parts: 2)]
            #expect(error.map(expected.contains) == true)
        }
        #expect(try await readParts(MultipartReader(chunks([body]), contentType: type)).count == 2)
    }

    @Test(arguments: [
        "no colon", ": no name", "a b: c", "X-A : b", "X-A: b\nX-B: c", "X-A: b\r\r\nX-B: c", "X-A: \u{0}", " X-A: b",
        "X-A: b\n\r\nX-B: c",
    ])
    func `A malformed header throws an error`(header: String) async {
        guard case .invalidHeader(part: 1, _) = await error("--b\r\n\(header)\r\n\r\nx\r\n--b--") else {
            Issue.record("no error for \(header)")
            return
        }
    }

    @Test func `Each limit is exact to the byte`() async throws {
        let body = "123\r\n--b\r\nX-A: b\r\n\r\n12345\r\n--b\r\n\r\n\r\n--b--1234"
        let limits = MultipartLimits(parts: 2, headerBytes: 10, partBytes: 5, surroundingBytes: 4)
        #expect(try await read(body, limits).count == 2)
        var smaller = limits
        smaller.parts = 1
        #expect(await error(body, smaller) == .tooManyParts(limit: 1))
        smaller = limits
        smaller.headerBytes = 9
        #expect(await error(body, smaller) == .headersTooLarge(part: 1, limit: 9))
        smaller = limits
        smaller.partBytes = 4
        #expect(await error(body, smaller) == .partTooLarge(part: 1, limit: 4))
        smaller = limits
        smaller.surroundingBytes = 3
        #expect(await error(body, smaller) == .surroundingsTooLarge(limit: 3))
        smaller.surroundingBytes = 2
        #expect(await error(body, smaller) == .surroundingsTooLarge(limit: 2))
    }

    @Test func `Headers longer than the limit are refused`() async {
        let endless = "--b\r\nX-A: " + String(repeating: "a", count: 20_000)
        #expect(await error(endless) == .headersTooLarge(part: 1, limit: 16_384))
    }

    @Test func `Unread content of a part is skipped, and a part cannot be read after the next one was requested`()
        async throws
    {
        let body = "--b\r\n\r\nfirst\r\n--b\r\n\r\nsecond\r\n--b\r\n\r\nthird\r\n--b--"
        let reader = try MultipartReader(pieces(Data(body.utf8)) { 3 }, contentType: type)
        var parts = reader.makeAsyncIterator()
        let first = try #require(try await parts.next())
        var chunks = first.body.makeAsyncIterator()
        #expect(try await chunks.next() != nil)
        let second = try #require(try await parts.next())
        await #expect(throws: MultipartError.readOutOfTurn(part: 1)) { try await first.body.collect(upTo: 10) }
        #expect(try await second.body.collect(upTo: 10) == Data("second".utf8))
        #expect(try await second.body.collect(upTo: 10).isEmpty)
        let third = try #require(try await parts.next())
        await #expect(throws: MultipartError.partTooLarge(part: 3, limit: 4)) { try await third.body.collect(upTo: 4) }
        #expect(try await parts.next() == nil)
        #expect(try await parts.next() == nil)
    }

    @Test func `Concurrent readers are refused`() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Data.self)
        let body = AsyncStream<Data> {
            enter.yield()
            return await released.first { _ in true }
        }
        let reader = try MultipartReader(body, contentType: type)
        async let first = readParts(reader)
        _ = await entered.first { true }
        await #expect(throws: MultipartError.readOutOfTurn(part: 0)) { try await readParts(reader) }
        release.yield(Data("--b\r\n\r\nx\r\n--b--".utf8))
        release.finish()
        #expect(try await first.map(\.content) == [Data("x".utf8)])
    }

    @Test func `An error thrown by the body is rethrown`() async throws {
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("--b\r\n\r\nx".utf8))
            continuation.finish(throwing: NetworkError.incompleteBody("the connection broke"))
        }
        let reader = try MultipartReader(body, contentType: type)
        await expectError(\NetworkError.kind, "incompleteBody") { try await readParts(reader) }
    }

    @Test func `A reader that failed throws its error again`() async throws {
        let reader = try MultipartReader(chunks([Data("--b\r\nbad\r\n\r\nx\r\n--b--".utf8)]), contentType: type)
        var parts = reader.makeAsyncIterator()
        for _ in 0..<2 {
            await expectError(\MultipartError.kind, "invalidHeader") { try await parts.next() }
        }
    }
}
