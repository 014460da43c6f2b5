import Foundation
import TestSupport
import Testing

@testable import Sallyport

/// With `SALLYPORT_SEED`, other bytes are damaged.
@Suite(.busy) struct DamagedCacheTests {
    private static let seed = ProcessInfo.processInfo.environment["SALLYPORT_SEED"].flatMap { UInt64($0) } ?? 4

    /// The names of the files with stored responses.
    private static func files(_ folder: URL) throws -> [URL] {
        let responses = folder.appendingPathComponent("responses")
        return try FileManager.default.contentsOfDirectory(atPath: responses.path).sorted().flatMap { resource in
            let url = responses.appendingPathComponent(resource)
            return try FileManager.default.contentsOfDirectory(atPath: url.path).map(url.appendingPathComponent)
        }
    }

    /// Damages the content of a file.
    private static func damaged(_ data: Data, by kind: Int, using random: inout SeededGenerator) -> Data {
        var data = data
        let position = Int.random(in: 0..<data.count, using: &random)
        switch kind {
        case 0: data[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: data = data.prefix(position)
        case 2: data += Data((0...position % 100).map { _ in UInt8.random(in: 0...255, using: &random) })
        case 3: data.remove(at: position)
        case 4: data.insert(data[position], at: position)
        case 5:
            let end = min(position + 4096, data.count)
            let zeros = Data(count: end - position)
            // A hole, as after a power failure.
            if data[position..<end] == zeros {
                data[position] = 1
            } else {
                data.replaceSubrange(position..<end, with: zeros)
            }
        case 6: data = Data((0..<data.count).map { _ in UInt8.random(in: 0...255, using: &random) })
        // Another length in the header.
        case 7: for index in 8..<20 { data[index] = UInt8.random(in: 0...255, using: &random) }
        default: data = Data()
        }
        return data
    }

    @Test func `1,000 damaged or exchanged files are misses and are removed, and no wrong byte is returned`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            var random = SeededGenerator(seed: Self.seed)
            for number in 0..<1000 {
                let length = [0, 10, 1000, 70_000].randomElement(using: &random) ?? 0
                try await storage.store(number, length: length)
            }
            let files = try Self.files(folder)
            try #require(files.count == 1000)
            for (number, file) in files.enumerated() {
                let data = try Data(contentsOf: file)
                if number % 10 < 9 {
                    try Self.damaged(data, by: number % 10, using: &random).write(to: file)
                } else {
                    // The valid file of another resource.
                    let other = files[(number + 1) % files.count]
                    try Data(contentsOf: other).write(to: file)
                }
            }
            for number in 0..<1000 {
                #expect(try await storage.checkedBodies(of: number) == [], "resource \(number)")
                #expect(try await storage.entries(for: HttpCacheKey(number)) == [], "resource \(number)")
            }
            #expect(try Self.files(folder) == [])
            try await storage.store(1)
            #expect(try await storage.checkedBodies(of: 1).count == 1)
        }
    }

    @Test func `A file that was moved to another variant, partition or resource is not used`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            for (resource, partition, variant) in [(1, 1, 2), (1, 2, 1), (2, 1, 1)] {
                try await storage.store(1, of: 1, variant: 1)
                let file = try #require(try Self.files(folder).first)
                let directory = folder.appendingPathComponent("responses/\(numberedDigest(resource))")
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                let name = "\(numberedDigest(partition)).\(numberedDigest(variant))"
                try FileManager.default.moveItem(at: file, to: directory.appendingPathComponent(name))
                #expect(try await storage.entries(for: HttpCacheKey(resource, of: partition)) == [])
                #expect(try await storage.allEntries() == [])
                #expect(try Self.files(folder) == [])
            }
        }
    }

    @Test func `A long body that is damaged after its first segment fails before the damaged bytes`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            let entry = try await storage.store(1, length: 3_000_000)
            let file = try #require(try Self.files(folder).first)
            let reader = try #require(try await storage.open(entry))
            var data = try Data(contentsOf: file)
            let position = try #require(data.range(of: entry.head.body(72))).lowerBound
            data[position + 2_000_000] ^= 1
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: data)
            try handle.close()
            let start = try await reader.read(at: 0, upTo: 1_900_000)
            #expect(start.count > 1_800_000 && start == entry.head.body(start.count))
            let error = await #expect(throws: HttpCacheStorageError.self) {
                try await reader.read(at: 1_990_000, upTo: 100_000)
            }
            guard case .damaged? = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(try await storage.entries(for: entry.key) == [])
            #expect(try Self.files(folder) == [])
        }
    }

    @Test func `A directory, a symbolic link and a pipe in the place of a file are misses`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder.appendingPathComponent("cache"))
            let target = folder.appendingPathComponent("target")
            let replacements: [(URL) throws -> Void] = [
                { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) },
                { try FileManager.default.createSymbolicLink(at: $0, withDestinationURL: target) },
                { #expect(mkfifo($0.path, 0o600) == 0) },
            ]
            for replace in replacements {
                let entry = try await storage.store(1)
                let file = try #require(try Self.files(folder.appendingPathComponent("cache")).first)
                try? FileManager.default.removeItem(at: target)
                try FileManager.default.moveItem(at: file, to: target)
                try replace(file)
                #expect(try await storage.open(entry) == nil)
                #expect(try await storage.entries(for: entry.key) == [])
                #expect(try Self.files(folder.appendingPathComponent("cache")) == [])
                #expect(FileManager.default.fileExists(atPath: target.path))
            }
        }
    }
}
