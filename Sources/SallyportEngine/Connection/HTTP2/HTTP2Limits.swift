import NIOCore
import SallyportTransport

/// How much an HTTP/2 connection takes at a time.
enum HTTP2Limits {
    /// What a server may send on one stream before its reader has taken it.
    static let streamWindow = 2 << 20

    /// What it may send on all streams before the connection has.
    static let connectionWindow = 16 << 20

    /// What may be sent where nothing else was said (RFC 9113, section 6.9.2).
    static let defaultWindow = 65_535

    static let largestWindow = Int(Int32.max)

    /// How many streams are opened until the server has told how many it takes: what it refuses may have begun to
    /// send a body that cannot be sent twice. Servers tell at once (RFC 9113, section 3.4).
    static let initialPlaces = 1

    /// How many are opened if the server sets no limit.
    static let untoldPlaces = 100

    /// How many streams are opened at most, whatever the server allows.
    static let largestPlaces = 1_000

    static let largestStream = Int(Int32.max)

    /// Bytes of a body that have been written to a stream and not to the network, above which its writer waits; and of
    /// all bodies that are on their way to the network at a time.
    static let unsentBytes = 128 << 10

    /// The largest frame that a server may send, and the largest that it must take.
    static let largestFrame = 64 << 10
    static let smallestFrame = 16 << 10

    /// Up to this size what comes of a body in one read is copied together.
    static let chunk = 64 << 10

    /// DATA without any content, one after the other, above which they are a flood.
    static let emptyFrames = 100

    static func settings(_ responses: ResponseLimits) -> [(number: UInt16, value: Int)] {
        [
            (HTTP2Setting.enablePush.rawValue, 0),
            (HTTP2Setting.initialWindow.rawValue, streamWindow),
            (HTTP2Setting.largestFrame.rawValue, largestFrame),
            (HTTP2Setting.largestHead.rawValue, responses.headBytes),
        ]
    }

    /// Bounds what is read at a time, which TLS keeps until it has been given on.
    static func boundReads(of channel: any Channel) throws {
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 65_536)
        try channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 8)
    }
}

/// The settings that matter to a client (RFC 9113, section 6.5.2).
enum HTTP2Setting: UInt16 {
    case tableSize = 1
    case enablePush, mostStreams, initialWindow, largestFrame, largestHead
}
