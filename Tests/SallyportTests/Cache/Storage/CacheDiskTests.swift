import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CacheDiskTests {
    private static let late = HttpCacheStorageError.unavailable("the disk did not respond in time")

    /// A disk that does not respond before it is repaired.
    private final class HungDisk: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func wait() {
            semaphore.wait()
            semaphore.signal()
        }

        func repair() { semaphore.signal() }
    }

    @Test func `An operation returns its result or its error`() async throws {
        let disk = CacheDisk()
        #expect(try await disk.run { () throws(HttpCacheStorageError) in 1 } == 1)
        await #expect(throws: HttpCacheStorageError.invalidated) {
            try await disk.run { () throws(HttpCacheStorageError) in throw .invalidated }
        }
    }

    @Test func `A disk that does not respond is an error after the limit, and usable when it responds again`()
        async throws
    {
        let disk = CacheDisk(limit: .milliseconds(10))
        let hung = HungDisk()
        for _ in 0..<8 {
            await #expect(throws: Self.late) { try await disk.run { () throws(HttpCacheStorageError) in hung.wait() } }
        }
        // Too many threads wait for the disk.
        let hasBegun = Watched(false)
        await #expect(throws: Self.late) {
            try await disk.run { () throws(HttpCacheStorageError) in hasBegun.update { $0 = true } }
        }
        #expect(!hasBegun.value)
        hung.repair()
        try await withDeadline(.patience, "the disk to be used again") {
            while !hasBegun.value {
                try Task.checkCancellation()
                try? await disk.run { () throws(HttpCacheStorageError) in hasBegun.update { $0 = true } }
            }
        }
    }

    @Test func `The wait ends with the call`() async throws {
        let disk = CacheDisk(limit: .seconds(3600))
        let hung = HungDisk()
        defer { hung.repair() }
        for end in [Duration.milliseconds(20), .zero, .seconds(-1)] {
            await CacheDisk.$callEnd.withValue(ContinuousClock.now + end) {
                await #expect(throws: Self.late) {
                    try await disk.run { () throws(HttpCacheStorageError) in hung.wait() }
                }
            }
        }
    }

    @Test func `A call with a timeout limits the waits for the disk`() async throws {
        struct Observer: Interceptor {
            let hasEnd: Watched<[Bool]>

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                hasEnd.update { $0.append(CacheDisk.callEnd != nil) }
                return try await next(request)
            }
        }
        let hasEnd = Watched<[Bool]>([])
        let client = makeCachingClient(MockTransport { _ in MockResponse() }) { config in
            config.addWireInterceptor(Observer(hasEnd: hasEnd))
        }
        for timeout in [20, TimeInterval.infinity] {
            _ = try await client.request { request in
                request.url = "https://api.example.com/"
                request.timeout = timeout
            }
        }
        #expect(hasEnd.value == [true, false])
    }
}
