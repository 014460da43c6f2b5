import Foundation
import TestSupport
import Testing

@testable import Sallyport

/// The behavior that all storages have in common.
@Suite(.concurrencyLimited) struct CacheStorageTests {
    enum Kind: CaseIterable {
        case memory, directory
    }

    private static func withStorage(
        _ kind: Kind,
        maximumSize: Int64 = 64 << 20,
        maximumEntrySize: Int64 = 16 << 20,
        _ body: (any HttpCacheStorage) async throws -> Void
    ) async throws {
        switch kind {
        case .memory:
            try await body(MemoryCacheStorage(maximumSize: maximumSize, maximumEntrySize: maximumEntrySize))
        case .directory:
            try await withTemporaryDirectory { folder in
                let cache = folder.appendingPathComponent("new/cache")
                let storage = DirectoryCacheStorage(
                    at: cache,
                    maximumSize: maximumSize,
                    maximumEntrySize: maximumEntrySize
                )
                try await body(storage)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `An empty storage has no responses, and nothing to remove`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            let entry = HttpCacheEntry(key: HttpCacheKey(1), head: HttpCacheHead(1), bodyLength: 3)
            #expect(try await storage.entries(for: entry.key) == [])
            #expect(try await storage.allEntries() == [])
            #expect(try await storage.open(entry) == nil)
            try await storage.remove(entry)
            try await storage.replaceHead(of: entry, with: entry.head)
            try await storage.removeAll(of: entry.key.resource)
            try await storage.removeAll()
        }
    }

    @Test(
        arguments: Kind.allCases,
        [0, 1, 35, 65_535, 65_536, 65_537, 131_072, 1 << 20, 1 << 20 + 1, 3_000_000]
    )
    func `A stored response has the head and body that were stored`(_ kind: Kind, length: Int) async throws {
        try await Self.withStorage(kind) { storage in
            let entry = try await storage.store(1, length: length)
            #expect(try await storage.entries(for: entry.key) == [entry])
            for pieces in [1 << 16, 50_000, 1 << 20, 10 << 20] {
                #expect(try await storage.body(of: entry, pieces: pieces) == entry.head.body(length))
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `Bytes are read from any position`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            let entry = try await storage.store(1, length: 2_500_000)
            let body = entry.head.body(2_500_000)
            let reader = try #require(try await storage.open(entry))
            var random = SeededGenerator(seed: 9)
            for _ in 0..<100 {
                let offset = Int.random(in: 0..<body.count, using: &random)
                let count = Int.random(in: 1...200_000, using: &random)
                let bytes = try await reader.read(at: Int64(offset), upTo: count)
                #expect(!bytes.isEmpty && bytes.count <= count)
                #expect(bytes == body[offset..<offset + bytes.count])
            }
            #expect(try await reader.read(at: 2_500_000, upTo: 1) == Data())
            #expect(try await reader.read(at: 2_499_999, upTo: 10).count == 1)
            reader.close()
        }
    }

    @Test(arguments: Kind.allCases)
    func `A resource has a response for each partition and variant`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            let entries = [
                try await storage.store(1, of: 1, variant: 1), try await storage.store(1, of: 1, variant: 2),
                try await storage.store(1, of: 2, variant: 1),
            ]
            let other = try await storage.store(2)
            #expect(try await Set(storage.entries(for: HttpCacheKey(1, of: 1))) == Set(entries[..<2]))
            #expect(try await storage.entries(for: HttpCacheKey(1, of: 2)) == [entries[2]])
            #expect(try await Set(storage.allEntries()) == Set(entries + [other]))
            for entry in entries { #expect(try await storage.body(of: entry) == entry.head.body(1000)) }
        }
    }

    @Test(arguments: Kind.allCases)
    func `A response replaces the one with the same variant when it is complete`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            let old = try await storage.store(1, length: 200_000)
            let reader = try #require(try await storage.open(old))
            let head = HttpCacheHead(1)
            let writer = try await storage.begin(head, for: old.key)
            try await writer.append(head.body(100_000))
            #expect(try await storage.entries(for: old.key) == [old])
            try await writer.commit()
            let new = HttpCacheEntry(key: old.key, head: head, bodyLength: 100_000)
            #expect(try await storage.entries(for: old.key) == [new])
            #expect(try await storage.open(old) == nil)
            #expect(try await reader.read(at: 0, upTo: 36) == old.head.body(36), "an open body remains readable")
            try await storage.remove(old)
            try await storage.replaceHead(of: old, with: old.head)
            #expect(try await storage.entries(for: old.key) == [new])
            try await storage.remove(new)
            #expect(try await storage.entries(for: old.key) == [])
        }
    }

    @Test(arguments: Kind.allCases, [0, 1000, 3_000_000])
    func `A head is replaced without changing the body`(_ kind: Kind, length: Int) async throws {
        try await Self.withStorage(kind) { storage in
            let entry = try await storage.store(1, length: length)
            var head = entry.head
            head.fields[.cacheControl] = "max-age=60"
            head.responseTime += 100
            try await storage.replaceHead(of: entry, with: head)
            let replaced = HttpCacheEntry(key: entry.key, head: head, bodyLength: Int64(length))
            #expect(try await storage.entries(for: entry.key) == [replaced])
            #expect(try await storage.body(of: replaced) == entry.head.body(length))
            #expect(try await storage.body(of: entry) == entry.head.body(length), "it is the same response")
        }
    }

    @Test(arguments: Kind.allCases)
    func `An abandoned response, and one whose writer is released, are not stored`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            let head = HttpCacheHead(1)
            let writer = try await storage.begin(head, for: HttpCacheKey(1))
            try await writer.append(head.body(100_000))
            await writer.abandon()
            try await storage.begin(head, for: HttpCacheKey(1)).append(head.body(100_000))
            #expect(try await storage.allEntries() == [])
        }
    }

    @Test(arguments: Kind.allCases)
    func `Removing a resource removes all its responses, also those that are being stored`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            try await storage.store(1, of: 1)
            try await storage.store(1, of: 2, variant: 3)
            let other = try await storage.store(2)
            let head = HttpCacheHead(1)
            let writer = try await storage.begin(head, for: HttpCacheKey(1))
            try await writer.append(head.body(100_000))
            try await storage.removeAll(of: numberedDigest(1))
            try await writer.append(head.body(100_000))
            try await writer.commit()
            #expect(try await storage.allEntries() == [other])
            #expect(try await storage.body(of: storage.store(1)) != nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `Removing everything also discards responses that are being stored`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            for number in 1...10 { try await storage.store(number) }
            let writer = try await storage.begin(HttpCacheHead(1), for: HttpCacheKey(1))
            try await storage.removeAll()
            try await writer.commit()
            #expect(try await storage.allEntries() == [])
            #expect(try await storage.body(of: storage.store(1)) != nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func `The least recently used responses are removed to make space`(_ kind: Kind) async throws {
        try await Self.withStorage(kind, maximumSize: 2 << 20) { storage in
            let used = try await storage.store(0, length: 100_000)
            for number in 1...60 {
                try await storage.store(number, length: 100_000)
                #expect(try await storage.body(of: used) != nil, "used after \(number)")
                // A directory is examined after each tenth, and may contain one response more.
                let size = try await storage.allEntries().reduce(0) { $0 + $1.bodyLength }
                #expect(size <= 2 << 20 + (kind == .memory ? 0 : 400_000))
            }
            let left = try await Set(storage.allEntries().map(\.head.url))
            #expect(left.contains("https://api.example.com/60"))
            #expect(!left.contains("https://api.example.com/1"))
            #expect(left.count >= 12)
        }
    }

    @Test(arguments: Kind.allCases)
    func `A response that is longer than the maximum is refused, with the limit`(_ kind: Kind) async throws {
        try await Self.withStorage(kind, maximumSize: 1 << 20, maximumEntrySize: 100_000) { storage in
            let writer = try await storage.begin(HttpCacheHead(1), for: HttpCacheKey(1))
            try await writer.append(Data(count: 100_000))
            await #expect(throws: HttpCacheStorageError.tooLarge(limit: 100_000)) {
                try await writer.append(Data(count: 1))
            }
            await writer.abandon()
            #expect(try await storage.allEntries() == [])
            try await storage.store(1, length: 100_000)
            #expect(try await storage.allEntries().count == 1)
        }
    }

    @Test(arguments: Kind.allCases)
    func `Concurrent calls for the same responses never see mixed bodies`(_ kind: Kind) async throws {
        try await Self.withStorage(kind) { storage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<12 {
                    group.addTask {
                        for round in 0..<15 {
                            let number = (task + round) % 3
                            switch (task + round) % 4 {
                            case 0, 1: try await storage.store(number, length: 90_000 * number)
                            case 2: _ = try await storage.checkedBodies(of: number)
                            default:
                                guard let entry = try await storage.entries(for: HttpCacheKey(number)).first else {
                                    break
                                }
                                try await storage.replaceHead(of: entry, with: entry.head)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<3 { #expect(try await storage.checkedBodies(of: number).count == 1) }
        }
    }
}

@Suite(.concurrencyLimited) struct MemoryCacheStorageTests {
    @Test func `Responses that are being stored count towards the maximum size, until they are discarded`() async throws
    {
        let storage = MemoryCacheStorage(maximumSize: 1 << 20, maximumEntrySize: 400_000)
        var writers: [any HttpCacheWriter] = []
        for number in 0..<2 {
            let writer = await storage.begin(HttpCacheHead(number), for: HttpCacheKey(number))
            try await writer.append(Data(count: 400_000))
            writers.append(writer)
        }
        let third = await storage.begin(HttpCacheHead(3), for: HttpCacheKey(3))
        await #expect(
            throws: HttpCacheStorageError.unavailable("its memory is in use by responses that are being stored")
        ) {
            try await third.append(Data(count: 400_000))
        }
        await writers.removeLast().abandon()
        try await third.append(Data(count: 400_000))
        try await third.commit()
        #expect(await storage.allEntries().map(\.key) == [HttpCacheKey(3)])
    }
}
