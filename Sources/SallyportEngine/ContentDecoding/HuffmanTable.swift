import SallyportTransport

/// A Huffman code, constructed from the lengths of its codes (RFC 1951, section 3.2.2).
///
/// Codes of up to ten bits, which are nearly all that occur, are found by a single table lookup. Longer codes are
/// decoded bit by bit.
struct HuffmanTable: Sendable {
    private static let longestCode = 15
    private static let longestShortCode = 10

    private let shortCodes: [HuffmanEntry]
    private let mask: UInt64
    /// The entries in the order of their codes.
    private let ordered: [HuffmanEntry]
    /// The number of codes of each length.
    private let counts: [Int]

    /// Creates the table of a valid code.
    init(lengths: ArraySlice<UInt8>, alphabet: [HuffmanEntry]) {
        counts = Self.counts(of: lengths)
        ordered = Self.order(alphabet, by: lengths, counts: counts)
        let longest = counts.lastIndex { $0 > 0 } ?? 0
        let size = 1 << min(longest, Self.longestShortCode)
        shortCodes = Self.shortCodes(ordered, size: size)
        mask = UInt64(size - 1)
    }

    /// Creates the table of a code from a stream.
    ///
    /// - Throws: ``ContentDecodingError`` if the code is ambiguous or incomplete.
    init(
        checking lengths: ArraySlice<UInt8>,
        alphabet: [HuffmanEntry],
        allowsSingleCode: Bool
    ) throws(ContentDecodingError) {
        let counts = Self.counts(of: lengths)
        var free = 1
        for length in 1...Self.longestCode {
            free = free * 2 - counts[length]
            guard free >= 0 else { throw .malformed(reason: "a Huffman code is over-subscribed") }
        }
        let isSingleOrNone = counts[2...].allSatisfy { $0 == 0 }
        guard free == 0 || (allowsSingleCode && isSingleOrNone) else {
            throw .malformed(reason: "a Huffman code is incomplete")
        }
        self.init(lengths: lengths, alphabet: alphabet)
    }

    /// Returns the entry whose code begins at the lowest of `bits`, or an invalid entry of 15 bits if there is none.
    @inline(__always)
    func entry(for bits: UInt64) -> HuffmanEntry {
        let entry = shortCodes[Int(truncatingIfNeeded: bits & mask)]
        return entry.isEmpty ? entryOfLongCode(bits) : entry
    }

    @inline(never)
    private func entryOfLongCode(_ bits: UInt64) -> HuffmanEntry {
        var bits = bits
        var code = 0
        var firstOfLength = 0
        var index = 0
        for length in 1...Self.longestCode {
            code = code << 1 | Int(bits & 1)
            bits >>= 1
            if code - firstOfLength < counts[length] {
                return ordered[index + code - firstOfLength]
            }
            index += counts[length]
            firstOfLength = (firstOfLength + counts[length]) << 1
        }
        return .invalid.coded(in: Self.longestCode)
    }

    private static func counts(of lengths: ArraySlice<UInt8>) -> [Int] {
        var counts = [Int](repeating: 0, count: longestCode + 1)
        for length in lengths where length > 0 {
            counts[Int(length)] += 1
        }
        return counts
    }

    /// Returns the entries that have a code, ordered by its length and then by their position in the alphabet.
    private static func order(
        _ alphabet: [HuffmanEntry],
        by lengths: ArraySlice<UInt8>,
        counts: [Int]
    ) -> [HuffmanEntry] {
        var next = [0]
        for count in counts {
            next.append(next[next.count - 1] + count)
        }
        var ordered = [HuffmanEntry](repeating: .empty, count: next[next.count - 1])
        for (length, entry) in zip(lengths, alphabet) where length > 0 {
            ordered[next[Int(length)]] = entry.coded(in: Int(length))
            next[Int(length)] += 1
        }
        return ordered
    }

    /// Returns the lookup table. It has each short code at every index whose lowest bits are that code in reverse.
    private static func shortCodes(_ ordered: [HuffmanEntry], size: Int) -> [HuffmanEntry] {
        var table = [HuffmanEntry](repeating: .empty, count: size)
        var reversedCode = 0
        for entry in ordered {
            let step = 1 << entry.codeLength
            guard step <= size else { break }
            for index in stride(from: reversedCode, to: size, by: step) {
                table[index] = entry
            }
            var carry = step >> 1
            while reversedCode & carry != 0 {
                reversedCode ^= carry
                carry >>= 1
            }
            reversedCode |= carry
        }
        return table
    }
}
