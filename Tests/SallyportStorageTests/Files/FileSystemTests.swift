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

    @Test func `Files and pipes are read to their end, unless they are longer than the maximum`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("file")
            let content = Data((0..<200_000).map { UInt8($0 % 251) })
            try content.write(to: file)
            #expect(try FileSystem.content(of: file, upTo: 200_000) == content)
            #expect(try FileSystem.content(of: file, upTo: 199_999) == nil)
            try Data().write(to: file)
            #expect(try FileSystem.content(of: file, upTo: 0) == Data())
            #if os(Linux)
            let status = URL(fileURLWithPath: "/proc/self/status")
            #expect(try FileSystem.content(of: status, upTo: 65_536)?.isEmpty == false)
            #endif
            #expect(throws: FileSystemError(code: EISDIR, attempt: "cannot be read")) {
                try FileSystem.content(of: directory, upTo: 1)
            }
            #expect(throws: FileSystemError(code: ENOENT, attempt: "cannot be opened")) {
                try FileSystem.content(of: directory.appendingPathComponent("missing"), upTo: 1)
            }
            let pipe = Pipe()
            // Longer than a read returns at once.
            for part in [content.prefix(10), content.prefix(20_000)] {
                try pipe.fileHandleForWriting.write(contentsOf: part)
            }
            try pipe.fileHandleForWriting.close()
            let received = try FileSystem.content(of: pipe.fileHandleForReading.fileDescriptor, upTo: 20_010)
            #expect(received == content.prefix(10) + content.prefix(20_000))
        }
    }
}
