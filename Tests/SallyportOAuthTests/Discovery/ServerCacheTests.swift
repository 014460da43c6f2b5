import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ServerCacheTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    @Test func `A task that needs a new value waits for the reload that another task has begun`() async throws {
        let cache = ServerCache<Int>()
        let reads = Watched(0)
        let (isReading, gate) = (Signal(), Signal())
        #expect(try await cache.value(at: now) { 1 } == 1)
        let read = { @Sendable in
            reads.update { $0 += 1 }
            isReading.fire()
            try await gate.wait()
            return 2
        }
        async let first = cache.newValue(at: now, read)
        try await isReading.wait()
        // A task that is not suspended by the reload would return the old value.
        let second = Task { try await cache.newValue(at: now, read) }
        await Task.yield()
        gate.fire()
        #expect(try await second.value == 2)
        #expect(try await first == 2)
        #expect(reads.value == 1)
        #expect(try await cache.newValue(at: now + 9) { 3 } == 2)
        #expect(try await cache.newValue(at: now + 10) { 3 } == 3)
    }

    @Test func `A failed reload is repeated after a second, and its error is thrown until then`() async throws {
        let cache = ServerCache<Int>()
        #expect(try await cache.value(at: now) { 1 } == 1)
        await expectError(\NetworkError.kind, "timeout") {
            try await cache.newValue(at: now) { throw NetworkError.timeout("the server does not answer") }
        }
        await expectError(\NetworkError.kind, "timeout") { try await cache.newValue(at: now + 0.9) { 2 } }
        #expect(try await cache.value(at: now + 0.9) { 2 } == 1)
        #expect(try await cache.newValue(at: now + 1) { 2 } == 2)
        #expect(try await cache.newValue(at: now + 10) { 3 } == 2)
    }

    @Test func `A cancelled reload does not delay the next one`() async throws {
        let cache = ServerCache<Int>()
        #expect(try await cache.value(at: now) { 1 } == 1)
        let (isReading, gate) = (Signal(), Signal())
        let reload = Task {
            try await cache.newValue(at: now) {
                isReading.fire()
                try await gate.wait()
                return 2
            }
        }
        try await isReading.wait()
        reload.cancel()
        await #expect(throws: (any Error).self) { try await reload.value }
        #expect(try await cache.newValue(at: now) { 3 } == 3)
    }
}
