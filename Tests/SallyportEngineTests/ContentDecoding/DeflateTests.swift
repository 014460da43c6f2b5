import SallyportEngine
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DeflateTests {
    private let matchOfLongestLength = (code: 0b1100_0101, bits: 8)
    private let endOfBlock = (code: 0, bits: 7)

    @Test
    func `A match can reach 32,768 bytes back`() throws {
        let stored = Sample.noise(32_768)
        #expect(
            try ContentDecoder.decode(farthestMatch(behind: stored), encoding: "deflate") == stored + stored[..<258]
        )
    }

    @Test
    func `A match that reaches back beyond the start is refused`() {
        expectMalformed(farthestMatch(behind: Sample.noise(32_767)))
    }

    /// A bare stream: a stored block, and a block with a match of distance 32768.
    private func farthestMatch(behind stored: [UInt8]) -> [UInt8] {
        var writer = DeflateWriter()
        writer.appendStoredBlock(stored, isLast: false)
        writer.appendBlockHeader(type: 1, isLast: true)
        writer.append(code: matchOfLongestLength.code, bits: matchOfLongestLength.bits)
        writer.append(code: 29, bits: 5)
        writer.append(8_191, bits: 13)
        writer.append(code: endOfBlock.code, bits: endOfBlock.bits)
        return writer.bytes
    }

    @Test
    func `The reserved block type is refused`() {
        expectMalformed([0b111, 0])
    }

    @Test
    func `A stored block whose length does not match its complement is refused`() {
        expectMalformed([1, 5, 0, 0xFF, 0xFF])
    }

    @Test(arguments: [0b1100_0110, 0b1100_0111])
    func `An unused length symbol is refused`(code: Int) {
        expectMalformed(
            DeflateWriter.fixedBlock { writer in
                writer.append(code: 0x30, bits: 8)
                writer.append(code: code, bits: 8)
                writer.append(0, bits: 32)
            }
        )
    }

    @Test(arguments: [30, 31])
    func `An unused distance symbol is refused`(code: Int) {
        expectMalformed(
            DeflateWriter.fixedBlock { writer in
                writer.append(code: 0x30, bits: 8)
                writer.append(code: 1, bits: 7)
                writer.append(code: code, bits: 5)
                writer.append(0, bits: 32)
            }
        )
    }

    @Test(arguments: [(287, 1), (257, 31)])
    func `A block with too many symbols is refused`(literals: Int, distances: Int) {
        expectMalformedHeader(literals: literals, distances: distances, codeLengths: [1, 0, 1, 0]) { _ in }
    }

    @Test(arguments: [[1, 1, 1, 1], [0, 0, 2, 2], [1, 0, 0, 0], [0, 0, 0, 0]]
    )
    func `A code-length code that is ambiguous, incomplete or empty is refused`(_ codeLengths: [Int]) {
        expectMalformedHeader(codeLengths: codeLengths) { _ in }
    }

    @Test
    func `A repeat code without a previous code length is refused`() {
        expectMalformedHeader(codeLengths: [1, 0, 1, 0]) { writer in
            writer.append(code: 0, bits: 1)
            writer.append(0, bits: 2)
        }
    }

    @Test
    func `More code lengths than symbols are refused`() {
        expectMalformedHeader(codeLengths: [1, 0, 1, 0]) { writer in
            for _ in 0..<2 {
                writer.append(code: 1, bits: 1)
                writer.append(127, bits: 7)
            }
        }
    }

    @Test
    func `A block without an end-of-block code is refused`() {
        expectMalformedHeader(codeLengths: [1, 0, 1, 0]) { writer in
            for extra in [127, 109] {
                writer.append(code: 1, bits: 1)
                writer.append(extra, bits: 7)
            }
        }
    }

    @Test
    func `A zlib stream with a preset dictionary is refused`() {
        expectMalformed([0x78, 0x20] + Sample.zeros(10))
    }

    @Test(arguments: 1...4)
    func `A zlib stream with a wrong checksum is refused`(fromEnd: Int) {
        var damaged = EncodedBody.zlib.encoded
        damaged[damaged.count - fromEnd] ^= 1
        #expect(throws: ContentDecodingError.checksumMismatch) {
            try ContentDecoder.decode(damaged, encoding: "deflate")
        }
    }

    @Test
    func `A second zlib stream is refused`() {
        expectMalformed(EncodedBody.zlib.encoded + EncodedBody.zlib.encoded)
    }

    private func expectMalformedHeader(
        literals: Int = 257,
        distances: Int = 1,
        codeLengths: [Int],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout DeflateWriter) -> Void
    ) {
        var writer = DeflateWriter()
        writer.appendDynamicHeader(literals: literals, distances: distances, codeLengths: codeLengths)
        body(&writer)
        writer.append(0, bits: 64)
        expectMalformed(writer.bytes, sourceLocation: sourceLocation)
    }

    private func expectMalformed(_ encoded: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for size in [Int.max, 1] {
            let error = #expect(throws: ContentDecodingError.self, sourceLocation: sourceLocation) {
                try ContentDecoder.decode(encoded, encoding: "deflate", pieces: [size])
            }
            if case .malformed = error { continue }
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
        }
    }
}
