import NIOCore
import SallyportTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The bytes of a connection that have been received and not yet parsed.
struct UnreadBytes {
    private var bytes = ByteBuffer()
    /// The number of bytes at the beginning that are known to contain no line feed.
    private var searched = 0

    var isEmpty: Bool { bytes.readableBytes == 0 }

    var count: Int { bytes.readableBytes }

    mutating func add(_ more: ByteBuffer) {
        if isEmpty { bytes = more } else { bytes.writeImmutableBuffer(more) }
    }

    /// Removes a prefix. Returns `false` and changes nothing if the bytes do not begin with it.
    mutating func skip(_ prefix: ByteBuffer) -> Bool {
        guard let start = bytes.getSlice(at: bytes.readerIndex, length: prefix.readableBytes), start == prefix else {
            return false
        }
        bytes.moveReaderIndex(forwardBy: prefix.readableBytes)
        searched = 0
        release()
        return true
    }

    /// Returns the bytes of this value that have been taken from a copy, to which none were added.
    func taken(before rest: UnreadBytes) -> ByteBuffer? {
        bytes.getSlice(at: bytes.readerIndex, length: bytes.readableBytes - rest.bytes.readableBytes)
    }

    /// Takes the available bytes, at most `count`; `nil` if there are none.
    mutating func take(upTo count: Int64) -> ByteBuffer? {
        guard !isEmpty, let taken = bytes.readSlice(length: Int(min(count, Int64(bytes.readableBytes)))) else {
            return nil
        }
        release()
        return taken
    }

    /// Takes the next line, without its line ending, once it is complete.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes before the line feed.
    ///   - allowsBareLineFeed: If `true`, the line may end with LF alone, which RFC 9112, section 2.2 allows in heads.
    ///   - tooLong: The error for a line that exceeds the limit.
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if the line does not end with CR and LF, and `tooLong`.
    mutating func takeLine(
        upTo limit: Int,
        allowsBareLineFeed: Bool = false,
        orThrow tooLong: @autoclosure () -> NetworkError
    ) throws(NetworkError) -> ByteBuffer? {
        let end = indexOfLineFeed(from: searched)
        if end > limit { throw tooLong() }
        guard end < bytes.readableBytes else {
            searched = end
            return nil
        }
        let hasReturn = end > 0 && bytes.getInteger(at: bytes.readerIndex + end - 1) == UInt8(ascii: "\r")
        guard hasReturn || allowsBareLineFeed, let line = bytes.readSlice(length: hasReturn ? end - 1 : end) else {
            throw .notHTTP1("a line does not end with CR and LF")
        }
        bytes.moveReaderIndex(forwardBy: hasReturn ? 2 : 1)
        searched = 0
        release()
        return line
    }

    /// Returns the offset of the first line feed, or the number of all bytes if there is none.
    private func indexOfLineFeed(from start: Int) -> Int {
        bytes.withUnsafeReadableBytes { unread in
            guard start < unread.count, let first = unread.baseAddress,
                let found = memchr(first + start, CInt(UInt8(ascii: "\n")), unread.count - start)
            else { return unread.count }
            return UnsafeRawPointer(found) - first
        }
    }

    /// Releases the memory once everything is parsed, so that the connection can reuse it for its next read.
    private mutating func release() {
        if isEmpty { bytes = ByteBuffer() }
    }
}

extension NetworkError {
    static func largeHead(at limit: Int) -> NetworkError {
        .responseTooLarge(
            NetworkFailure(
                "a response's head is larger than the \(Quantity.size(Int64(limit))) that are accepted",
                phase: .head,
                advice: SettingAdvice.raiseHeadLimits.rawValue
            )
        )
    }

    static func notHTTP1(_ problem: String, while phase: ExchangePhase = .head) -> NetworkError {
        .invalidResponse(
            NetworkFailure("the server sent something that is not HTTP/1.1 (\(problem))", phase: phase)
        )
    }
}
