import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct PrivateFileTests {
    @Test func `What was written is read, by a path and in a folder that is open, and only its owner can read it`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try PrivateFile.replace(path, with: Data("one".utf8))
            #expect(try PrivateFile.read(path, upTo: 3) == Data("one".utf8))
            let folder = open(directory.path, O_RDONLY | O_DIRECTORY)
            defer { close(folder) }
            try PrivateFile.write(Data("two".utf8), to: "file", in: folder)
            #expect(try PrivateFile.read("file", in: folder, upTo: 3) == Data("two".utf8))
            #expect(try PrivateFile.read("other", in: folder, upTo: 3) == nil)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
        }
    }

    @Test func `What is no plain file of its owner's alone is not read, and neither is a long one`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try PrivateFile.replace(path, with: Data("1234".utf8))
            #expect(throws: PrivateFile.Refusal.longer(than: 3)) { try PrivateFile.read(path, upTo: 3) }
            symlink("file", path + "-link")
            #expect(throws: PrivateFile.Refusal.symbolicLink) { try PrivateFile.read(path + "-link", upTo: 9) }
            mkfifo(path + "-pipe", 0o600)
            #expect(throws: PrivateFile.Refusal.notFile) { try PrivateFile.read(path + "-pipe", upTo: 9) }
            #expect(throws: PrivateFile.Refusal.notFile) { try PrivateFile.read(directory.path, upTo: 9) }
            chmod(path, 0o400)
            #expect(try PrivateFile.read(path, upTo: 9) == Data("1234".utf8))
            chmod(path, 0o640)
            #expect(throws: PrivateFile.Refusal.open) { try PrivateFile.read(path, upTo: 9) }
        }
    }

    @Test func `A file that cannot be replaced stays, and nothing is left beside it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try FileManager.default.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
            expectError(\POSIXError.code, .EISDIR) { try PrivateFile.replace(path, with: Data("one".utf8)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
        }
    }
}
