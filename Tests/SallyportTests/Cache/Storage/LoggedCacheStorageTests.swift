import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct LoggedCacheStorageTests {
    @Test func `Calls continue without a cache that cannot be used, and the first failure is logged`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            let journal = Journal()
            let response = MockResponse.text("text").header(.cacheControl, "max-age=60")
            let (client, server) = makeClient(response) { config in
                config.cache = HttpCache(storage: DirectoryCacheStorage(at: file.appendingPathComponent("cache")))
                config.logger = CapturingLog.logger(journal, level: .warning)
            }
            for _ in 0..<3 {
                let response = try await client.request { $0.url = "https://api.example.com/" }
                #expect(response.bodyAsString() == "text")
                #expect(response.cacheStatus?.isStored == false && response.cacheStatus?.isHit == false)
            }
            #expect(server.requests.count == 3)
            #expect(journal.entries.count == 1)
            #expect(journal.entries.first?.contains("the cache cannot be used: \(file.path)/cache") == true)
        }
    }
}
