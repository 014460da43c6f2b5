import ClientTestSupport
import Foundation
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// A queue whose downloads fail.
@Suite(.concurrencyLimited) struct QueuedDownloadTests {
    private let bytes = pattern(300_000)
    private let wrong = ContentDigest.of(Data("wrong".utf8), .sha256)

    /// Enqueues a download of `map.zip` and waits until it has ended; retries do not wait.
    ///
    /// - Returns: The final report, and the number of requests.
    private func download(
        from server: FileServer,
        to files: URL,
        in folder: URL,
        _ changeOptions: (inout TransferQueueOptions) -> Void = { _ in },
        _ change: (inout QueuedDownload) -> Void = { _ in }
    ) async throws -> (report: TransferReport, requests: Int) {
        let (client, transport) = server.client()
        var options = TransferQueueOptions()
        options.retry = .constant(attempts: 4, delay: .zero)
        options.transferRetry = .never
        changeOptions(&options)
        let queue = try TransferQueue(folder: folder, client: client, options: options)
        var download = QueuedDownload(
            "https://files.example.com/map.zip",
            to: .file(files.appendingPathComponent("map.zip"))
        )
        change(&download)
        try await queue.enqueue(QueuedTransfer(.download(download), identifier: "map"))
        try await queue.runUntilEmpty()
        return (try await queue.result(of: "map"), transport.requests.count)
    }

    @Test func `A download into a folder fails before its body is received if a file has its name`() async throws {
        try await withQueueFolder { folder, files in
            let existing = files.appendingPathComponent("map.zip")
            try Data("before".utf8).write(to: existing)
            try await withDeadline(.patience, "the failure") {
                let server = FileServer(bytes, { $0.fault = .stallBody(after: 1_000) })
                let (report, requests) = try await download(from: server, to: files, in: folder) { _ in
                } _: {
                    $0.destination = .folder(files)
                }
                #expect(report.state == .failed)
                #expect(report.error?.contains("\(existing.path) exists already") == true)
                #expect(requests == 1)
            }
            #expect(files.fileNames == ["map.zip"])
        }
    }

    @Test func `A complete file with a wrong digest is fetched once more and then fails`() async throws {
        try await withQueueFolder { folder, files in
            let (report, requests) = try await download(from: FileServer(bytes), to: files, in: folder) { _ in
            } _: {
                $0.digest = wrong
            }
            #expect(report.state == .failed)
            #expect(report.error?.contains("\(wrong)") == true)
            #expect(report.failedAttempts == 2)
            #expect(requests == 2)
        }
    }

    @Test func `A file that was damaged in transit is fetched again`() async throws {
        try await withQueueFolder { folder, files in
            let server = FileServer(bytes, { $0.body[1_000] ^= 1 })
            let (report, requests) = try await download(from: server, to: files, in: folder) { _ in
            } _: {
                $0.digest = ContentDigest.of(Data(bytes), .sha256)
            }
            #expect(report.state == .finished)
            #expect(requests == 2)
        }
    }

    @Test func `A manual retry allows another attempt after a wrong digest`() throws {
        let download = QueuedTransfer.download("https://example.com/", to: .folder(URL(fileURLWithPath: "/tmp")))
        var entry = QueueEntry(download, enqueued: Date())
        var error = TransferError(.mismatch("wrong"))
        error.isWrongDigest = true
        let retry = RetryPolicy.constant(attempts: 9, delay: .zero)
        entry.recordFailure(error, after: QueueProgress(), retry, at: Date())
        #expect(entry.end == nil)
        entry.recordFailure(TransferError(.network(.connectionLost("lost"))), after: QueueProgress(), retry, at: Date())
        #expect(entry.end == nil)
        entry.recordFailure(error, after: QueueProgress(), retry, at: Date())
        #expect(entry.end?.kind == .failed)
        entry = entry.nextRound
        entry.recordFailure(error, after: QueueProgress(), retry, at: Date())
        #expect(entry.end == nil)
    }

    @Test func `A failed download without received bytes leaves no files at its destination`() async throws {
        try await withQueueFolder { folder, files in
            let server = FileServer(bytes, { $0 = MockResponse(status: .notFound) })
            let (report, _) = try await download(from: server, to: files, in: folder)
            #expect(report.state == .failed)
            #expect(files.fileNames.isEmpty)
        }
    }

    @Test func `A failed download retains its received bytes`() async throws {
        try await withQueueFolder { folder, files in
            let server = FileServer(bytes, cut(100_000))
            let (report, _) = try await download(from: server, to: files, in: folder) { $0.retry = .never }
            #expect(report.state == .failed)
            #expect(try names(below: files).contains { $0.hasSuffix("/.file.sallyport") })
        }
    }

    @Test func `Cancelling the run when the last download has ended leaves only its file`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, client: FileServer(bytes).client().0)
            let file = files.appendingPathComponent("map.zip")
            try await queue.enqueue(.download("https://files.example.com/map.zip", to: .file(file), identifier: "map"))
            try await running(queue) { _ = try await queue.result(of: "map") }
            #expect(files.fileNames == ["map.zip"])
        }
    }

    @Test func `The error for an existing file states how to continue in a queue`() async throws {
        try await withQueueFolder { folder, files in
            let file = files.appendingPathComponent("map.zip")
            try Data("before".utf8).write(to: file)
            let (report, requests) = try await download(from: FileServer(bytes), to: files, in: folder)
            #expect(report.state == .failed)
            #expect(report.error?.hasPrefix("\(file.path) exists already, and was kept; move it") == true)
            #expect(report.error?.contains("remove the transfer and add it again") == true)
            #expect(requests == 0)
            #expect(files.fileNames == ["map.zip"])
        }
    }

    @Test func `The attempts within a transfer multiply the attempts of the queue`()
        async throws
    {
        for (own, total) in [(1, 4), (2, 8)] {
            try await withQueueFolder { folder, files in
                let isBusy: FileServer.Change = { $0 = MockResponse(status: .serviceUnavailable) }
                let server = FileServer(bytes)
                server.state.withLock { $0.changes = Array(repeating: isBusy, count: 100) }
                let (report, requests) = try await download(from: server, to: files, in: folder) {
                    $0.transferRetry = .constant(attempts: own, delay: .zero)
                }
                #expect(report.failedAttempts == 4)
                #expect(requests == total)
            }
        }
    }
}
