import NIOCore
import NIOHTTP2
import SallyportTransport

/// How much an HTTP/2 connection takes at a time.
enum HTTP2Limits {
    /// What a server may send on one stream before its reader has taken it.
    static let streamWindow = 2 << 20

    /// What it may send on all streams before the connection has.
    static let connectionWindow = 16 << 20

    /// How many streams are opened until the server has told how many it takes: what it refuses may have begun to
    /// send a body that cannot be sent twice. Servers tell at once (RFC 9113, section 3.4).
    static let initialPlaces = 1

    /// How many are opened if the server sets no limit: as many as NIO sends before it keeps requests back, which
    /// would count as sent.
    static let untoldPlaces = 100

    /// How many streams are opened at most, whatever the server allows.
    static let largestPlaces = 1_000

    /// Bytes of a body that have been written to a stream and not to the network, above which its writer waits.
    static let unsentBytes = 128 << 10

    /// Bounds what is read at a time: TLS and frames keep it all until it has been given on.
    static func boundReads(of channel: any Channel) throws {
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 16_384, maximum: 65_536)
        try channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 4)
    }

    static func settings(_ responses: ResponseLimits) -> HTTP2Settings {
        [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: min(responses.headBytes, Int(Int32.max))),
            HTTP2Setting(parameter: .maxFrameSize, value: 64 << 10),
        ]
    }
}
