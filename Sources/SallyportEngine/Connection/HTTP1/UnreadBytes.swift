import NIOCore
import SallyportTransport

/// Bytes of a connection that have come and have not been read yet.
struct UnreadBytes {
    private var bytes = ByteBuffer()
    /// How many of them are known to hold no line's end.
    private var searched = 0

    var isEmpty: Bool { bytes.readableBytes == 0 }

    mutating func add(_ more: ByteBuffer) {
        if isEmpty { bytes = more } else { bytes.writeImmutableBuffer(more) }
    }

    /// Takes what is there, up to a number of bytes; `nil` if nothing is.
    mutating func take(upTo count: Int64) -> ByteBuffer? {
        guard !isEmpty, let taken = bytes.readSlice(length: Int(min(count, Int64(bytes.readableBytes)))) else {
            return nil
        }
        release()
        return taken
    }

    /// Takes a line, without its end, once all of it is there.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for a line that ends otherwise than with CR and LF
    ///   (RFC 9112, section 2.2), and `tooLong` for one longer than `limit`.
    mutating func takeLine(
        upTo limit: Int,
        orThrow tooLong: @autoclosure () -> NetworkError
    ) throws(NetworkError) -> ByteBuffer? {
        let end = indexOfLineFeed(from: searched)
        if end > limit { throw tooLong() }
        guard end < bytes.readableBytes else {
            searched = end
            return nil
        }
        guard end > 0, bytes.getInteger(at: bytes.readerIndex + end - 1) == UInt8(ascii: "\r"),
            let line = bytes.readSlice(length: end - 1)
        else { throw .notHTTP1("a line does not end with CR and LF") }
        bytes.moveReaderIndex(forwardBy: 2)
        searched = 0
        release()
        return line
    }

    /// Counted from the first unread byte; the number of all where there is none.
    private func indexOfLineFeed(from start: Int) -> Int {
        let unread = bytes.readableBytesUInt8Span
        var index = start
        while index < unread.count, unread[index] != UInt8(ascii: "\n") { index += 1 }
        return index
    }

    /// Lets go of memory that is read, which the connection can then use for what comes next.
    private mutating func release() {
        if isEmpty { bytes = ByteBuffer() }
    }
}

extension NetworkError {
    static func largeHead(at limit: Int) -> NetworkError {
        .responseTooLarge(
            NetworkFailure("a response's head is larger than the \(limit) bytes that are accepted", phase: .head)
        )
    }

    static func notHTTP1(_ problem: String) -> NetworkError {
        .invalidResponse(
            NetworkFailure("the server sent something that is not HTTP/1.1 (\(problem))", phase: .head)
        )
    }
}
