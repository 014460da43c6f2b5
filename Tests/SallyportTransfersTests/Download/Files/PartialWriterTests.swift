import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct PartialWriterTests {
    private static let blockSize: Int64 = 64 << 10
    private let bytes = Data(pattern(4 * 65_536))

    /// Runs a closure with a partial file of four blocks.
    private func withPartialFile(_ body: (PartialFile) throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let paths = DownloadPaths(.file(folder.appendingPathComponent("map.zip")), key: "")
            let partial = try #require(try PartialFile.open(paths, creating: true))
            let header = DownloadJournal.Header(
                url: "",
                validators: DownloadValidators(entityTag: "\"a\""),
                total: Int64(bytes.count),
                blockSize: Self.blockSize
            )
            try partial.begin(header)
            try body(partial)
        }
    }

    /// Writes a range of the bytes as one stream, in small chunks.
    private func write(_ range: Range<Int>, to partial: PartialFile, reserved: Range<Int> = 0..<0) throws -> Bool {
        var writer = PartialWriter(partial, at: Int64(range.lowerBound), reserved: reserved)
        writer.resume()
        var isWanted = true
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1_000) where isWanted {
            isWanted = try writer.write(bytes[start..<min(start + 1_000, range.upperBound)])
        }
        try writer.end(isEndOfFile: false)
        return isWanted
    }

    private func contents(of partial: PartialFile) throws -> Data { try Data(contentsOf: partial.paths.partialFile) }

    @Test(arguments: [1, 40_000, 65_535])
    func `A stream that continues into a partial block of another stream writes the complete block`(
        count: Int
    ) async throws {
        try await withPartialFile { partial in
            _ = try write(65_536..<(65_536 + count), to: partial)
            let isWanted = try write(0..<bytes.count, to: partial)
            #expect(isWanted)
            #expect(partial.isComplete)
            #expect(try contents(of: partial) == bytes)
        }
    }

    @Test(arguments: [1, 40_000, 65_535])
    func `A stream that has reserved a partial block writes the complete block`(count: Int) async throws {
        try await withPartialFile { partial in
            _ = try write((2 * 65_536)..<(2 * 65_536 + count), to: partial)
            let isWanted = try write(65_536..<bytes.count, to: partial, reserved: 1..<4)
            #expect(isWanted)
            #expect(partial.completedBytes == 3 * Self.blockSize)
            #expect(try contents(of: partial).dropFirst(65_536) == bytes.dropFirst(65_536))
        }
    }

    @Test(arguments: [1, 40_000, 65_535])
    func `A stream resumes within a block where the previous one ended`(count: Int) async throws {
        try await withPartialFile { partial in
            _ = try write(0..<count, to: partial)
            #expect(partial.firstGap().start == Int64(count))
            _ = try write(count..<bytes.count, to: partial)
            #expect(partial.isComplete)
            #expect(try contents(of: partial) == bytes)
        }
    }

    @Test func `A stream that starts elsewhere in a partial block is refused`() async throws {
        try await withPartialFile { partial in
            _ = try write(0..<1_000, to: partial)
            let isWanted = try write(2_000..<3_000, to: partial)
            #expect(!isWanted)
            #expect(partial.firstGap().start == 1_000)
            #expect(partial.completedBytes == 1_000)
        }
    }
}
