import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadTests {
    private let bytes = pattern(200_000)

    @Test func `A complete file is installed without other files`() async throws {
        try await withTemporaryDirectory { folder in
            let script: Script = [
                .receiveRequest, .head("200 OK", "Content-Length: 200000", taggedA), .sendBytes(bytes),
            ]
            try await withScriptedServer([script]) { [bytes] server in
                let file = try await download(from: server, to: folder).value
                try expectSame(Data(contentsOf: file.url), Data(bytes))
                #expect(file.length == 200_000)
                #expect(file.fetchedBytes == 200_000)
                #expect(folder.fileNames == ["map.zip"])
                #expect(server.requests.first?["Accept-Encoding"] == ["identity"])
            }
        }
    }

    @Test func `A download resumes where an earlier one was interrupted`() async throws {
        try await withTemporaryDirectory { folder in
            let first: Script = [
                .receiveRequest, .head("200 OK", "Content-Length: 200000", taggedA),
                .sendBytes(Array(bytes[..<100_000])), .close,
            ]
            let second: Script = [
                .receiveRequest,
                .head(
                    "206 Partial Content",
                    "Content-Length: 100000",
                    "Content-Range: bytes 100000-199999/200000",
                    taggedA
                ),
                .sendBytes(Array(bytes[100_000...])),
            ]
            try await withScriptedServer([first, second]) { [bytes] server in
                let error = try #require(await failure(of: download(from: server, to: folder)))
                #expect(error.resumableBytes == 100_000)
                #expect(error.partialFile == partialFile(in: folder))
                let file = try await download(from: server, to: folder).value
                try expectSame(Data(contentsOf: file.url), Data(bytes))
                #expect(file.fetchedBytes == 100_000)
                #expect(folder.fileNames == ["map.zip"])
                #expect(server.requests.last?["Range"] == ["bytes=100000-"])
                #expect(server.requests.last?["If-Range"] == ["\"a\""])
            }
        }
    }
}
