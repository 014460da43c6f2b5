import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct DownloadBlocksTests {
    private var blocks = DownloadBlocks(blockSize: 10, total: 95)

    @Test(
        arguments: [
            (nil, 256 << 10), (0, 64 << 10), (64 << 20, 64 << 10), (100 << 20, 128 << 10), (1 << 30, 1 << 20),
            (1 << 40, 4 << 20),
        ] as [(Int64?, Int64)]
    )
    func `The block size is about a thousandth of the total size, within limits`(total: Int64?, size: Int64) {
        #expect(DownloadBlocks.blockSize(for: total) == size)
    }

    @Test func `The last block contains the remaining bytes`() {
        #expect(blocks.count == 10)
        #expect(blocks.length(of: 8) == 10)
        #expect(blocks.length(of: 9) == 5)
        #expect(DownloadBlocks(blockSize: 10, total: 100).count == 10)
        #expect(DownloadBlocks(blockSize: 10, total: 0).isComplete)
        #expect(!DownloadBlocks(blockSize: 10, total: nil).isComplete)
    }

    @Test mutating func `A block can be claimed by one connection only, at its first missing byte`() {
        blocks.recordBeginning(DownloadBlocks.Beginning(count: 4), of: 0)
        #expect(blocks.completedBytes == 4)
        #expect(blocks.firstGap().start == 4)
        #expect(blocks.claim(at: 3) == nil)
        #expect(blocks.claim(at: 4)?.beginning.count == 4)
        #expect(blocks.claim(at: 4) == nil)
        blocks.complete(0, sum: 1)
        #expect(blocks.claim(at: 0) == nil)
        #expect(blocks.claim(at: 100) == nil)
        #expect(blocks.completedBytes == 10)
        _ = blocks.claim(at: 10)
        blocks.recordBeginning(DownloadBlocks.Beginning(), of: 1)
        #expect(blocks.claim(at: 10) != nil)
    }

    @Test mutating func `Claiming a block at its first byte discards its partial content`() {
        blocks.recordBeginning(DownloadBlocks.Beginning(count: 4), of: 2)
        #expect(blocks.claim(at: 20)?.beginning.count == 0)
        #expect(blocks.completedBytes == 0)
    }

    @Test mutating func `The first gap ends at the next complete block`() {
        #expect(blocks.firstGap() == (0, nil))
        blocks.complete(0, sum: 1)
        blocks.complete(5, sum: 1)
        blocks.complete(7, sum: 1)
        #expect(blocks.firstGap() == (10, 50))
        for block in 1...4 { blocks.complete(block, sum: 1) }
        #expect(blocks.firstGap() == (60, 70))
        for block in [6, 8] { blocks.complete(block, sum: 1) }
        #expect(blocks.firstGap() == (90, nil))
        blocks.complete(9, sum: 1)
        #expect(blocks.isComplete)
        #expect(blocks.completedBytes == 95)
    }

    @Test mutating func `Block ranges are reserved from the end and never twice`() {
        blocks = DownloadBlocks(blockSize: 1 << 20, total: 100 << 20)
        var seen: Set<Int> = []
        _ = blocks.claim(at: 0)
        while let stretch = blocks.reserve(connections: 4) {
            #expect(seen.isDisjoint(with: stretch))
            seen.formUnion(stretch)
        }
        #expect(seen == Set(1..<100))
        blocks.release(20..<30)
        #expect(blocks.reserve(connections: 4) == 29..<30)
        #expect(blocks.claim(at: 25 << 20) != nil)
        #expect(blocks.claim(at: 40 << 20) == nil)
        #expect(blocks.claim(at: 40 << 20, reserved: 40..<41) != nil)
    }

    @Test func `An arbitrarily large total size needs no memory`() {
        var blocks = DownloadBlocks(blockSize: 4 << 20, total: .max)
        #expect(blocks.count == 1 << 41)
        #expect(blocks.length(of: (1 << 41) - 1) == (4 << 20) - 1)
        #expect(blocks.reserve(connections: 2)?.count == 1024)
        #expect(blocks.firstGap() == (0, nil))
    }

    @Test func `Learning the total size discards blocks that do not match it`() {
        var blocks = DownloadBlocks(blockSize: 10, total: nil)
        for block in [0, 2, 3] { blocks.complete(block, sum: 1) }
        blocks.recordBeginning(DownloadBlocks.Beginning(count: 6), of: 1)
        _ = blocks.firstGap()
        blocks.total = 25
        #expect(!blocks.isComplete)
        #expect(blocks.completedBytes == 16)
        blocks.total = 20
        #expect(!blocks.isComplete)
        blocks.complete(1, sum: 1)
        #expect(blocks.isComplete)
        #expect(blocks.completedBytes == 20)
    }
}
