import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct PrivateFileTests {
    @Test func `A written file can be read by path and in an open directory, and is private to its owner`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try PrivateFile.replace(URL(fileURLWithPath: path), with: Data("one".utf8))
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

    @Test func `A file that is not private, not regular or too long is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try PrivateFile.replace(URL(fileURLWithPath: path), with: Data("1234".utf8))
            #expect(throws: PrivateAccessError.tooLong(maximum: 3)) { try PrivateFile.read(path, upTo: 3) }
            symlink("file", path + "-link")
            #expect(throws: PrivateAccessError.symbolicLink) { try PrivateFile.read(path + "-link", upTo: 9) }
            mkfifo(path + "-pipe", 0o600)
            #expect(throws: PrivateAccessError.notFile) { try PrivateFile.read(path + "-pipe", upTo: 9) }
            #expect(throws: PrivateAccessError.notFile) { try PrivateFile.read(directory.path, upTo: 9) }
            chmod(path, 0o400)
            #expect(try PrivateFile.read(path, upTo: 9) == Data("1234".utf8))
            chmod(path, 0o640)
            #expect(throws: PrivateAccessError.accessibleToOthers) { try PrivateFile.read(path, upTo: 9) }
        }
    }

    @Test func `A failed replacement leaves the target unchanged and no temporary file`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("file").path
            try FileManager.default.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
            #expect(throws: FileSystemError(code: EISDIR, attempt: "cannot be renamed")) {
                try PrivateFile.replace(URL(fileURLWithPath: path), with: Data("one".utf8))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
        }
    }
}
