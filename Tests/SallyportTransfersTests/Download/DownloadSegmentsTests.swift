import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadSegmentsTests {
    /// A little more than 12 MiB, generated quickly.
    private static let bytes: [UInt8] = {
        let part = pattern(100_003)
        return (0..<126).flatMap { number in part.map { $0 &+ UInt8(number) } }
    }()

    private var bytes: [UInt8] { Self.bytes }

    @Test func `Several ranges are fetched in parallel, with little overlap`() async throws {
        try await withTemporaryDirectory { folder in
            let others = Watched(0)
            let (client, transport) = FileServer(bytes).client { $0.addWireInterceptor(LastOfFour(others: others)) }
            let file = try await client.download(to: folder) { $0.connections = 4 }.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(transport.requests.count > 3)
            #expect(transport.requests.dropFirst().allSatisfy { $0.header("If-Range") == "\"a\"" })
            #expect(file.fetchedBytes < Int64(bytes.count + 4 << 20))
            #expect(folder.fileNames == ["map.zip"])
        }
    }

    @Test func `Failed ranges are fetched again, and an interrupted parallel download resumes`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, cut(3_000_000), cut(500_000), cut(100_000), asItIs, cut(0), cut(1))
            let (client, _) = server.client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.connections = 4 }))
            #expect(error.resumableBytes >= 3_000_000)
            let file = try await client.download(to: folder, attempts: 3) { $0.connections = 4 }.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(folder.fileNames == ["map.zip"])
        }
    }

    @Test func `A single connection completes a parallel download`() async throws {
        try await withTemporaryDirectory { folder in
            let server = FileServer(bytes, cut(3_000_000), cut(500_000), cut(100_000), asItIs, cut(0), cut(1))
            let (client, transport) = server.client()
            let error = try #require(await failure(of: client.download(to: folder) { $0.connections = 4 }))
            server.state.withLock { $0.changes = [] }
            let before = transport.requests.count
            let file = try await client.download(to: folder).value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(file.fetchedBytes == Int64(bytes.count) - error.resumableBytes)
            #expect(transport.requests.count > before)
        }
    }

    @Test func `One connection is used if ranges fail, the file has changed or there is no validator`()
        async throws
    {
        let bytes = Data(bytes)
        let whole: FileServer.Change = { response in
            response.status = .ok
            response.headers[.contentRange] = nil
            response.body = bytes
        }
        let refusals: [FileServer.Change] = [
            { $0 = .status(503) }, { $0.headers[.eTag] = "\"b\"" }, whole, { $0.status = .notFound },
        ]
        for refusal in refusals {
            try await withTemporaryDirectory { folder in
                let server = FileServer(self.bytes)
                server.state.withLock { $0.refusal = refusal }
                let (client, _) = server.client()
                let file = try await client.download(to: folder) { $0.connections = 4 }.value
                try expectSame(Data(contentsOf: file.url), bytes)
            }
        }
        try await withTemporaryDirectory { folder in
            let (client, transport) = FileServer(self.bytes, tag: nil).client()
            _ = try await client.download(to: folder) { $0.connections = 4 }.value
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `Pausing and resuming repeatedly loses no bytes`() async throws {
        try await withTemporaryDirectory { folder in
            let (client, _) = FileServer(bytes).client()
            let transfer = client.download(to: folder) { $0.connections = 4 }
            for _ in 0..<20 {
                await Task.yield()
                transfer.pause()
                await Task.yield()
                transfer.resume()
            }
            let file = try await transfer.value
            try expectSame(Data(contentsOf: file.url), Data(bytes))
            #expect(folder.fileNames == ["map.zip"])
        }
    }
}

/// Delays the first response until there are three more.
private struct LastOfFour: Interceptor {
    let others: Watched<Int>

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        if request.getHeader(name: "Range") == nil {
            response.bodyStream = ResponseBody(
                length: response.bodyStream.length,
                source: HeldBody(body: response.bodyStream, others: others)
            )
        } else {
            others.update { $0 += 1 }
            // All of them have to be sent before one of them ends.
            try await others.wait("three requests for ranges") { $0 >= 3 }
        }
        return response
    }
}

private struct HeldBody: ResponseBodySource {
    let body: ResponseBody
    let others: Watched<Int>

    func read() async throws(NetworkError) -> Data? {
        do {
            try await others.wait("three more") { $0 >= 3 }
            var chunks = body.makeAsyncIterator()
            return try await chunks.next()
        } catch {
            throw error as? NetworkError ?? .cancelled("in vain")
        }
    }

    var trailers: HTTPFields { body.trailers }

    func cancel() { body.cancel() }
}
