import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CacheKeyFileTests {
    private let request = HttpRequest("GET", "https://api.example.com/account", ["Authorization: Bearer s3cr3t"])

    /// Returns a client with a storage of its own in a directory that other clients use too.
    private func client(_ directory: URL) -> HttpClient {
        let server = MockTransport { _ in
            MockResponse(headers: [.cacheControl: "max-age=60", .vary: "Authorization"], body: Data("body".utf8))
        }
        return makeCachingClient(server, CacheClock().cache(DirectoryCacheStorage(at: directory)))
    }

    private func keyFile(_ directory: URL) -> URL { directory.appendingPathComponent("key") }

    @Test func `The key of digests is random, private, and created before the first request`() async throws {
        try await withTemporaryDirectory { folder in
            var keys: Set<Data> = []
            for name in ["first", "second"] {
                let directory = folder.appendingPathComponent(name)
                let storage = DirectoryCacheStorage(at: directory)
                let key = try await storage.digestKey()
                #expect(try Data(contentsOf: keyFile(directory)) == key)
                let attributes = try FileManager.default.attributesOfItem(atPath: keyFile(directory).path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(key.count == 32)
                keys.insert(key)
            }
            #expect(keys.count == 2)
        }
    }

    @Test func `The names of files are not digests that can be calculated from the credentials`() async throws {
        try await withTemporaryDirectory { folder in
            var names: Set<String> = []
            for name in ["first", "second"] {
                let directory = folder.appendingPathComponent(name)
                _ = try await client(directory).request(request: request)
                let entry = try #require(try await DirectoryCacheStorage(at: directory).allEntries().first)
                names.formUnion([entry.key.partition, entry.head.variant])
            }
            #expect(names.count == 4, "the same request has other digests in each directory")
        }
    }

    /// Storages do not share the key in memory, so that those of one process behave like those of several.
    @Test(arguments: [false, true])
    func `Storages that begin at the same time use one key before any of them stores a response`(isDamaged: Bool)
        async throws
    {
        try await withTemporaryDirectory { folder in
            if isDamaged { try Data(count: 31).write(to: keyFile(folder)) }
            let keys = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<20 { group.addTask { try await DirectoryCacheStorage(at: folder).digestKey() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(keys == [try Data(contentsOf: keyFile(folder))])
        }
    }

    @Test func `A directory with a key that cannot be written is read`() async throws {
        try await withTemporaryDirectory { folder in
            try await DirectoryCacheStorage(at: folder).store(1)
            let unfinished = folder.appendingPathComponent("unfinished")
            try FileManager.default.removeItem(at: unfinished)
            try Data().write(to: unfinished)
            #expect(try await DirectoryCacheStorage(at: folder).digestKey() == Data(contentsOf: keyFile(folder)))
        }
    }

    @Test func `Storages that begin at the same time agree on one key`() async throws {
        try await withTemporaryDirectory { folder in
            let storages = (0..<20).map { _ in DirectoryCacheStorage(at: folder) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, storage) in storages.enumerated() {
                    group.addTask {
                        _ = try await storage.digestKey()
                        try await storage.store(number)
                    }
                }
                try await group.waitForAll()
            }
            let key = try Data(contentsOf: keyFile(folder))
            for storage in storages { #expect(try await storage.digestKey() == key) }
            let unfinished = folder.appendingPathComponent("unfinished")
            #expect(try FileManager.default.contentsOfDirectory(atPath: unfinished.path) == [])
        }
    }

    @Test func `A response that another client has stored is found before the first own one is stored`() async throws {
        try await withTemporaryDirectory { folder in
            let (first, second) = (client(folder), client(folder))
            var only = request
            only.setHeader(name: "Cache-Control", value: "only-if-cached")
            #expect(try await second.request(request: only).status == .gatewayTimeout)
            _ = try await first.request(request: request)
            #expect(try await second.request(request: only).cacheStatus?.isHit == true)
        }
    }

    @Test func `A key that is missing, damaged or not private is replaced, and old responses are misses`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = keyFile(folder)
            let damages: [() throws -> Void] = [
                { try FileManager.default.removeItem(at: file) },
                { try Data(count: 31).write(to: file) },
                { try Data(count: 33).write(to: file) },
                { try Data().write(to: file) },
                { #expect(chmod(file.path, 0o644) == 0) },
                {
                    try FileManager.default.removeItem(at: file)
                    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "lock")
                },
            ]
            _ = try await client(folder).request(request: request)
            for damage in damages {
                let old = try Data(contentsOf: file)
                #expect(try await client(folder).request(request: request).cacheStatus?.isHit == true)
                try damage()
                let next = client(folder)
                #expect(try await next.request(request: request).cacheStatus?.forward == .uriMiss)
                #expect(try await next.request(request: request).cacheStatus?.isHit == true)
                let new = try Data(contentsOf: file)
                #expect(new.count == 32 && new != old)
            }
        }
    }

    @Test func `A storage adopts the key that has replaced its own when it stores a response`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            try await storage.store(1)
            try FileManager.default.removeItem(at: folder)
            try await DirectoryCacheStorage(at: folder).store(2)
            try await storage.store(3)
            #expect(try await storage.digestKey() == Data(contentsOf: keyFile(folder)))
        }
    }

    @Test func `A storage in memory has a key of its own`() async {
        let key = await MemoryCacheStorage().digestKey()
        #expect(key.count == 32)
        #expect(await MemoryCacheStorage().digestKey() != key)
    }
}
