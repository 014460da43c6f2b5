import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// The progress of transfers that are not running.
@Suite(.concurrencyLimited) struct ResumableProgressCacheTests {
    private let bytes = pattern(300_000)

    @Test(arguments: [true, false])
    func `The retained bytes of a waiting or paused download are reported by any process`(isFile: Bool) async throws {
        try await withQueueFolder { folder, files in
            let (client, _) = FileServer(bytes, cut(100_000)).client()
            var options = TransferQueueOptions()
            options.retry = .constant(attempts: 2, delay: .seconds(3_600))
            options.transferRetry = .never
            let queue = try TransferQueue(folder: folder, client: client, options: options)
            let destination =
                isFile ? DownloadDestination.file(files.appendingPathComponent("map.zip")) : .folder(files)
            try await queue.enqueue(
                .download("https://files.example.com/map.zip", to: destination, identifier: "map")
            )
            try await running(queue) {
                for try await report in queue.updates where report.failedAttempts == 1 { break }
            }
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            let waiting = try #require(await other.transfers().first)
            #expect(waiting.state == .waiting)
            #expect(waiting.progress.completedBytes == 100_000)
            #expect(waiting.progress.totalBytes == 300_000)
            try await other.pause("map")
            let paused = try #require(await other.transfers().first)
            #expect(paused.state == .paused)
            #expect(paused.progress.completedBytes == 100_000)
            try await other.cancel("map")
            #expect(try await other.transfers().first?.progress.completedBytes == 0)
        }
    }

    @Test func `A changed journal is read again, and an invalid one reports no progress`() async throws {
        try await withQueueFolder { url, files in
            let folder = QueueFolder(url: url)
            try folder.create()
            let entry = QueueEntry(try .test("one", in: files), enqueued: Date())
            let journal = folder.uploads.appendingPathComponent(entry.key)
            var cache = ResumableProgressCache()
            #expect(cache.progress(of: [entry], in: folder).isEmpty)
            var left = UploadJournal.Entry(upload: "u")
            left.resource = "https://example.com/uploads/1"
            for sent: Int64 in [100, 2_000] {
                (left.sent, left.length) = (sent, 3_000)
                try PrivateFile.replace(
                    journal,
                    with: JSONEncoder().encode(left),
                    by: folder.url.appendingPathComponent("n")
                )
                let progress = cache.progress(of: [entry], in: folder)
                #expect(progress == [entry.key: QueueProgress(completed: sent, total: 3_000)])
            }
            left.resource = nil
            for data in [try JSONEncoder().encode(left), Data("{".utf8)] {
                try PrivateFile.replace(journal, with: data, by: folder.url.appendingPathComponent("n"))
                #expect(cache.progress(of: [entry], in: folder).isEmpty)
            }
        }
    }
}
