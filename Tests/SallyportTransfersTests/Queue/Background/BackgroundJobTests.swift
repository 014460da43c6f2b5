import ClientTestSupport
import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct BackgroundJobTests {
    private func job(_ transfer: QueuedTransfer, in folder: URL) -> BackgroundJob {
        BackgroundJob(TransferJob(QueueEntry(transfer, enqueued: Date()), in: QueueFolder(url: folder)))
    }

    private func outcome(of job: BackgroundJob) throws -> (status: Int, body: Data)? {
        guard case .uploaded(let status, let body) = try job.outcome() else { return nil }
        return (status, body)
    }

    @Test func `A file fetched by the system is found by a later process`() async throws {
        try await withQueueFolder { folder, files in
            let fetched = files.appendingPathComponent("CFNetworkDownload.tmp")
            let target = files.appendingPathComponent("map.zip")
            for destination in [DownloadDestination.file(target), .folder(files)] {
                let job = job(.download("https://example.com/", to: destination), in: folder)
                #expect(try job.outcome() == nil)
                try Data("map".utf8).write(to: fetched)
                let later = try #require(BackgroundJob(job.text))
                #expect(later == job)
                try later.accept(fetched, suggestion: "../../.maps/a:b.zip")
                guard case .fetched(let file) = try job.outcome() else {
                    Issue.record("it is not found")
                    return
                }
                try expectSame(Data(contentsOf: file), Data("map".utf8))
                #expect(file.deletingLastPathComponent().path == job.staging?.path)
                #expect(file.lastPathComponent == (destination == .folder(files) ? "a_b.zip" : "file"))
            }
        }
    }

    @Test func `The response to an upload is found repeatedly, and a failure is reported once`() async throws {
        try await withQueueFolder { folder, files in
            _ = try TransferQueue(folder: folder, runner: TestRunner())
            let job = job(try .test("one", in: files), in: folder)
            #expect(try job.outcome() == nil)
            try job.store(BackgroundJob.StoredOutcome(status: 201, body: Data("ok".utf8)))
            for _ in 1...2 {
                let answer = try outcome(of: job)
                #expect(answer?.status == 201)
                #expect(answer?.body == Data("ok".utf8))
            }
            for (failure, kind) in [
                (BackgroundJob.StoredOutcome(status: 503, body: Data()), "status"),
                (.init(status: 0, body: Data(), problem: "lost"), "network"),
            ] {
                try job.store(failure)
                expectError(\TransferError.kind, kind) { try job.outcome() }
                #expect(try job.outcome() == nil)
            }
        }
    }

    @Test func `A fetched file that is too large or has another digest is refused`() async throws {
        try await withQueueFolder { folder, files in
            let fetched = files.appendingPathComponent("CFNetworkDownload.tmp")
            var download = QueuedDownload("https://a/", to: .file(files.appendingPathComponent("map.zip")))
            download.digest = ContentDigest.of(Data("map".utf8), .sha256)
            download.maximumSize = 3
            let checked = job(QueuedTransfer(.download(download)), in: folder)
            for text in ["maps", "mop"] {
                try Data(text.utf8).write(to: fetched)
                expectError(\TransferError.kind, "mismatch") { try checked.accept(fetched, suggestion: nil) }
                #expect(try checked.outcome() == nil)
            }
            try Data("map".utf8).write(to: fetched)
            try #require(BackgroundJob(checked.text)).accept(fetched, suggestion: nil)
            #expect(try checked.outcome() != nil)
        }
    }

    @Test func `A task that does not belong to the queue is ignored`() {
        #expect(BackgroundJob(nil) == nil)
        #expect(BackgroundJob("") == nil)
        #expect(BackgroundJob("{\"key\":1}") == nil)
    }

    @Test func `The runner is told to stop a cancelled transfer, and at the start which transfers remain`()
        async throws
    {
        try await withQueueFolder { folder, files in
            let runner = LongRunner()
            let queue = try TransferQueue(folder: folder, runner: runner)
            for name in ["one", "two", "three"] { try await queue.enqueue(.test(name, in: files)) }
            try await queue.pause("two")
            try await running(queue) {
                try await runner.begun.wait("two to begin") { $0.count == 2 }
                try await queue.cancel("one")
                try await runner.stopped.wait("one to stop") { $0 == ["one"] }
            }
            // The end of the run stops nothing: the system continues the transfers.
            #expect(runner.stopped.value == ["one"])
            #expect(runner.kept.value == [2])
        }
    }
}

/// A runner whose transfers continue without it.
private final class LongRunner: TransferRunner {
    let begun = Watched<[String]>([])
    let stopped = Watched<[String]>([])
    let kept = Watched<[Int]>([])

    func attempt(
        _ job: TransferJob,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(TransferError) -> TransferOutcome {
        begun.update { $0.append(job.transfer.identifier) }
        return try await untilCancelled(job)
    }

    func stop(_ job: TransferJob) async { stopped.update { $0.append(job.transfer.identifier) } }

    func stopAll(except keys: Set<String>) async { kept.update { $0.append(keys.count) } }
}
