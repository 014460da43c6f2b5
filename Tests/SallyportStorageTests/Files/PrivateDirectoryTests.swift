import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct PrivateDirectoryTests {
    @Test func `A directory is created with its parents, private to its owner`() async throws {
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a/b/c")
            try PrivateDirectory.create(url.path)
            try PrivateDirectory.create(url.path)
            try PrivateDirectory.checkGuarded(url)
            #expect(FileState(url)?.isPrivate == true)
            #expect(FileState(folder.appendingPathComponent("a"))?.isPrivate == true)
        }
    }

    @Test func `A directory below a file cannot be created`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            #expect(throws: FileSystemError(code: ENOTDIR, attempt: "cannot be created")) {
                try PrivateDirectory.create(file.appendingPathComponent("directory").path)
            }
        }
    }

    @Test func `A file, a missing directory and a directory writable by others are refused`() async throws {
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

    @Test func `Writing a file with the name of an existing directory fails`() async throws {
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
