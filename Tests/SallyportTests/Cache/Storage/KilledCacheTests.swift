import Foundation
import TestSupport
import Testing

@testable import Sallyport

/// With `SALLYPORT_CACHE_KILLS=200`, 200 processes are killed while they use one directory; `SALLYPORT_SEED` selects other moments.
@Suite(.busy) struct KilledCacheTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["SALLYPORT_CACHE_KILLS"].flatMap { Int($0) } ?? 12
    private static let seed = environment["SALLYPORT_SEED"].flatMap { UInt64($0) } ?? 8

    private static func line(_ folder: URL, _ mode: String, _ number: Int) async throws -> String? {
        try await Worker("CacheWorker", folder.path, mode, "\(number)").lines().last
    }

    @Test func `A response that one process stores, another one reads and removes`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            let identifier = try await Self.line(folder, "store", 5)
            #expect(try await storage.entries(for: HttpCacheKey(5)).map { "\($0.head.id)" } == [identifier])
            #expect(try await storage.checkedBodies(of: 5).map(\.count) == [100_000])

            let entry = try await storage.store(5, length: 2_000_000)
            #expect(try await Self.line(folder, "show", 5) == "\(entry.head.id)")
            // A response that was requested before the removal is not stored after it.
            let writer = try await storage.begin(HttpCacheHead(5), for: entry.key)
            try await writer.append(Data(count: 100_000))
            #expect(try await Self.line(folder, "remove", 5) == "removed")
            try await writer.commit()
            #expect(try await storage.entries(for: entry.key) == [])
            let unfinished = folder.appendingPathComponent("unfinished")
            #expect(try FileManager.default.contentsOfDirectory(atPath: unfinished.path) == [])
            #expect(try await Self.line(folder, "show", 5) == "none")
        }
    }

    @Test func `Processes that are killed while they store responses leave no damaged one`() async throws {
        try await withTemporaryDirectory { folder in
            var random = SeededGenerator(seed: Self.seed)
            let storage = DirectoryCacheStorage(at: folder, maximumSize: 6 << 20)
            var worker = try Worker("CacheWorker", folder.path, "work", "0")
            for number in 0..<Self.kills {
                // Two processes use the directory at any time, and one of them is killed.
                let next = try Worker("CacheWorker", folder.path, "work", "0")
                try await worker.wait(for: "ready")
                try await next.wait(for: "ready")
                usleep(UInt32.random(in: 0...60_000, using: &random))
                #expect(try await worker.killAndReadLines() == ["ready"], "worker \(number)")
                for resource in 0..<20 { _ = try await storage.checkedBodies(of: resource) }
                worker = next
            }
            #expect(try await worker.killAndReadLines() == ["ready"])
            try await checkUsable(folder)
        }
    }

    /// Checks the directory after all processes have been killed.
    private func checkUsable(_ folder: URL) async throws {
        let responses = folder.appendingPathComponent("responses")
        var files = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: responses.path) {
            let resource = responses.appendingPathComponent(name)
            files += try FileManager.default.contentsOfDirectory(atPath: resource.path).count
        }
        let storage = DirectoryCacheStorage(at: folder, maximumSize: 6 << 20)
        #expect(try await storage.allEntries().count == files, "every file is a complete response")
        for number in 0..<20 {
            try await storage.store(number, length: 1000)
            #expect(try await storage.checkedBodies(of: number).map(\.count) == [1000])
        }
        let unfinished = folder.appendingPathComponent("unfinished")
        for name in try FileManager.default.contentsOfDirectory(atPath: unfinished.path) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -100)],
                ofItemAtPath: unfinished.appendingPathComponent(name).path
            )
        }
        CacheEviction(CacheLayout(root: folder), maximumSize: 6 << 20).removeLeastRecentlyUsed()
        #expect(try FileManager.default.contentsOfDirectory(atPath: unfinished.path) == [])
    }
}
