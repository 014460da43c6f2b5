import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadDigestTests {
    private let bytes = pattern(300_000)
    private var digest: ContentDigest { ContentDigest.of(Data(bytes), .sha256) }
    private var wrong: ContentDigest { ContentDigest.of(Data("wrong".utf8), .sha512) }

    private func change(_ name: String, _ digest: ContentDigest) throws -> FileServer.Change {
        let name = try #require(HTTPField.Name(name))
        return { $0.headers[name] = digest.description }
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"])
    func `A digest sent by the server is verified`(name: String) async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, try change(name, digest)).client()
            #expect(try await client.download(to: folder).value.digest == digest)
        }
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, try change(name, wrong)).client()
            try await expectMismatch(client.download(to: folder), in: folder)
        }
    }

    @Test func `The caller's digest is verified, also for a download in two parts`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            let file = try await client.download(to: folder, attempts: 2) { $0.digest = digest }.value
            #expect(file.digest == digest)
        }
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            try await expectMismatch(client.download(to: folder, attempts: 2) { $0.digest = wrong }, in: folder)
        }
    }

    @Test func `The digest of the first response applies to the resumed download`() async throws {
        try await withTemporaryDirectory { folder in
            let told = try change("Repr-Digest", wrong)
            let (client, _) = FileServer(
                bytes,
                { response in
                    told(&response)
                    response.fault = .cut(after: 100_000)
                }
            ).client()
            #expect(await failure(of: client.download(to: folder))?.resumableBytes == 100_000)
            try await expectMismatch(client.download(to: folder), in: folder)
        }
    }

    @Test func `The Content-Digest of a part is not compared with the complete file`() async throws {
        try await withTemporaryDirectory { folder in
            let part = ContentDigest.of(Data(bytes[100_000...]), .sha256)
            let (client, _) = FileServer(bytes, cut(100_000), try change("Content-Digest", part)).client()
            #expect(try await client.download(to: folder, attempts: 2).value.digest == nil)
        }
    }

    @Test func `The Content-Digest in a trailer of the first part is not compared with the complete file`() async throws
    {
        try await withTemporaryDirectory { folder in
            let bytes = pattern(300_000)
            let (first, _) = FileServer(bytes, cut(200_000)).client()
            _ = try #require(await failure(of: first.download(to: folder)))
            // Only the first block is damaged, so the first part up to the next blocks is requested.
            let partial = folder.appendingPathComponent(".map.zip.sallyport")
            let file = try FileHandle(forWritingTo: partial)
            try file.write(contentsOf: [bytes[0] ^ 1])
            try file.close()
            let name = try #require(HTTPField.Name("Content-Digest"))
            let part = ContentDigest.of(Data(bytes[..<65_536]), .sha256)
            let (client, transport) = FileServer(bytes) { $0.trailers[name] = "\(part)" }.client()
            let done = try await client.download(to: folder).value
            try expectSame(Data(contentsOf: done.url), Data(bytes))
            #expect(transport.requests.first?.header("Range") == "bytes=0-65535")
        }
    }

    @Test func `A digest in a trailer is verified`() async throws {
        for (digest, isRight) in [(ContentDigest.of(Data("abcde".utf8), .sha256), true), (wrong, false)] {
            try await withTemporaryDirectory { folder in
                let script: Script = [
                    .receiveRequest, .head("200 OK", "Transfer-Encoding: chunked", "Trailer: Repr-Digest"),
                    .send("5\r\nabcde\r\n0\r\nRepr-Digest: \(digest)\r\n\r\n"),
                ]
                try await withScriptedServer([script]) { server in
                    let transfer = download(from: server, to: folder)
                    if isRight {
                        #expect(try await transfer.value.digest == digest)
                    } else {
                        try await expectMismatch(transfer, in: folder)
                    }
                }
            }
        }
    }

    @Test func `A decoded body is complete, and the digest of its encoded form is not compared`() async throws {
        try await withTemporaryDirectory { folder in
            // gzip of "hello", created by gzip -n.
            let gzip: [UInt8] = [
                0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0,
                0,
            ]
            let digest = ContentDigest.of(Data(gzip), .sha256)
            let script: Script = [
                .receiveRequest,
                .head(
                    "200 OK",
                    "Content-Length: \(gzip.count)",
                    "Content-Encoding: gzip",
                    "Repr-Digest: \(digest)",
                    taggedA
                ),
                .sendBytes(gzip),
            ]
            try await withScriptedServer([script]) { server in
                let file = try await download(from: server, to: folder).value
                try expectSame(Data(contentsOf: file.url), Data("hello".utf8))
                #expect(file.length == 5)
                #expect(file.digest == nil)
            }
        }
    }

    private func expectMismatch(_ transfer: Transfer<DownloadedFile>, in folder: URL) async throws {
        let error = try #require(await failure(of: transfer))
        guard case .mismatch(let text) = error.reason else { throw error }
        #expect(text.contains(wrong.description))
        #expect(text.contains("removed"))
        #expect(error.partialFile == nil)
        #expect(folder.fileNames.isEmpty)
    }
}
