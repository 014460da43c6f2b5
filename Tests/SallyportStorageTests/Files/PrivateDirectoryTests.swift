import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct PrivateDirectoryTests {
    @Test func `a directory is created with its parents, for its owner only`() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a/b/c")
            try PrivateDirectory.create(url.path)
            try PrivateDirectory.create(url.path)
            try PrivateDirectory.checkGuarded(url)
            #expect(FileState(url)?.isPrivate == true)
            #expect(FileState(folder.appendingPathComponent("a"))?.isPrivate == true)
        }
    }

    @Test func `a path below a file cannot be created`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            #expect(throws: FileSystemError(code: ENOTDIR, attempt: "cannot be created")) {
                try PrivateDirectory.create(file.appendingPathComponent("directory").path)
            }
        }
    }

    @Test func `a file, a missing directory and one that others can write to are refused`() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a")
            #expect(throws: PrivateAccessError.system(FileSystemError(code: ENOENT, attempt: "cannot be opened"))) {
                try PrivateDirectory(url.path)
            }
            try Data().write(to: url)
            #expect(throws: PrivateAccessError.notDirectory) { try PrivateDirectory(url.path) }
            #expect(throws: PrivateAccessError.notDirectory) { try PrivateDirectory.checkGuarded(url) }
            try FileManager.default.removeItem(at: url)
            try PrivateDirectory.create(url.path)
            chmod(url.path, 0o770)
            #expect(throws: PrivateAccessError.writableByOthers) { try PrivateDirectory(url.path) }
            #expect(throws: PrivateAccessError.writableByOthers) { try PrivateDirectory.checkGuarded(url) }
        }
    }

    @Test func `a file whose name is a directory cannot be written`() async throws {
        try await withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("file/inner"),
                withIntermediateDirectories: true
            )
            let directory = try PrivateDirectory(folder.path)
            let error = #expect(throws: FileSystemError.self) { try directory.write(Data(), as: "file") }
            #expect(error?.code == EEXIST)
        }
    }
}
