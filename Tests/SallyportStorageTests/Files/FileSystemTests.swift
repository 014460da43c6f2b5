import Foundation
import TestSupport
import Testing

@testable import SallyportStorage

@Suite(.concurrencyLimited) struct FileSystemTests {
    @Test func `Removing a file, a link or a directory removes what the path names, and reports if there is nothing`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("file")
            let link = directory.appendingPathComponent("link")
            let folder = directory.appendingPathComponent("folder")
            try Data().write(to: file)
            symlink("file", link.path)
            #expect(try FileSystem.remove(link))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
            #expect(try FileSystem.remove(file))
            #expect(try !FileSystem.remove(file))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data().write(to: folder.appendingPathComponent("file"))
            #expect(try FileSystem.remove(folder))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
