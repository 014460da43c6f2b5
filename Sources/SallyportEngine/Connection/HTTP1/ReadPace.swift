import NIOCore

/// Lets the bytes of a fast sender gather, so that few large reads are made rather than many small ones.
///
/// To wake up for a read, and then wake the reader of the body, costs as much as to copy a hundred thousand bytes; and a
/// sender that is a little slower than this side has it wake up for every packet. Where so much comes so quickly that a
/// rest of a moment gives a large read, there is one. What comes slower, and the end of a body, is read at once.
struct ReadPace {
    /// For how long bytes may be left unread.
    static let rest = TimeAmount.microseconds(200)

    /// Less than that of a body is read at once.
    static let smallestBody: Int64 = 1 << 20

    /// What has to be expected within a rest.
    private static let worthwhile: Int64 = 64 << 10

    /// Who has read so much at a time has left some behind.
    private static let largestRead: Int64 = 500_000

    private var count: Int64 = 0
    private var last = NIODeadline.now()

    mutating func add(_ bytes: ByteBuffer) {
        count += Int64(bytes.readableBytes)
    }

    /// - Returns: Whether the next read is better made after a rest.
    mutating func endRead(at now: NIODeadline) -> Bool {
        defer { (count, last) = (0, now) }
        return count < Self.largestRead
            && count * Self.rest.nanoseconds > (now - last).nanoseconds * Self.worthwhile
    }
}
