import NIOCore

/// The kinds of frames that are known (RFC 9113, section 6).
enum FrameKind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
}

struct FrameFlags: OptionSet {
    let rawValue: UInt8

    static let endStream = FrameFlags(rawValue: 0x1)
    /// That of SETTINGS and PING.
    static let acknowledgement = FrameFlags(rawValue: 0x1)
    static let endHeaders = FrameFlags(rawValue: 0x4)
    static let padded = FrameFlags(rawValue: 0x8)
    static let priority = FrameFlags(rawValue: 0x20)
}

/// What begins each frame (RFC 9113, section 4.1).
struct FrameHead {
    static let size = 9

    let length: Int
    /// `nil` for a kind that is not known, and is to be ignored.
    let kind: FrameKind?
    let flags: FrameFlags
    let stream: Int

    /// - Returns: `nil` where a buffer does not hold a whole one.
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
