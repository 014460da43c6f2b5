import Foundation
import TestSupport
import Testing

@testable import SallyportTransport

@Suite(.concurrencyLimited) struct SentFileTests {
    private static let content = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 7) })

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let url = directory.appendingPathComponent("sent")
            try Self.content.write(to: url)
            try await body(url)
        }
    }

    /// Reads to the end, and waits only if no bytes are available without waiting.
    private func read(_ file: SentFile, _ size: Int) throws -> Data {
        var all = Data()
        var piece = Data(count: size)
        while true {
            let count = try piece.withUnsafeMutableBytes { bytes in
                try file.read(into: bytes, mayWait: false) ?? file.read(into: bytes, mayWait: true) ?? -1
            }
            if count == 0 { return all }
            #expect(count > 0)
            all += piece.prefix(count)
        }
    }

    @Test(arguments: [1_000, 65_536, 1 << 20])
    func `A file is read completely and in order, in pieces of any size`(size: Int) async throws {
        try await withFile { url in
            let file = try await SentFile.open(url)
            #expect(try read(file, size) == Self.content)
        }
    }

    @Test(
        arguments: [(0, 10), (599_990, 1_000), (300_000, 65_537), (600_000, 5)]
    )
    func `A range of a file is read, and no more`(offset: Int, limit: Int) async throws {
        try await withFile { url in
            let file = try await SentFile.open(url, from: Int64(offset), limit: Int64(limit))
            let expected = Self.content.dropFirst(offset).prefix(limit)
            #expect(file.left == expected.count)
            #expect(try read(file, 4_096) == expected)
            #expect(file.left == 0)
        }
    }

    @Test func `A file that changes while it is read throws an error before its last bytes`() async throws {
        try await withFile { url in
            let file = try await SentFile.open(url)
            var count = 0
            let error = await #expect(throws: SentFile.Problem.self) {
                try await file.forEachPiece { piece in
                    if count == 0 {
                        let handle = try FileHandle(forWritingTo: url)
                        try handle.write(contentsOf: Data("changed".utf8))
                        try handle.close()
                    }
                    count += piece.count
                }
            }
            #expect(count > 0)
            #expect(error?.isChange == true)
            #expect(count < Self.content.count)
        }
    }

    @Test func `A file truncated after it was opened throws an error`() async throws {
        try await withFile { url in
            let file = try await SentFile.open(url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 1_000)
            try handle.close()
            let error = #expect(throws: SentFile.Problem.self) { try read(file, 512) }
            #expect(error?.isChange == true)
        }
    }

    @Test func `A directory and a missing file are refused with a specific reason`() throws {
        let folder = #expect(throws: SentFile.Problem.self) {
            try SentFile.version(of: FileManager.default.temporaryDirectory)
        }
        #expect(folder?.text == "is not a file")
        let nothing = #expect(throws: SentFile.Problem.self) {
            try SentFile.version(of: URL(fileURLWithPath: "/nowhere/file"))
        }
        #expect(nothing?.text == "cannot be read: No such file or directory")
    }
}
