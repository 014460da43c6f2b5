import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

/// Downloads that are interrupted by the network, the server or their owner.
@Suite(.concurrencyLimited) struct DownloadRetryTests {
    private let bytes = pattern(300_000)

    @Test func `A download is retried automatically, and received bytes reset the number of attempts`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, cut(100_000), cut(0), cut(100_000), cut(0), asItIs)
            let (client, transport) = server.client()
            let file = try await client.download(to: folder, attempts: 3).value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(
                transport.requests.map { $0.header("Range") }
                    == [nil, "bytes=100000-", "bytes=100000-", "bytes=200000-", "bytes=200000-"]
            )
        }
    }

    @Test func `A download fails after the maximum attempts without progress and reports the retained bytes`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let (client, transport) = FileServer(bytes, cut(100_000), cut(0), cut(0), asItIs).client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            #expect(transport.requests.count == 3)
            #expect(error.resumableBytes == 100_000)
            #expect(error.description.contains("97.7 KiB are kept"))
        }
    }

    @Test func `A server that ignores ranges receives no more than the maximum attempts`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, cut(100_000), cut(100_000), cut(100_000), cut(100_000), cut(100_000))
            server.state.withLock { $0.hasRanges = false }
            let (client, transport) = server.client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            #expect(transport.requests.count == 3)
            #expect(error.resumableBytes == 100_000)
        }
    }

    @Test func `A download is retried after the delay in Retry-After`() async throws {
        try await withTemporaryDirectory { folder in
            let waits = Watched<[Duration]>([])
            let server = FileServer(bytes, { $0 = MockResponse.status(503).header(.retryAfter, "7") }, cut(5))
            let (client, transport) = server.client { config in
                config.retryTime.sleep = { delay in waits.update { $0.append(delay) } }
            }
            _ = try await client.download(to: folder, attempts: 3).value
            #expect(transport.requests.count == 3)
            #expect(waits.value == [.seconds(7), .zero])
        }
    }

    @Test(arguments: [202, 204])
    func `A success status without a file is an error and is not retried`(status: Int) async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, { $0 = MockResponse.status(status) })
            let (client, transport) = server.client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            guard case .mismatch(let problem) = error.reason else { throw error }
            #expect(
                problem.hasSuffix("the server answered \(HttpStatus(code: status).summary), and sent no file")
            )
            #expect(transport.requests.count == 1)
            #expect(folder.fileNames.isEmpty)
        }
    }

    @Test func `An error status is reported with the beginning of its body and leaves no file`() async throws {
        try await withTemporaryDirectory { folder in
            let body = Data(repeating: 0x61, count: 100_000)
            let (client, _) = FileServer(bytes, { $0 = MockResponse(status: .notFound, body: body) }).client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            guard case .status(let response) = error.reason else { throw error }
            #expect(response.status == .notFound)
            #expect(response.body?.count == 65_536)
            #expect(error.partialFile == nil)
            #expect(folder.fileNames.isEmpty)
        }
    }

    @Test func `A paused download retains its bytes and resumes from them`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, { $0.fault = .stallBody(after: 100_000) })
            let (client, transport) = server.client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 100_000 { break }
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            #expect(transfer.currentProgress.completedBytes == 100_000)
            transfer.resume()
            let file = try await transfer.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(transport.requests.map { $0.header("Range") } == [nil, "bytes=100000-"])
            #expect(transfer.currentProgress.fraction == 1)
            #expect(transfer.foundationProgress.isFinished)
        }
    }

    @Test func `A cancelled download retains its bytes`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 100_000) }).client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 100_000 { break }
            transfer.cancel()
            let error = try #require(await failure(of: transfer))
            #expect(error.isCancellation)
            #expect(error.resumableBytes == 100_000)
            let file = try await client.download(to: folder).value
            #expect(file.fetchedBytes == 200_000)
        }
    }

    @Test func `A download that is cancelled while paused retains its bytes`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes, { $0.fault = .stallBody(after: 100_000) }).client()
            let transfer = client.download(to: folder)
            for await progress in transfer.progress where progress.completedBytes == 100_000 { break }
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            transfer.cancel()
            let error = try #require(await failure(of: transfer))
            #expect(error.isCancellation)
            #expect(error.resumableBytes == 100_000)
        }
    }

    @Test func `Only errors covered by the retry policy are retried`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, transport) = FileServer(bytes, { $0.fault = .fail(.tlsFailed("no")) }).client()
            let error = try #require(await failure(of: client.download(to: folder, attempts: 3)))
            guard case .network(.tlsFailed) = error.reason else { throw error }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `A download does not wait indefinitely for the body of an error response`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, { $0 = MockResponse.text("no", status: 404).with(.stallBody(after: 1)) })
            let (client, _) = server.client { config in config.retryTime.sleep = { _ in } }
            try await withDeadline(.patience, "the refusal") {
                let error = try #require(await failure(of: client.download(to: folder)))
                guard case .status(let response) = error.reason else { throw error }
                #expect(response.status == .notFound)
            }
        }
    }
}
