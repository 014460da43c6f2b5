import NIOCore
import SallyportTransport

/// The limits of HTTP/2 connections. Sizes are in bytes.
enum HTTP2Limits {
    /// The number of bytes that a server may send on one stream before its body is read.
    static let streamWindow = 2 << 20

    /// The number of bytes that a server may send on all streams before the connection has received them.
    static let connectionWindow = 16 << 20

    /// The initial size of all windows (RFC 9113, section 6.9.2).
    static let defaultWindow = 65_535

    static let maximumWindow = Int(Int32.max)

    /// The number of streams opened before the server's settings arrive, which it sends at once (RFC 9113, section
    /// 3.4).
    ///
    /// A refused stream may have begun to send a body that cannot be sent twice.
    static let initialStreams = 1

    /// The number of streams opened if the server sets no limit.
    static let defaultStreams = 100

    /// The maximum number of streams, even if the server allows more.
    static let maximumStreams = 1_000

    static let maximumStreamID = Int(Int32.max)

    /// The limit on unsent bytes: while more bytes of a body are queued, its producer waits, and at most this many
    /// bytes of all bodies together are being written to the network.
    static let maximumUnsentBytes = 128 << 10

    /// The largest frame that a server may send, and the largest frame that every server must accept.
    static let maximumFrame = 64 << 10
    static let minimumFrame = 16 << 10

    /// The maximum size of a chunk that the parts of a body from one read are copied into.
    static let maximumChunk = 256 << 10

    /// The maximum number of consecutive DATA frames without content.
    static let maximumEmptyFrames = 100

    /// Returns the client's settings.
    static func settings(_ responses: ResponseLimits) -> [(number: UInt16, value: Int)] {
        [
            (HTTP2Setting.enablePush.rawValue, 0),
            (HTTP2Setting.initialWindow.rawValue, streamWindow),
            (HTTP2Setting.maximumFrame.rawValue, maximumFrame),
            (HTTP2Setting.maximumHead.rawValue, responses.headBytes),
        ]
    }

    /// Limits the number of bytes read at a time, as TLS holds them until they have been processed.
    static func boundReads(of channel: any Channel) throws {
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 65_536)
        try channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 8)
    }
}

/// The settings that matter to a client (RFC 9113, section 6.5.2).
enum HTTP2Setting: UInt16 {
    case tableSize = 1
    case enablePush, maximumStreams, initialWindow, maximumFrame, maximumHead
}

/// The counters for frames that a server may send occasionally but not in large numbers.
struct FloodCounters {
    /// SETTINGS, PING and PRIORITY.
    var controls = FloodCounter()
    var resets = FloodCounter()
    var brokenStreams = FloodCounter()
    /// The number of consecutive DATA frames without content.
    var emptyData = 0
}

/// Detects a flood: more than 200 occurrences of an event within 30 seconds.
struct FloodCounter {
    private static let limit = 200
    private static let period = TimeAmount.seconds(30)

    private var count = 0
    private var since = NIODeadline.now()

    /// Counts an occurrence, and returns a Boolean value that indicates whether the limit is exceeded.
    mutating func overflows(at now: NIODeadline) -> Bool {
        if now - since > Self.period { (count, since) = (0, now) }
        count += 1
        return count > Self.limit
    }
}
