import SallyportTransport

/// A buffer with the last 32 KiB of decoded bytes, which matches refer to (RFC 1951, section 2), and capacity for new
/// ones.
struct SlidingWindow: Sendable {
    private static let historySize = 32 * 1024
    private static let limit = 2 * historySize
    private static let longestMatch = 258
    /// The number of bytes by which copying a match in words may write beyond its end.
    private static let overshoot = 8

    private var storage = [UInt8](repeating: 0, count: limit + overshoot)
    /// The end of the decoded bytes.
    private var end = 0
    /// The start of the decoded bytes that have not been taken.
    private var pendingStart = 0

    /// The number of decoded bytes that have not been taken.
    var pendingCount: Int {
        end - pendingStart
    }

    /// A Boolean value that indicates whether the pending bytes must be taken before another match fits.
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

    /// Discards the history, for a new stream.
    mutating func reset() {
        end = 0
        pendingStart = 0
    }

    /// Copies at most `count` bytes from an aligned reader, and returns their number.
    mutating func append(_ count: Int, from reader: inout BitReader) -> Int {
        let target = end..<min(end + count, Self.limit)
        let copied = storage.withUnsafeMutableBytes { bytes in
            reader.readBytes(into: UnsafeMutableRawBufferPointer(rebasing: bytes[target]))
        }
        end += copied
        return copied
    }

    /// Calls `body` with a writer that appends symbols while the longest match fits.
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

/// Writes literals and matches into the memory of a `SlidingWindow`.
///
/// Preconditions that are not checked: `hasCapacity` is true before each literal or match, a match has at most 258
/// bytes, and its distance is at most `position`.
struct SymbolWriter {
    private let bytes: UnsafeMutableRawBufferPointer
    private let fullAfter: Int
    private(set) var position: Int

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int, fullAfter: Int) {
        bytes = UnsafeMutableRawBufferPointer(buffer)
        self.position = position
        self.fullAfter = fullAfter
    }

    @inline(__always)
    var hasCapacity: Bool {
        position <= fullAfter
    }

    @inline(__always)
    mutating func append(_ literal: UInt8) {
        bytes[position] = literal
        position += 1
    }

    /// Repeats `length` bytes from `distance` bytes back. The two ranges may overlap (RFC 1951, section 3.2.3).
    @inline(__always)
    mutating func appendMatch(length: Int, distance: Int) {
        let end = position + length
        if distance >= 8 {
            var target = position
            repeat {
                let word = bytes.loadUnaligned(fromByteOffset: target - distance, as: UInt64.self)
                bytes.storeBytes(of: word, toByteOffset: target, as: UInt64.self)
                target += 8
            } while target < end
        } else {
            for target in position..<end {
                bytes[target] = bytes[target - distance]
            }
        }
        position = end
    }
}
