import NIOCore

/// Splits the bytes from a server into frames.
///
/// The content of DATA frames is returned as it arrives, without waiting for the rest of the frame and without a copy.
/// Other frames are returned when they are complete.
struct FrameReader {
    enum Item {
        case data(DataPiece, on: Int)
        case frame(FrameHead, ByteBuffer)
    }

    struct DataPiece {
        var bytes: ByteBuffer
        /// The number of bytes that count against the windows, including padding.
        var size: Int
        var endsStream: Bool
    }

    /// A DATA frame that is incomplete.
    private struct OpenData {
        let stream: Int
        let endsStream: Bool
        var left: Int
        var padding: Int
    }

    private let maximumFrame: Int
    private var rest = ByteBuffer()
    /// A Boolean value that indicates whether the reader allocated the memory of `rest` itself.
    private var ownsRest = true
    private var open: OpenData?

    init(maximumFrame: Int) {
        self.maximumFrame = maximumFrame
    }

    /// The number of bytes that have been added and not read.
    var unreadBytes: Int { rest.readableBytes }

    mutating func add(_ bytes: ByteBuffer) {
        if rest.readableBytes == 0 {
            rest = bytes
            ownsRest = false
        } else {
            rest.writeImmutableBuffer(bytes)
        }
    }

    /// Releases the memory of the added bytes, except for the beginning of an incomplete frame.
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

    /// Returns the next frame or part of a DATA frame, or `nil` if more bytes are needed.
    mutating func next() throws(HTTP2Violation) -> Item? {
        if open != nil { return nextOfData(beginningWith: 0) }
        guard let head = FrameHead(at: rest) else { return nil }
        guard head.length <= maximumFrame else { throw .length(of: "a frame") }
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

/// The types of frames that the client knows (RFC 9113, section 6).
enum FrameKind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
}

struct FrameFlags: OptionSet {
    let rawValue: UInt8

    static let endStream = FrameFlags(rawValue: 0x1)
    /// The flag of SETTINGS and PING.
    static let acknowledgement = FrameFlags(rawValue: 0x1)
    static let endHeaders = FrameFlags(rawValue: 0x4)
    static let padded = FrameFlags(rawValue: 0x8)
    static let priority = FrameFlags(rawValue: 0x20)
}

/// The header of a frame (RFC 9113, section 4.1).
struct FrameHead {
    static let size = 9

    let length: Int
    /// The type, or `nil` for an unknown type, which must be ignored.
    let kind: FrameKind?
    let flags: FrameFlags
    let stream: Int

    /// Reads the header at the start of a buffer; `nil` if it is incomplete.
    init?(at buffer: ByteBuffer) {
        guard buffer.readableBytes >= Self.size else { return nil }
        self = buffer.withUnsafeReadableBytes { bytes in
            FrameHead(
                length: Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2]),
                kind: FrameKind(rawValue: bytes[3]),
                flags: FrameFlags(rawValue: bytes[4]),
                stream: Int(bytes[5] & 0x7F) << 24 | Int(bytes[6]) << 16 | Int(bytes[7]) << 8 | Int(bytes[8])
            )
        }
    }

    private init(length: Int, kind: FrameKind?, flags: FrameFlags, stream: Int) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.stream = stream
    }
}
