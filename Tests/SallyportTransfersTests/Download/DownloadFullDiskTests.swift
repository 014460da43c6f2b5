import ClientTestSupport
import SallyportTransfers
#if os(Linux)
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: SmallDisk.canBeMounted, "only root can mount a disk, in some containers not even root")
)
struct DownloadFullDiskTests {
    private let bytes = pattern(3_000_000)

    @Test func `A full disk is an error, the partial file is retained, and the download resumes when there is space`()
        async throws
    {
        try await withSmallDisk("1m") { folder, grow in
            let (client, transport) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            guard case .diskFull = error.reason else { throw error }
            #expect(error.resumableBytes >= 800_000)
            #expect(error.description.contains("free some space"))
            #expect(transport.requests.count == 1)
            try await grow("8m")
            let file = try await client.download(to: folder).value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(file.fetchedBytes == 3_000_000 - error.resumableBytes)
            #expect(folder.fileNames == ["map.zip"])
        }
    }

    @Test func `A download to a disk that is full from the start leaves no files`() async throws {
        try await withSmallDisk("64k") { folder, _ in
            let filler = folder.appendingPathComponent("filler")
            try? Data(count: 65_536).write(to: filler)
            let (client, _) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder)))
            guard case .diskFull = error.reason else { throw error }
            #expect(error.partialFile == nil)
            #expect(folder.fileNames == ["filler"])
        }
    }

    @Test func `A read-only disk is an error before a request is sent`() async throws {
        try await withSmallDisk("1m") { folder, remount in
            try await remount("1m,ro")
            let (client, transport) = FileServer(bytes).client()
            let error = try #require(await failure(of: client.download(to: folder)))
            guard case .file(_, let problem) = error.reason else { throw error }
            #expect(problem.hasPrefix("no file can be created in this folder: "))
            #expect(transport.requests.isEmpty)
        }
    }
}
#endif
