/// Writes literals and matches into the memory of a `SlidingWindow`.
///
/// Not checked: `hasRoom` must be true before each literal or match, a match is at most 258 bytes long, and its
/// distance is at most `position`.
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
    var hasRoom: Bool {
        position <= fullAfter
    }

    @inline(__always)
    mutating func append(_ literal: UInt8) {
        bytes[position] = literal
        position += 1
    }

    /// Repeats `length` bytes from `distance` bytes back; the two stretches may overlap (RFC 1951 section 3.2.3).
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
