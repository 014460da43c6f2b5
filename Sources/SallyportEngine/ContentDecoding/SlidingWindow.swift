import SallyportTransport

/// The last 32 KiB of decoded bytes, which matches copy from (RFC 1951 section 2), and room for new ones behind them.
struct SlidingWindow: Sendable {
    private static let historySize = 32 * 1024
    private static let limit = 2 * historySize
    private static let longestMatch = 258
    /// Matches are copied in words, and the last word may reach this far beyond the match.
    private static let overshoot = 8

    private var storage = [UInt8](repeating: 0, count: limit + overshoot)
    /// The end of what is decoded.
    private var end = 0
    /// The start of what nobody took yet.
    private var pendingStart = 0

    /// How many decoded bytes wait to be taken.
    var pendingCount: Int {
        end - pendingStart
    }

    /// Whether the pending bytes must be taken before there is room for another match.
    var isFull: Bool {
        Self.limit - end < Self.longestMatch
    }

    /// Appends pending bytes to `output`, at most `limit`, and keeps them as history.
    mutating func takePending(into output: inout [UInt8], upTo limit: Int) {
        let taken = pendingStart..<pendingStart + min(limit, pendingCount)
        output.append(contentsOf: storage[taken])
        pendingStart = taken.upperBound
        guard pendingStart == end, isFull else { return }
        storage.withUnsafeMutableBytes { bytes in
            let history = UnsafeRawBufferPointer(rebasing: bytes[end - Self.historySize..<end])
            bytes.copyMemory(from: history)
        }
        end = Self.historySize
        pendingStart = end
    }

    /// Forgets the history, for a new stream.
    mutating func reset() {
        end = 0
        pendingStart = 0
    }

    /// Copies at most `count` bytes of an aligned reader, and says how many.
    mutating func append(_ count: Int, from reader: inout BitReader) -> Int {
        let target = end..<min(end + count, Self.limit)
        let copied = storage.withUnsafeMutableBytes { bytes in
            reader.readBytes(into: UnsafeMutableRawBufferPointer(rebasing: bytes[target]))
        }
        end += copied
        return copied
    }

    /// Lets `body` write symbols at the end while there is room for the longest match.
    @inline(__always)
    mutating func withWriter<Result>(
        _ body: (inout SymbolWriter) throws(ContentDecodingError) -> Result
    ) throws(ContentDecodingError) -> Result {
        let start = end
        let (result, written) = try storage.withUnsafeMutableBufferPointer {
            (buffer) throws(ContentDecodingError) -> (Result, Int) in
            var writer = SymbolWriter(buffer, at: start, fullAfter: Self.limit - Self.longestMatch)
            let result = try body(&writer)
            return (result, writer.position)
        }
        end = written
        return result
    }
}
