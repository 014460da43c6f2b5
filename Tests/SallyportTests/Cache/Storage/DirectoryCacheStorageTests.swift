import Foundation
import SallyportStorage
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct DirectoryCacheStorageTests {
    private static func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test func `Files and directories are private, and names contain neither URLs nor credentials`() async throws {
        try await withTemporaryDirectory { folder in
            let cache = folder.appendingPathComponent("a/b")
            try await DirectoryCacheStorage(at: cache).store(7, variant: 2)
            let name = "\(numberedDigest(1)).\(numberedDigest(2))"
            let resource = cache.appendingPathComponent("responses/\(numberedDigest(7))")
            let names = try FileManager.default.contentsOfDirectory(atPath: resource.path)
            #expect(names == [name])
            for path in [cache, cache.appendingPathComponent("responses"), cache.appendingPathComponent("unfinished")] {
                #expect(try Self.permissions(path) == 0o700)
            }
            #expect(try Self.permissions(resource.appendingPathComponent(name)) == 0o600)
        }
    }

    @Test func `Nothing is created until a response is stored or invalidated`() async throws {
        try await withTemporaryDirectory { folder in
            let cache = folder.appendingPathComponent("cache")
            let storage = DirectoryCacheStorage(at: cache)
            #expect(try await storage.entries(for: HttpCacheKey(1)) == [])
            try await storage.removeAll()
            #expect(!FileManager.default.fileExists(atPath: cache.path))
        }
    }

    @Test func `A directory that other users can change is refused`() async throws {
        try await withTemporaryDirectory { folder in
            #expect(chmod(folder.path, 0o777) == 0)
            let storage = DirectoryCacheStorage(at: folder)
            let reason = "\(folder.path) is not a directory that only its owner can change"
            await #expect(throws: HttpCacheStorageError.unavailable(reason)) { try await storage.store(1) }
            await #expect(throws: HttpCacheStorageError.unavailable(reason)) {
                try await storage.entries(for: HttpCacheKey(1))
            }
            await #expect(throws: HttpCacheStorageError.unavailable(reason)) { try await storage.removeAll() }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == [])
        }
    }

    @Test func `A directory that cannot be created is an error that names it`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            let storage = DirectoryCacheStorage(at: file.appendingPathComponent("cache"))
            let error = await #expect(throws: HttpCacheStorageError.self) { try await storage.store(1) }
            #expect(error?.description.contains("\(file.path)/cache") == true, "\(String(describing: error))")
        }
    }

    @Test func `A directory that was removed is created again`() async throws {
        try await withTemporaryDirectory { folder in
            let cache = folder.appendingPathComponent("cache")
            let storage = DirectoryCacheStorage(at: cache)
            try await storage.store(1)
            let writer = try await storage.begin(HttpCacheHead(2), for: HttpCacheKey(2))
            try FileManager.default.removeItem(at: cache)
            #expect(try await storage.checkedBodies(of: 1) == [])
            await #expect(throws: HttpCacheStorageError.self) { try await writer.commit() }
            try await storage.store(1)
            #expect(try await storage.checkedBodies(of: 1).count == 1)
        }
    }

    @Test func `Keys that are not digests are not used as names`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder.appendingPathComponent("cache"))
            let reason = "the key or the variant is not a digest of 64 lower-case hexadecimal digits"
            for text in ["..", "../../x", "", numberedDigest(1).replacing("0", with: "F")] {
                let key = HttpCacheKey(resource: text, partition: numberedDigest(1))
                await #expect(throws: HttpCacheStorageError.unavailable(reason)) {
                    try await storage.begin(HttpCacheHead(1), for: key)
                }
                #expect(try await storage.entries(for: key) == [])
                try await storage.removeAll(of: text)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == [])
        }
    }

    @Test func `Temporary files of killed processes are removed, but not those that are being written`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            let writer = try await storage.begin(HttpCacheHead(1), for: HttpCacheKey(1))
            try await writer.append(HttpCacheHead(1).body(100_000))
            let unfinished = folder.appendingPathComponent("unfinished")
            let own = try #require(try FileManager.default.contentsOfDirectory(atPath: unfinished.path).first)
            try Data(count: 1000).write(to: unfinished.appendingPathComponent("old"))
            try Data(count: 1000).write(to: unfinished.appendingPathComponent("recent"))
            try FileManager.default.createDirectory(
                at: unfinished.appendingPathComponent("removed/directory"),
                withIntermediateDirectories: true
            )
            for name in [own, "old"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -100)],
                    ofItemAtPath: unfinished.appendingPathComponent(name).path
                )
            }
            CacheEviction(CacheLayout(root: folder), maximumSize: 1 << 20).removeLeastRecentlyUsed()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: unfinished.path).sorted()
                    == [own, "recent"].sorted()
            )
            await writer.abandon()
        }
    }

    @Test func `Many short processes examine the directory as often as one long process`() async throws {
        try await withTemporaryDirectory { folder in
            // Each storage stores one response, as a run of the command does.
            for number in 0..<200 {
                try await DirectoryCacheStorage(at: folder, maximumSize: 1 << 20).store(number, length: 20_000)
            }
            let left = try await DirectoryCacheStorage(at: folder).allEntries().count
            // 36 responses fill the directory; with one storage each, it is examined after four of them on average.
            #expect((20...80).contains(left), "\(left)")
        }
    }

    @Test func `Another process that removes responses does not delay storing one`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder, maximumSize: 1 << 20)
            try await storage.store(0)
            let lock = try FileLock(folder.appendingPathComponent("lock"))
            #expect(try lock.tryLock())
            for number in 1...50 { try await storage.store(number, length: 100_000) }
            #expect(try await storage.allEntries().count == 51)
            lock.unlock()
            for number in 1...2 { try await storage.store(number, length: 100_000) }
            #expect(try await storage.allEntries().count < 20)
        }
    }

    #if os(Linux)
    @Test(.enabled(if: SmallDisk.canBeMounted, "only root can mount a disk, in some containers not even root"))
    func `A full disk is an error, and leaves no temporary file`() async throws {
        try await withSmallDisk("400k") { disk, resize in
            let storage = DirectoryCacheStorage(at: disk.appendingPathComponent("cache"))
            try await storage.store(1, length: 100_000)
            for length in [1_000_000, 310_000] {
                let error = await #expect(throws: HttpCacheStorageError.self) {
                    try await storage.store(2, length: length)
                }
                #expect(error?.description.contains("No space left on device") == true, "\(String(describing: error))")
            }
            let unfinished = disk.appendingPathComponent("cache/unfinished")
            let names = try FileManager.default.contentsOfDirectory(atPath: unfinished.path)
            #expect(names == [])
            #expect(try await storage.checkedBodies(of: 1).count == 1)
            try await resize("4m")
            try await storage.store(2, length: 1_000_000)
            #expect(try await storage.checkedBodies(of: 2).count == 1)
        }
    }
    #endif
}
