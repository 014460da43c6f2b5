/// Writes deflate streams that no compressor produces.
struct DeflateWriter {
    private(set) var bytes: [UInt8] = []
    private var usedBits = 0

    /// Appends a number, lowest bit first.
    mutating func append(_ value: Int, bits: Int) {
        for position in 0..<bits {
            if usedBits % 8 == 0 {
                bytes.append(0)
            }
            bytes[bytes.count - 1] |= UInt8(value >> position & 1) << (usedBits % 8)
            usedBits += 1
        }
    }

    /// Appends a Huffman code, highest bit first.
    mutating func append(code: Int, bits: Int) {
        for position in (0..<bits).reversed() {
            append(code >> position & 1, bits: 1)
        }
    }

    mutating func appendBlockHeader(type: Int, isLast: Bool) {
        append(isLast ? 1 : 0, bits: 1)
        append(type, bits: 2)
    }

    mutating func appendStoredBlock(_ content: [UInt8], isLast: Bool) {
        appendBlockHeader(type: 0, isLast: isLast)
        usedBits = bytes.count * 8
        append(content.count, bits: 16)
        append(~content.count, bits: 16)
        bytes += content
        usedBits = bytes.count * 8
    }

    /// Appends the header of a dynamic block, with the lengths of the codes for 16, 17, 18, 0, 8, 7 and so on.
    mutating func appendDynamicHeader(literals: Int = 257, distances: Int = 1, codeLengths: [Int]) {
        appendBlockHeader(type: 2, isLast: true)
        append(literals - 257, bits: 5)
        append(distances - 1, bits: 5)
        append(codeLengths.count - 4, bits: 4)
        for length in codeLengths {
            append(length, bits: 3)
        }
    }

    /// A bare stream of one block with fixed codes.
    static func fixedBlock(_ body: (inout DeflateWriter) -> Void) -> [UInt8] {
        var writer = DeflateWriter()
        writer.appendBlockHeader(type: 1, isLast: true)
        body(&writer)
        return writer.bytes
    }
}
