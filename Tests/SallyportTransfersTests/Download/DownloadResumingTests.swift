import ClientTestSupport
import Foundation
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Downloads that continue an earlier one, and servers that do not respond as requested.
@Suite(.concurrencyLimited) struct DownloadResumingTests {
    private let bytes = pattern(300_000)

    /// Creates the partial file of an earlier download in a folder.
    private func leave(_ count: Int, of bytes: [UInt8], tag: String? = "\"a\"", in folder: URL) async throws {
        let (client, _) = FileServer(bytes, tag: tag, cut(count)).client()
        let error = try #require(await failure(of: client.download(to: folder)))
        #expect(error.resumableBytes == Int64(tag == nil ? 0 : count))
    }

    /// Continues a download, and checks the outcome.
    private func goOn(
        with server: FileServer,
        in folder: URL,
        ranges: [String?],
        fetched: Int64,
        attempts: Int = 1,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) async throws {
        let (client, transport) = server.client()
        let file = try await client.download(to: folder, attempts: attempts, change).value
        try expectSame(Data(contentsOf: file.url), Data(server.state.withLock { $0.bytes }))
        #expect(transport.requests.map { $0.header("Range") } == ranges)
        #expect(file.fetchedBytes == fetched)
        #expect(folder.fileNames == ["map.zip"])
    }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 150_000, 262_144, 299_999])
    func `A download resumes at the byte where an earlier one was interrupted`(count: Int) async throws {
        try await withTemporaryDirectory { folder in
            try await leave(count, of: bytes, in: folder)
            #expect(folder.fileNames == [".map.zip.sallyport", ".map.zip.sallyport-journal"])
            let server = FileServer(bytes)
            try await goOn(with: server, in: folder, ranges: ["bytes=\(count)-"], fetched: Int64(300_000 - count))
        }
    }

    @Test func `A download starts over with the current response if the server sends the complete file`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let server = FileServer(pattern(250_000, seed: 9), tag: "\"b\"")
            try await goOn(with: server, in: folder, ranges: ["bytes=100000-"], fetched: 250_000)
        }
    }

    @Test func `Starting over is reported with the reason, and resuming is not`() async throws {
        let other = FileServer(pattern(250_000, seed: 9), tag: "\"b\"")
        let plain = FileServer(bytes)
        plain.state.withLock { $0.hasRanges = false }
        let reasons: [(FileServer, String?)] = [
            (FileServer(bytes), nil),
            (other, "the file on the server has changed"),
            (plain, "the server sent the complete file instead of the missing part"),
            (FileServer(bytes, Self.useless[1].1), "the server sent a range other than the requested one"),
        ]
        for (server, reason) in reasons {
            try await withTemporaryDirectory { folder in
                try await leave(100_000, of: bytes, in: folder)
                let transfer = server.client().0.download(to: folder)
                _ = try await transfer.value
                #expect(transfer.currentProgress.startedOver == reason)
            }
        }
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, tag: nil, cut(100_000))
            let transfer = server.client().0.download(to: folder, attempts: 2)
            _ = try await transfer.value
            #expect(transfer.currentProgress.startedOver?.contains("no validator that identifies this version") == true)
        }
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let transfer = FileServer(bytes).client().0.download(to: folder) { $0.resumes = false }
            _ = try await transfer.value
            #expect(transfer.currentProgress.startedOver == nil)
        }
    }

    @Test func `The reason for starting over is specific if the partial file cannot be used`() async throws {
        typealias Change = (inout DownloadJournal.Header) -> Void
        func journal(_ change: @escaping Change) -> (Data) -> Data {
            { text in
                guard var header = DownloadJournal(text)?.header else { return text }
                change(&header)
                return Data(DownloadJournal.line(header).utf8) + text.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            }
        }
        let cases: [((Data) -> Data, String)] = [
            (journal { $0.url = "another" }, "the partial file belongs to another URL"),
            (
                journal { $0.validators = DownloadValidators() },
                "the partial file has no validator that identifies its version"
            ), ({ $0.dropFirst() }, "the journal of the partial file is damaged"),
            ({ _ in Data() }, "the journal of the partial file is missing"),
        ]
        for (change, reason) in cases {
            try await withTemporaryDirectory { folder in
                try await leave(100_000, of: bytes, in: folder)
                let journal = folder.appendingPathComponent(".map.zip.sallyport-journal")
                try change(Data(contentsOf: journal)).write(to: journal)
                let transfer = FileServer(bytes).client().0.download(to: folder)
                #expect(try await transfer.value.fetchedBytes == 300_000)
                #expect(transfer.currentProgress.startedOver == reason)
            }
        }
    }

    @Test func `A download starts over if resuming is disabled`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            try await goOn(with: FileServer(bytes), in: folder, ranges: [nil], fetched: 300_000) { $0.resumes = false }
        }
    }

    @Test func `Without a validator, a download starts over unless a digest is expected`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, tag: nil, in: folder)
            #expect(folder.fileNames.isEmpty)
            let server = FileServer(bytes, tag: nil, cut(100_000))
            try await goOn(with: server, in: folder, ranges: [nil, nil], fetched: 400_000, attempts: 2)
        }
        try await withTemporaryDirectory { folder in
            let digest = ContentDigest.of(Data(bytes), .sha256)
            let server = FileServer(bytes, tag: nil, cut(100_000))
            try await goOn(
                with: server,
                in: folder,
                ranges: [nil, "bytes=100000-"],
                fetched: 300_000,
                attempts: 2
            ) { $0.digest = digest }
        }
    }

    static let useless: [(String, FileServer.Change)] = [
        ("another tag", { $0.headers[.eTag] = "\"b\"" }),
        ("another start", { $0.headers[.contentRange] = "bytes 99999-299998/300000" }),
        ("another total", { $0.headers[.contentRange] = "bytes 100000-299999/300001" }),
        ("no range", { $0.headers[.contentRange] = nil }),
        ("another unit", { $0.headers[.contentRange] = "pages 100000-299999/300000" }),
        ("several ranges", { $0.headers[.contentType] = "multipart/byteranges; boundary=b" }),
        ("a coding", { $0.headers[.contentEncoding] = "gzip" }),
        ("too short a body", { $0.body.removeLast() }),
        (
            "an unsatisfiable range",
            { response in
                response = MockResponse(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */99"])
            }
        ),
    ]

    @Test(arguments: useless.indices)
    func `An unusable range response is not written, and the complete file is requested`(index: Int) async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let server = FileServer(bytes, Self.useless[index].1)
            try await goOn(with: server, in: folder, ranges: ["bytes=100000-", nil], fetched: 300_000)
        }
    }

    @Test func `The remaining bytes are requested if the server sends less than the requested range`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let server = FileServer(
                bytes,
                { response in
                    response.headers[.contentRange] = "bytes 100000-199999/300000"
                    response.body = response.body.prefix(100_000)
                }
            )
            try await goOn(with: server, in: folder, ranges: ["bytes=100000-", "bytes=200000-"], fetched: 200_000)
        }
    }

    @Test(arguments: [
        (0, ["bytes=0-65535", "bytes=200000-"], 165_536), (70_000, ["bytes=65536-131071", "bytes=200000-"], 165_536),
        (199_999, ["bytes=196608-"], 103_392),
    ])
    func `A damaged block of the partial file is detected and fetched again`(
        position: Int,
        ranges: [String],
        fetched: Int64
    ) async throws {
        try await withTemporaryDirectory { folder in
            try await leave(200_000, of: bytes, in: folder)
            let handle = try FileHandle(forUpdating: partialFile(in: folder))
            try handle.seek(toOffset: UInt64(position))
            try handle.write(contentsOf: [bytes[position] ^ 1])
            try handle.close()
            try await goOn(with: FileServer(bytes), in: folder, ranges: ranges, fetched: fetched)
        }
    }

    @Test func `A truncated partial file is resumed, and one without its journal starts over`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(200_000, of: bytes, in: folder)
            try #require(truncate(partialFile(in: folder).path, 70_000) == 0)
            try await goOn(with: FileServer(bytes), in: folder, ranges: ["bytes=65536-"], fetched: 234_464)
        }
        try await withTemporaryDirectory { folder in
            try await leave(200_000, of: bytes, in: folder)
            try FileManager.default.removeItem(at: folder.appendingPathComponent(".map.zip.sallyport-journal"))
            try await goOn(with: FileServer(bytes), in: folder, ranges: [nil], fetched: 300_000)
        }
    }

    @Test func `The partial file of another URL is not resumed`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let (client, transport) = FileServer(bytes).client()
            let url = "https://files.example.com/map.zip?key=other"
            let file = try await client.download(to: .file(folder.appendingPathComponent("map.zip"))) { $0.url = url }
                .value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(transport.requests.map { $0.header("Range") } == [nil])
        }
    }

    @Test func `The journal does not reveal the URL`() async throws {
        try await withTemporaryDirectory { folder in
            try await leave(100_000, of: bytes, in: folder)
            let journal = try Data(contentsOf: folder.appendingPathComponent(".map.zip.sallyport-journal"))
            #expect(!String(decoding: journal, as: UTF8.self).contains("secret"))
        }
    }

    /// Creates a complete partial file, as a process does that is killed before it renames the file.
    private func leaveAll(in folder: URL) async throws {
        let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 300_000) }).client()
        let transfer = client.download(to: folder)
        for await progress in transfer.progress where progress.completedBytes == 300_000 { break }
        transfer.cancel()
        #expect(await failure(of: transfer)?.resumableBytes == 300_000)
    }

    @Test func `A complete partial file is verified by requesting its last byte and then renamed`() async throws {
        try await withTemporaryDirectory { folder in
            try await leaveAll(in: folder)
            try await goOn(with: FileServer(bytes), in: folder, ranges: ["bytes=299999-"], fetched: 0)
        }
    }

    @Test func `A complete partial file is not renamed if the server responds with an error`() async throws {
        try await withTemporaryDirectory { folder in
            try await leaveAll(in: folder)
            let (client, _) = FileServer(bytes, { $0 = .status(503) }).client()
            let error = try #require(await failure(of: client.download(to: folder)))
            #expect(error.resumableBytes == 300_000)
            let server = FileServer(pattern(300_000, seed: 9), tag: "\"b\"", { $0 = .status(503) })
            let ranges = ["bytes=299999-", "bytes=299999-"]
            try await goOn(with: server, in: folder, ranges: ranges, fetched: 300_000, attempts: 2)
        }
    }
}
