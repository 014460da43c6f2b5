import NIOCore
import NIOHPACK

/// Reassembles field blocks from HEADERS and CONTINUATION frames and decodes them (RFC 9113, section 4.3).
struct FieldBlockReader {
    struct Block {
        let stream: Int
        let endsStream: Bool
        let fields: HPACKHeaders
    }

    private struct Open {
        let stream: Int
        let endsStream: Bool
        var bytes: ByteBuffer
        var continuations = 0
    }

    private static let maximumContinuations = 100

    private let maximumSize: Int
    private var decoder: HPACKDecoder
    private var open: Open?

    /// - Parameter maximumSize: The maximum size of a head in bytes, both encoded and decoded.
    init(maximumSize: Int) {
        self.maximumSize = max(maximumSize, 1)
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: HPACKDecoder.maxDynamicTableSize,
            maxHeaderListSize: self.maximumSize
        )
    }

    /// A Boolean value that indicates whether the next frame must be a CONTINUATION.
    var awaitsMore: Bool { open != nil }

    /// Begins a block with a HEADERS frame.
    ///
    /// - Returns: The block, or `nil` if it is incomplete.
    mutating func begin(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) -> Block? {
        let bytes = try payload.block(of: head)
        guard bytes.readableBytes <= maximumSize else { throw .largeHead }
        let open = Open(stream: head.stream, endsStream: head.flags.contains(.endStream), bytes: bytes)
        return try proceed(with: open, isComplete: head.flags.contains(.endHeaders))
    }

    /// Adds a CONTINUATION frame to the open block.
    ///
    /// - Returns: The block, or `nil` if it is incomplete.
    mutating func add(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) -> Block? {
        guard var open, open.stream == head.stream else { throw .broken("CONTINUATION without HEADERS") }
        // Avoids a copy of the bytes for each frame.
        self.open = nil
        open.continuations += 1
        guard open.continuations <= Self.maximumContinuations else { throw .flood(of: "CONTINUATION frames") }
        guard open.bytes.readableBytes + payload.readableBytes <= maximumSize else { throw .largeHead }
        open.bytes.writeImmutableBuffer(payload)
        return try proceed(with: open, isComplete: head.flags.contains(.endHeaders))
    }

    private mutating func proceed(with block: Open, isComplete: Bool) throws(HTTP2Violation) -> Block? {
        guard isComplete else {
            open = block
            return nil
        }
        open = nil
        var bytes = block.bytes
        do {
            let fields = try decoder.decodeHeaders(from: &bytes)
            return Block(stream: block.stream, endsStream: block.endsStream, fields: fields)
        } catch is NIOHPACKErrors.MaxHeaderListSizeViolation {
            throw .largeHead
        } catch {
            throw .broken("fields that cannot be decoded", .compressionError)
        }
    }
}

extension ByteBuffer {
    /// Returns the block in the payload of a HEADERS frame, without padding and priority.
    fileprivate func block(of head: FrameHead) throws(HTTP2Violation) -> ByteBuffer {
        var block = self
        var padding = 0
        if head.flags.contains(.padded) {
            guard let count: UInt8 = block.readInteger() else { throw .length(of: "HEADERS") }
            padding = Int(count)
        }
        if head.flags.contains(.priority) {
            guard block.readableBytes >= 5 else { throw .length(of: "HEADERS") }
            block.moveReaderIndex(forwardBy: 5)
        }
        guard padding <= block.readableBytes else { throw .broken("padding that is longer than its frame") }
        block.moveWriterIndex(to: block.writerIndex - padding)
        return block
    }
}
