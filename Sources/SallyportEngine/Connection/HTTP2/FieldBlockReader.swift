import NIOCore
import NIOHPACK

/// Puts the blocks of HEADERS and CONTINUATION together and decodes them (RFC 9113, section 4.3).
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

    private static let mostContinuations = 100

    private let largest: Int
    private var decoder: HPACKDecoder
    private var open: Open?

    /// - Parameter largest: The size of a head in bytes, on the wire and decoded, above which it is refused.
    init(largest: Int) {
        self.largest = max(largest, 1)
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: HPACKDecoder.maxDynamicTableSize,
            maxHeaderListSize: self.largest
        )
    }

    /// Whether nothing but a CONTINUATION may come.
    var awaitsMore: Bool { open != nil }

    /// - Returns: `nil` while more of the block is to come.
    mutating func begin(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) -> Block? {
        let bytes = try payload.block(of: head)
        guard bytes.readableBytes <= largest else { throw .largeHead }
        let open = Open(stream: head.stream, endsStream: head.flags.contains(.endStream), bytes: bytes)
        return try goOn(with: open, isWhole: head.flags.contains(.endHeaders))
    }

    mutating func add(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) -> Block? {
        guard var open, open.stream == head.stream else { throw .broken("CONTINUATION without a head") }
        // What it adds to is not copied for each frame.
        self.open = nil
        open.continuations += 1
        guard open.continuations <= Self.mostContinuations else { throw .flood(of: "CONTINUATION frames") }
        guard open.bytes.readableBytes + payload.readableBytes <= largest else { throw .largeHead }
        open.bytes.writeImmutableBuffer(payload)
        return try goOn(with: open, isWhole: head.flags.contains(.endHeaders))
    }

    private mutating func goOn(with block: Open, isWhole: Bool) throws(HTTP2Violation) -> Block? {
        guard isWhole else {
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
    /// The block in the payload of HEADERS, without padding and priority.
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
