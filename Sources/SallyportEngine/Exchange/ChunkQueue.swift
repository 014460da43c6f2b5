import DequeModule
import NIOCore

/// The unread chunks of a body, in order.
///
/// The first chunk needs no memory of its own, because most responses have one only.
struct ChunkQueue {
    /// The maximum size of a chunk that small chunks are combined into. Each would retain the memory of a whole read.
    static let smallChunk = 4096

    /// The number of bytes in all chunks.
    private(set) var byteCount = 0
    private var first: ByteBuffer?
    private var others: Deque<ByteBuffer> = []

    var isEmpty: Bool { first == nil }

    /// Appends a chunk, or adds its bytes to the last chunk if both are small.
    mutating func append(_ chunk: ByteBuffer) {
        byteCount += chunk.readableBytes
        guard let last = (others.last ?? first)?.readableBytes else {
            first = chunk
            return
        }
        if last + chunk.readableBytes > Self.smallChunk {
            others.append(chunk)
        } else if others.isEmpty {
            first?.writeImmutableBuffer(chunk)
        } else {
            others[others.count - 1].writeImmutableBuffer(chunk)
        }
    }

    /// Removes the first chunk; returns `nil` if there is none.
    mutating func popFirst() -> ByteBuffer? {
        guard let chunk = first.take() else { return nil }
        first = others.popFirst()
        byteCount -= chunk.readableBytes
        return chunk
    }

    /// Removes all chunks, and returns their bytes as one.
    mutating func popAll() -> ByteBuffer {
        var bytes = popFirst() ?? ByteBuffer()
        while let chunk = popFirst() { bytes.writeImmutableBuffer(chunk) }
        return bytes
    }
}
