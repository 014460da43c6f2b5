import Foundation
import SallyportJOSE
import Testing
import TestSupport

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct FileTokenStoreTests {
    private static let record = TokenRecord(
        tokens: .number(1, at: Date(timeIntervalSince1970: 1_000_000)),
        obtainedAt: Date(timeIntervalSince1970: 1_000_000)
    )

    /// Runs a closure with the URL of a file in a directory that does not exist yet.
    private func withStoreFile(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            try await body(folder.appendingPathComponent("a/tokens/tokens.json"))
        }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func expect(_ reason: TokenStoreError.Reason, _ words: String, of body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            let error = error as? TokenStoreError
            return error?.reason == reason && error?.description.contains(words) == true
        }
    }

    @Test func `A saved record can be loaded by another store until it is deleted`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            #expect(try await store.load() == nil)
            try await store.save(Self.record)
            #expect(try await FileTokenStore(at: file).load() == Self.record)
            try await store.delete()
            #expect(try await store.load() == nil)
            try await store.delete()
        }
    }

    @Test func `The token file, its lock and directory are private, and no other files remain`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            let folder = file.deletingLastPathComponent().path
            #expect(try mode(file.path) == 0o600)
            #expect(try mode(file.path + ".lock") == 0o600)
            #expect(try mode(folder) == 0o700)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                    "tokens.json", "tokens.json.lock",
                ]
            )
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o666])
    func `A file that others can read or write is refused`(_ mode: Int) async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            await expect(.notPrivate, "can be read or changed by others") { _ = try await store.load() }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func `A file of another user is refused`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            #expect(chown(file.path, 12_345, 12_345) == 0)
            await expect(.notPrivate, "belongs to another user") { _ = try await store.load() }
        }
    }

    @Test func `Symbolic links and non-regular files are refused`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            let other = file.deletingLastPathComponent().appendingPathComponent("other")
            try FileManager.default.moveItem(at: file, to: other)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
            await expect(.notPrivate, "symbolic link") { _ = try await store.load() }
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
            await expect(.notPrivate, "not a regular file") { _ = try await store.load() }
        }
    }

    @Test func `A directory that others can write to is refused`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            let folder = file.deletingLastPathComponent().path
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder)
            await expect(.notPrivate, "chmod 700") { _ = try await store.load() }
            await expect(.notPrivate, "chmod 700") { try await store.save(Self.record) }
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"{"format":"other","version":3}"#, #"{"format":"sallyport-tokens","version":3}"#,
        #"{"format":"sallyport-tokens","version":4}"#,
    ])
    func `A malformed token file is refused`(_ text: String) async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            try Data(text.utf8).write(to: file)
            await expect(.malformed, "log in again") { _ = try await store.load() }
        }
    }

    @Test func `A token file truncated at any length is refused`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            let data = try Data(contentsOf: file)
            for count in 0..<data.count {
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: data.prefix(count))
                try handle.close()
                await expect(.malformed, "log in again") { _ = try await store.load() }
            }
        }
    }

    @Test func `A token file that is too large is neither read nor written`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 1 << 30)
            try handle.close()
            await expect(.tooLarge, "longer") { _ = try await store.load() }
            var long = Self.record
            long.tokens.idToken = String(repeating: "x", count: 1 << 20)
            await expect(.tooLarge, "and the maximum is") { try await store.save(long) }
        }
    }

    @Test func `An encrypted token file contains no plaintext token and can be read only with its key`() async throws {
        try await withStoreFile { file in
            let key = TokenStoreKey.generate()
            try await FileTokenStore(at: file, key: key).save(Self.record)
            #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("canary"))
            #expect(try await FileTokenStore(at: file, key: key).load() == Self.record)
            await expect(.key, "give the store its key") { _ = try await FileTokenStore(at: file).load() }
            await expect(.key, "another key") { _ = try await FileTokenStore(at: file, key: .generate()).load() }
        }
    }

    @Test func `A store without a key does not replace an encrypted token file`() async throws {
        try await withStoreFile { file in
            let key = TokenStoreKey.generate()
            try await FileTokenStore(at: file, key: key).save(Self.record)
            await expect(.key, "give the store its key") { try await FileTokenStore(at: file).save(Self.record) }
            #expect(try await FileTokenStore(at: file, key: key).load() == Self.record)
            try await FileTokenStore(at: file).delete()
            try await FileTokenStore(at: file).save(Self.record)
            #expect(try await FileTokenStore(at: file).load() == Self.record)
        }
    }

    @Test func `An encrypted token file with a modified byte is refused`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file, key: .generate())
            try await store.save(Self.record)
            let data = try Data(contentsOf: file)
            let version = try #require(data.range(of: Data(#""version":"#.utf8))).upperBound
            for index in stride(from: 0, to: data.count, by: 7) {
                var changed = data
                changed[index] ^= 1
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: changed)
                try handle.close()
                // The modified version is 2 instead of 3.
                let expected: [TokenStoreError.Reason] = index == version ? [.outdated] : [.key, .malformed]
                let error = await #expect(throws: TokenStoreError.self) { try await store.load() }
                #expect(error.map { expected.contains($0.reason) } == true)
            }
        }
    }

    @Test func `A store with a key refuses an unencrypted file until a login replaces it`() async throws {
        try await withStoreFile { file in
            try await FileTokenStore(at: file).save(Self.record)
            let new = file.path + ".new"
            try FileManager.default.copyItem(atPath: file.path, toPath: new)
            let store = FileTokenStore(at: file, key: .generate())
            await expect(.notEncrypted, "is not encrypted, although the store has a key; log in again") {
                _ = try await store.load()
            }
            try await store.withExclusiveAccess {}
            #expect(!FileManager.default.fileExists(atPath: new))
            try await store.save(Self.record)
            #expect(try await store.load() == Self.record)
            #expect(try !String(decoding: Data(contentsOf: file), as: UTF8.self).contains("canary"))
        }
    }

    @Test func `The client identity in an encrypted token file is authenticated`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file, key: .generate())
            try await store.save(Self.record)
            let text = try String(contentsOf: file, encoding: .utf8)
            for (part, other) in [("id.example.com", "id.example.net"), (#""pub""#, #""pun""#)] {
                let changed = text.replacing(part, with: other)
                #expect(changed != text)
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: Data(changed.utf8))
                try handle.close()
                await expect(.key, "was changed") { _ = try await store.load() }
            }
        }
    }

    @Test func `A token file with an outdated format version is refused until a login replaces it`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            try Data(
                #"{"format":"sallyport-tokens","version":1,"record":{"tokens":{"accessToken":"a","tokenType":"Bearer"}}}"#
                    .utf8
            ).write(to: file)
            await expect(.outdated, "has the outdated format version 1; log in again") {
                _ = try await store.load()
            }
            try await store.save(Self.record)
            #expect(try await store.load() == Self.record)
        }
    }

    @Test func `A complete new file left by a killed process replaces the old one, and an incomplete one is deleted`()
        async throws
    {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(TokenRecord(tokens: .number(2)))
            try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".new")
            let second = try await store.withExclusiveAccess { try await store.load() }
            #expect(second?.tokens.accessToken == "canary-access-2")
            try await store.save(TokenRecord(tokens: .number(3)))
            let text = try Data(contentsOf: file)
            try text.dropLast().write(to: URL(fileURLWithPath: file.path + ".new"))
            #expect(chmod(file.path + ".new", 0o600) == 0)
            let third = try await store.withExclusiveAccess { try await store.load() }
            #expect(third?.tokens.accessToken == "canary-access-3")
            #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
        }
    }

    @Test func `Only one store of a file has exclusive access at a time`() async throws {
        try await withStoreFile { file in
            let inside = Watched(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let store = FileTokenStore(at: file)
                        try await store.withExclusiveAccess {
                            #expect(
                                inside.update {
                                    $0 += 1; return $0
                                } == 1
                            )
                            await Task.yield()
                            inside.update { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `The error for a busy store names the process that holds it`() async throws {
        try await withStoreFile { file in
            try await FileTokenStore(at: file).withExclusiveAccess {
                await expect(.busy, "the process \(getpid()) has held") {
                    try await FileTokenStore(at: file, lockLimit: .milliseconds(20)).withExclusiveAccess {}
                }
            }
        }
    }

    @Test func `A task that waits too long for another task of its process gets an error`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file, lockLimit: .milliseconds(20))
            try await store.withExclusiveAccess {
                let task = Task.detached { try await store.save(Self.record) }
                await expect(.busy, "other tasks of this process have held it") { try await task.value }
            }
            try await store.save(Self.record)
        }
    }

    @Test func `A cancelled task stops waiting for exclusive access`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.withExclusiveAccess {
                for other in [FileTokenStore(at: file), store] {
                    let task = Task.detached { try await other.withExclusiveAccess {} }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
            try await store.withExclusiveAccess {}
        }
    }

    @Test func `Exclusive access can be nested`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.withExclusiveAccess {
                try await store.withExclusiveAccess { try await store.save(Self.record) }
            }
            #expect(try await store.load() == Self.record)
        }
    }

    @Test func `A task that outlives the exclusive access it was created in does not retain it`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file, lockLimit: .milliseconds(20))
            let isOver = Signal()
            let straggler = try await store.withExclusiveAccess {
                Task {
                    try await isOver.wait()
                    try await store.withExclusiveAccess {}
                }
            }
            try await FileTokenStore(at: file).withExclusiveAccess {
                isOver.fire()
                await expect(.busy, "has held") { try await straggler.value }
            }
        }
    }

    @Test func `A failed save leaves the stored record unchanged`() async throws {
        try await withStoreFile { file in
            let store = FileTokenStore(at: file)
            try await store.save(Self.record)
            try FileManager.default.createDirectory(atPath: file.path + ".new/x", withIntermediateDirectories: true)
            await expect(.notPrivate, "\(file.path).new is not a regular file") {
                try await store.save(TokenRecord(tokens: .number(2)))
            }
            #expect(try await store.load() == Self.record)
        }
    }
}
