import NIOCore
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ChunkQueueTests {
    private func queue(_ sizes: [Int]) -> ChunkQueue {
        var queue = ChunkQueue()
        for (number, size) in sizes.enumerated() {
            queue.append(ByteBuffer(repeating: UInt8(number), count: size))
        }
        return queue
    }

    @Test
    func `Chunks are returned in order, and small ones are combined`() {
        var queue = queue([5_000, 3_000, 1_000, 97, 3_000, 10])
        #expect(queue.byteCount == 12_107)
        var sizes: [Int] = []
        var bytes: [UInt8] = []
        while let chunk = queue.popFirst() {
            sizes.append(chunk.readableBytes)
            bytes += chunk.readableBytesView
        }
        #expect(sizes == [5_000, 3_000 + 1_000, 97 + 3_000 + 10])
        #expect(bytes == bytes.sorted())
        #expect(queue.isEmpty && queue.byteCount == 0)
    }

    @Test
    func `A chunk is combined with the first one only if there are no others`() {
        var queue = queue([10, 20])
        queue.append(ByteBuffer(repeating: 2, count: 5_000))
        queue.append(ByteBuffer(repeating: 3, count: 30))
        #expect(queue.popFirst()?.readableBytes == 30)
        #expect(queue.popFirst()?.readableBytes == 5_000)
        #expect(queue.popFirst()?.readableBytes == 30)
        #expect(queue.popFirst() == nil)
    }

    @Test(arguments: [[], [10], [10, 5_000, 5_000]])
    func `All chunks are returned as one`(sizes: [Int]) {
        var queue = queue(sizes)
        #expect(queue.popAll().readableBytes == sizes.reduce(0, +))
        #expect(queue.isEmpty && queue.byteCount == 0)
    }
}
