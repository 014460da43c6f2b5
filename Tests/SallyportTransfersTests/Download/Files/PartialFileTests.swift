import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Partial files and journals that somebody else has changed.
@Suite(.concurrencyLimited) struct PartialFileTests {
    private func journal(in folder: URL) -> URL { folder.appendingPathComponent(".map.zip.sallyport-journal") }

    @Test func `A partial file or journal with a hard link is replaced, and the linked file is unchanged`() async throws
    {
        let bytes = pattern(300_000)
        for name in [".map.zip.sallyport", ".map.zip.sallyport-journal"] {
            try await withTemporaryDirectory { folder in
                let other = folder.appendingPathComponent("other")
                try Data("precious".utf8).write(to: other)
                try FileManager.default.linkItem(at: other, to: folder.appendingPathComponent(name))
                let (client, _) = FileServer(bytes).client()
                let file = try await client.download(to: folder).value
                try expectSame(Data(contentsOf: file.url), Data(bytes))
                try expectSame(Data(contentsOf: other), Data("precious".utf8))
                #expect(folder.fileNames == ["map.zip", "other"])
            }
        }
    }

    private static let isRoot = geteuid() == 0

    /// Downloads to a folder in which a closure has changed the files of an interrupted download.
    ///
    /// - Returns: The reason why the download started over.
    private func finish(after change: (URL) throws -> Void) async throws -> String? {
        let bytes = pattern(300_000)
        return try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            _ = await failure(of: client.download(to: folder))
            try change(folder)
            let (later, _) = FileServer(bytes).client()
            let transfer = later.download(to: folder)
            let file = try await transfer.value
            #expect(file.fetchedBytes == (transfer.currentProgress.startedOver == nil ? 200_000 : 300_000))
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(FileState(file.url)?.isGuarded == true)
            #expect(folder.fileNames == ["map.zip"])
            return transfer.currentProgress.startedOver
        }
    }

    @Test(.enabled(if: isRoot, "only root can give a file to another user"), arguments: [true, false])
    func `A partial file or journal of another user is removed, and the download starts over`(isJournal: Bool)
        async throws
    {
        let reason = try await finish { folder in
            let url = isJournal ? journal(in: folder) : partialFile(in: folder)
            try #require(chown(url.path, 12_345, 12_345) == 0)
        }
        #expect(reason == "the stored progress belongs to another user")
    }

    @Test(arguments: [(true, 0o620), (true, 0o602), (false, 0o664), (false, 0o646)])
    func `A partial file or journal that others can write to is removed, and the download starts over`(
        isJournal: Bool,
        mode: Int
    ) async throws {
        let reason = try await finish { folder in
            let url = isJournal ? journal(in: folder) : partialFile(in: folder)
            try #require(chmod(url.path, mode_t(mode)) == 0)
        }
        #expect(reason == "other users can change the stored progress")
    }

    @Test func `A partial file that only its owner can write to is used`() async throws {
        #expect(try await finish { _ in } == nil)
        #expect(try await finish { try #require(chmod(partialFile(in: $0).path, 0o600) == 0) } == nil)
    }

    @Test(.enabled(if: isRoot, "only root can give a file to another user"))
    func `A file of another user is removed even if that user has locked it`() async throws {
        try await withTemporaryDirectory { folder in
            let planted = partialFile(in: folder)
            let descriptor = open(planted.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            defer { close(descriptor) }
            try #require(fchown(descriptor, 12_345, 12_345) == 0)
            try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            let (client, _) = FileServer(pattern(300_000)).client()
            let file = try await client.download(to: folder).value
            #expect(FileState(file.url)?.isOwn == true)
            #expect(lseek(descriptor, 0, SEEK_END) == 0)
        }
    }

    #if os(Linux)
    @Test func `A finished download is not in use even if a starting process has inherited its descriptor`()
        async throws
    {
        let bytes = pattern(300_000)
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 1000) }).client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 1000 { break }
            try await whileProcessStarts {
                transfer.cancel()
                #expect(await failure(of: transfer)?.isCancellation == true)
                let file = try await client.download(to: folder).value
                #expect(file.fetchedBytes == 299_000)
                try expectSame(Data(contentsOf: file.url), Data(bytes))
            }
        }
    }
    #endif

    @Test func `A file that replaced the partial file during a pause is not renamed to the destination`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(pattern(300_000), { $0.fault = .stallBody(after: 1000) }).client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 1000 { break }
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            try FileManager.default.removeItem(at: partialFile(in: folder))
            try FileManager.default.removeItem(at: journal(in: folder))
            try Data("another's".utf8).write(to: partialFile(in: folder))
            try Data("another's".utf8).write(to: journal(in: folder))
            transfer.resume()
            let error = try #require(await failure(of: transfer))
            guard case .file(_, let problem) = error.reason else { throw error }
            #expect(problem.contains("replaced by another file"))
            #expect(error.partialFile == nil)
            #expect(folder.fileNames == [".map.zip.sallyport", ".map.zip.sallyport-journal"])
            for url in [partialFile(in: folder), journal(in: folder)] {
                try expectSame(Data(contentsOf: url), Data("another's".utf8))
            }
        }
    }

    @Test(arguments: [1, 4])
    func `A journal that records more bytes of a block than the file has is ignored`(connections: Int)
        async throws
    {
        let bytes = pattern((8 << 20) + 100)
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            _ = await failure(of: client.download(to: folder))
            let handle = try FileHandle(forUpdating: partialFile(in: folder))
            try handle.seek(toOffset: 8 << 20)
            try handle.write(contentsOf: pattern(1000))
            try handle.close()
            let text = try Data(contentsOf: journal(in: folder))
            let header = try #require(DownloadJournal(text)?.header)
            let last = Int((8 << 20) / header.blockSize)
            let lines = [last, last + 1].map { block in
                DownloadJournal.line(.beginning(block, count: 1000, sum: BlockSum.of(pattern(1000))))
            }
            try (text + Data(lines.joined().utf8)).write(to: journal(in: folder))
            let (later, _) = FileServer(bytes).client()
            let file = try await later.download(to: folder) { $0.connections = connections }.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
        }
    }

    @Test func `Loading a partial file ends when the task is cancelled`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(pattern(300_000), cut(200_000)).client()
            _ = await failure(of: client.download(to: folder))
            let paths = DownloadPaths(.file(folder.appendingPathComponent("map.zip")), key: "")
            let partial = try #require(try PartialFile.open(paths, creating: false))
            let error = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(TransferError) {
                    _ = try await partial.load { _ in nil }
                    return TransferError?.none
                } catch {
                    return error
                }
            }.value
            #expect(error?.isCancellation == true)
        }
    }
}
