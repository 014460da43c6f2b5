import NIOCore

/// Cuts what a server sends into frames.
///
/// Of DATA it gives what has come, so that no body is held back or copied together; other frames it gives whole.
struct FrameReader {
    enum Item {
        case data(DataPiece, on: Int)
        case frame(FrameHead, ByteBuffer)
    }

    struct DataPiece {
        var bytes: ByteBuffer
        /// What it takes of the windows, with its padding.
        var size: Int
        var endsStream: Bool
    }

    /// A DATA frame of which more is to come.
    private struct OpenData {
        let stream: Int
        let endsStream: Bool
        var left: Int
        var padding: Int
    }

    private let largestFrame: Int
    private var rest = ByteBuffer()
    /// Whether the memory of `rest` is the reader's own.
    private var ownsRest = true
    private var open: OpenData?

    init(largestFrame: Int) {
        self.largestFrame = largestFrame
    }

    /// How much has been added and not been read.
    var unreadBytes: Int { rest.readableBytes }

    mutating func add(_ bytes: ByteBuffer) {
        if rest.readableBytes == 0 {
            rest = bytes
            ownsRest = false
        } else {
            rest.writeImmutableBuffer(bytes)
        }
    }

    /// Lets go of the memory that was added, but for a part of a frame whose other part is to come.
    mutating func release() {
        if rest.readableBytes == 0 {
            rest = ByteBuffer()
        } else if !ownsRest {
            rest = ByteBuffer(bytes: rest.readableBytesView)
        } else {
            rest.discardReadBytes()
        }
        ownsRest = true
    }

    mutating func next() throws(HTTP2Violation) -> Item? {
        if open != nil { return nextOfData(beginningWith: 0) }
        guard let head = FrameHead(at: rest) else { return nil }
        guard head.length <= largestFrame else { throw .length(of: "a frame") }
        if head.kind == .data { return try begin(head) }
        guard rest.readableBytes >= FrameHead.size + head.length else { return nil }
        rest.moveReaderIndex(forwardBy: FrameHead.size)
        return rest.readSlice(length: head.length).map { .frame(head, $0) }
    }

    private mutating func begin(_ head: FrameHead) throws(HTTP2Violation) -> Item? {
        var data = OpenData(
            stream: head.stream,
            endsStream: head.flags.contains(.endStream),
            left: head.length,
            padding: 0
        )
        var size = 0
        if head.flags.contains(.padded) {
            guard head.length > 0 else { throw .length(of: "DATA") }
            guard let padding: UInt8 = rest.getInteger(at: rest.readerIndex + FrameHead.size) else { return nil }
            guard padding < head.length else { throw .broken("padding that is longer than its frame") }
            data.padding = Int(padding)
            data.left = head.length - 1 - data.padding
            size = 1
        }
        rest.moveReaderIndex(forwardBy: FrameHead.size + size)
        open = data
        return nextOfData(beginningWith: size)
    }

    private mutating func nextOfData(beginningWith size: Int) -> Item? {
        guard var data = open else { return nil }
        let isOver = data.left + data.padding == 0
        guard isOver || size > 0 || rest.readableBytes > 0 else { return nil }
        let count = min(data.left, rest.readableBytes)
        guard let bytes = rest.readSlice(length: count) else { return nil }
        data.left -= count
        let padding = min(data.left == 0 ? data.padding : 0, rest.readableBytes)
        rest.moveReaderIndex(forwardBy: padding)
        data.padding -= padding
        let endsFrame = data.left + data.padding == 0
        open = endsFrame ? nil : data
        let piece = DataPiece(bytes: bytes, size: size + count + padding, endsStream: endsFrame && data.endsStream)
        return .data(piece, on: data.stream)
    }
}
