import NIOCore

/// Decides when a read is delayed, so that the bytes of a fast sender are read in few large pieces.
///
/// Waking up the event loop for a read, and then the reader of the body, costs as much as copying a hundred thousand
/// bytes. A sender that is slightly slower than this side would cause a wake-up for every packet. A read is delayed if
/// many bytes are expected within the delay. Bytes of a slower sender, and the end of a body, are read at once.
struct ReadCoalescing {
    /// The time for which received bytes may stay unread.
    static let delay = TimeAmount.microseconds(200)

    /// The number of missing bytes of a body below which reads are not delayed.
    static let minimumRemainder: Int64 = 1 << 20

    /// The number of bytes that must be expected within a delay.
    private static let minimumGain: Int64 = 64 << 10

    /// A read this large means that more bytes are already buffered.
    private static let largeRead: Int64 = 500_000

    private var count: Int64 = 0
    private var last = NIODeadline.now()

    mutating func add(_ bytes: ByteBuffer) {
        count += Int64(bytes.readableBytes)
    }

    /// Ends a read, and returns a Boolean value that indicates whether to delay the next one.
    mutating func delaysNextRead(after now: NIODeadline) -> Bool {
        defer { (count, last) = (0, now) }
        return count < Self.largeRead
            && count * Self.delay.nanoseconds > (now - last).nanoseconds * Self.minimumGain
    }
}
