import NIOCore

/// Decides when a read is delayed, so that the bytes of a fast sender are read in few large pieces.
///
/// Waking up the event loop for a read, and then the reader of the body, costs as much as copying a hundred thousand
/// bytes. A sender that is slightly slower than this side would cause a wake-up for every packet. A read is delayed if
/// many bytes are expected within the delay. Bytes of a slower sender, and the end of a body, are read at once.
struct ReadCoalescing {
    /// The maximum time that received bytes may stay unread.
    private static let delay = TimeAmount.microseconds(200)

    /// The number of missing bytes of a body below which reads are not delayed.
    private static let minimumRemainder: Int64 = 1 << 20

    /// The number of bytes that must be expected within a delay.
    private static let minimumGain: Int64 = 64 << 10

    /// Returns the maximum number of bytes that a channel reads at a time, in two buffers.
    static func maximumRead(isSecure: Bool) -> Int { isSecure ? 512 << 10 : 1 << 20 }

    /// A read this large means that more bytes are already buffered. It is slightly less than the maximum, because the
    /// content of TLS records is smaller than the records.
    private let largeRead: Int64

    private var count: Int64 = 0
    private var last = NIODeadline.now()
    private var delaysNextRead = false

    init(isSecure: Bool) {
        largeRead = Int64(Self.maximumRead(isSecure: isSecure)) * 15 / 16
    }

    mutating func add(_ bytes: ByteBuffer) {
        count += Int64(bytes.readableBytes)
    }

    /// Ends a read, and determines whether to delay the next one.
    ///
    /// - Parameter missing: The number of bytes that are missing from a body, as far as is known.
    mutating func readCompleted(at now: NIODeadline = .now(), missing: Int64) {
        delaysNextRead =
            missing >= Self.minimumRemainder && count < largeRead
            && count * Self.delay.nanoseconds > (now - last).nanoseconds * Self.minimumGain
        (count, last) = (0, now)
    }

    /// Returns a Boolean value that indicates whether to call ``readLater(on:)`` instead of reading now.
    mutating func takeDelay() -> Bool {
        defer { delaysNextRead = false }
        return delaysNextRead
    }

    /// Reads from a channel after the delay.
    static func readLater(on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: delay) { channel.read() }
    }
}
