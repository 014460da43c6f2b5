import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RateLimitTests {
    private let time = ManualTime()

    private func limit(_ bytesPerSecond: Int64) throws -> RateLimit {
        try RateLimit(bytesPerSecond: bytesPerSecond, time: time.retryTime)
    }

    /// The time that has passed, in seconds.
    private var seconds: Double { time.retryTime.now() / .seconds(1) }

    private func isAbout(_ expected: Double) -> Bool { abs(seconds - expected) < 0.001 }

    @Test func `Bytes are passed on evenly, in pieces of a tenth of a second`() async throws {
        let limit = try limit(1_000)
        let pieces = Locked<[Int]>([])
        try await limit.forEachPiece(of: Data(count: 250)) { piece in pieces.withLock { $0.append(piece.count) } }
        #expect(pieces.withLock { $0 } == [100, 100, 50])
        #expect(time.sleeps.count == 3)
        #expect(isAbout(0.25))
    }

    @Test func `A rate of one byte per second transfers a byte per second`() async throws {
        let limit = try limit(1)
        try await limit.forEachPiece(of: Data(count: 5)) { #expect($0.count == 1) }
        #expect(isAbout(5))
    }

    @Test func `Transfers share a limit`() async throws {
        let limit = try limit(1_000)
        for _ in 0..<4 { try await limit.forEachPiece(of: Data(count: 500)) { _ in } }
        #expect(isAbout(2))
    }

    @Test func `Time without a transfer allows no more than a tenth of a second's bytes at once`() async throws {
        let limit = try limit(1_000)
        try await time.retryTime.sleep(.seconds(60))
        try await limit.forEachPiece(of: Data(count: 1_000)) { _ in }
        #expect(isAbout(60.9))
    }

    @Test(arguments: [0, -1] as [Int64])
    func `A rate that allows no transfer is refused`(rate: Int64) throws {
        let error = #expect(throws: NetworkError.self) { try RateLimit(bytesPerSecond: rate) }
        guard case .invalidRequest(let failure)? = error else { throw try #require(error) }
        #expect(failure.reason == "the rate limit of \(rate) bytes per second allows no transfer")
    }

    @Test func `A client with a limit sends bodies of each kind and receives streamed bodies at its rate`() async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            let bytes = Data((0..<20_000).map { UInt8($0 % 251) })
            try bytes.write(to: file)
            let limit = try limit(10_000)
            let transport = MockTransport { request in MockResponse(body: request.body) }
            let client = HttpClient.createClient { config in
                config.transport = transport
                config.addWireInterceptor(limit)
            }
            let chunks = AsyncStream { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            var expected = 0.0
            for body in [RequestBody.data(bytes), .file(file), .stream(BodyStream(chunks))] {
                var request = makeRequest("https://example.com/") { $0.setMethod(.post) }
                request.body = body
                try await client.stream(request: request) { response in
                    let received = try await response.bodyStream.collect(upTo: 100_000)
                    expectSame(received, bytes)
                }
                expected += 4
                #expect(isAbout(expected), "\(seconds) of \(expected)")
            }
        }
    }

    @Test func `A request without a body and a response in memory are not changed`() async throws {
        let limit = try limit(10)
        let transport = MockTransport { _ in .text("hello") }
        let client = HttpClient.createClient { config in
            config.transport = transport
            config.addWireInterceptor(limit)
        }
        let response = try await client.request { $0.url = "https://example.com/" }
        #expect(response.bodyAsString() == "hello")
        #expect(time.sleeps.isEmpty)
    }

    @Test func `Cancelled transfers do not delay others`() async throws {
        let sleeps = Locked<[Duration]>([])
        let time = TimeSource(
            now: { .zero },
            date: { Date() },
            sleep: { delay in
                sleeps.withLock { $0.append(delay) }
                throw CancellationError()
            }
        )
        let limit = try RateLimit(bytesPerSecond: 1_000, time: time)
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await limit.forEachPiece(of: Data(count: 100)) { _ in }
            }
        }
        #expect(sleeps.withLock { $0 } == Array(repeating: .milliseconds(100), count: 3))
    }

    @Test func `Cancelling a task ends its wait for the limit`() async throws {
        let limit = try RateLimit(bytesPerSecond: 1)
        let transport = MockTransport { _ in MockResponse(body: Data(count: 1_000)) }
        let client = HttpClient.createClient { config in
            config.transport = transport
            config.addWireInterceptor(limit)
        }
        let started = Signal()
        let task = Task {
            try await client.stream(request: makeRequest("https://example.com/")) { response in
                started.fire()
                for try await _ in response.bodyStream {}
            }
        }
        try await started.wait()
        task.cancel()
        try await withDeadline(.patience, "the cancelled call") {
            let error = await #expect(throws: NetworkError.self) { try await task.value }
            guard case .cancelled? = error else { throw try #require(error) }
        }
    }
}
