import Foundation
import SallyportStorage
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: geteuid() == 0 && access("/run", W_OK) == 0, "needs root, who owns mounted secrets")
)
struct SecretFileTests {
    /// Runs a closure with a folder of root, below directories of root.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = URL(fileURLWithPath: "/run/sallyport-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ url: URL, mode: mode_t) throws {
        try Data("secret".utf8).write(to: url)
        try #require(chmod(url.path, mode) == 0)
    }

    private func read(_ url: URL) throws(PrivateAccessError) -> String? {
        try SecretFile.read(url.path, upTo: 100).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A secret that Docker mounts, which all users can read, is accepted`() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write(file, mode: 0o444)
            #expect(try read(file) == "secret")
            #expect(try read(folder.appendingPathComponent("missing")) == nil)
        }
    }

    @Test func `A secret that Kubernetes mounts, behind two symbolic links, is accepted`() throws {
        try withFolder { folder in
            let version = folder.appendingPathComponent("..2026_11_28")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: false)
            try write(version.appendingPathComponent("key"), mode: 0o440)
            let manager = FileManager.default
            let (data, file) = (folder.appendingPathComponent("..data"), folder.appendingPathComponent("key"))
            try manager.createSymbolicLink(atPath: data.path, withDestinationPath: "..2026_11_28")
            try manager.createSymbolicLink(atPath: file.path, withDestinationPath: "..data/key")
            #expect(try read(file) == "secret")

            // Another user could replace the link, or the directory.
            try #require(lchown(data.path, 65534, 65534) == 0)
            #expect(throws: PrivateAccessError.symbolicLink) { try read(file) }
            try #require(lchown(data.path, 0, 0) == 0)
            try #require(chmod(folder.path, 0o777) == 0)
            #expect(throws: PrivateAccessError.symbolicLink) { try read(file) }
            try #require(chmod(folder.path, 0o1777) == 0)
            #expect(throws: PrivateAccessError.symbolicLink) { try read(file) }
        }
    }

    @Test func `A file that others can write, or that is in a directory that others can write, is refused`()
        async throws
    {
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try write(file, mode: 0o664)
            #expect(throws: PrivateAccessError.accessibleToOthers) { try read(file) }
            try #require(chmod(file.path, 0o444) == 0 && chown(folder.path, 65534, 65534) == 0)
            #expect(throws: PrivateAccessError.accessibleToOthers) { try read(file) }
        }
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("key")
            try write(file, mode: 0o444)
            #expect(throws: PrivateAccessError.accessibleToOthers) { try read(file) }
        }
    }

    @Test func `Links that lead in a circle are refused`() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("key")
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "key")
            #expect(throws: PrivateAccessError.symbolicLink) { try read(file) }
        }
    }
}
