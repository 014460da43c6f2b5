import SallyportEngine
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ContentDecoderTests {
    @Test(arguments: EncodedBody.short + EncodedBody.long)
    func `A body received in one piece is decoded`(_ fixture: EncodedBody) throws {
        #expect(try ContentDecoder.decode(fixture.encoded, encoding: fixture.encoding) == fixture.decoded)
    }

    @Test(arguments: EncodedBody.short + EncodedBody.long)
    func `A body received byte by byte is decoded`(_ fixture: EncodedBody) throws {
        #expect(try ContentDecoder.decode(fixture.encoded, encoding: fixture.encoding, pieces: [1]) == fixture.decoded)
    }

    @Test(arguments: EncodedBody.short)
    func `A body split in two at any position is decoded`(_ fixture: EncodedBody) throws {
        for split in 1..<fixture.encoded.count {
            let decoded = try ContentDecoder.decode(fixture.encoded, encoding: fixture.encoding, pieces: [split, .max])
            #expect(decoded == fixture.decoded, "split at \(split)")
        }
    }

    @Test(
        arguments: EncodedBody.short + EncodedBody.long
    )
    func `A body received in pieces of random sizes, including empty ones, is decoded`(_ fixture: EncodedBody) throws {
        var generator = LinearGenerator(seed: 5)
        for _ in 0..<20 {
            let pieces = (0..<100).map { _ in generator.next(below: 12) } + [7]
            let decoded = try ContentDecoder.decode(fixture.encoded, encoding: fixture.encoding, pieces: pieces)
            #expect(decoded == fixture.decoded, "pieces of \(pieces)")
        }
    }

    @Test
    func `Output is delivered before the body is complete`() throws {
        var writer = DeflateWriter()
        writer.appendStoredBlock(Sample.rows(1), isLast: false)
        var decoder = ContentDecoder.deflate
        var output: [UInt8] = []
        try decoder.decode(writer.bytes, into: &output)
        #expect(output == Sample.rows(1))
    }

    @Test
    func `Output can be taken after each piece`() throws {
        let fixture = EncodedBody.longRows
        var decoder = ContentDecoder(encoding: fixture.encoding)
        var taken: [UInt8] = []
        for byte in fixture.encoded {
            var output: [UInt8] = []
            try decoder.decode([byte], into: &output)
            taken += output
        }
        try decoder.finish()
        #expect(taken == fixture.decoded)
    }

    @Test(arguments: EncodedBody.short)
    func `A decoder returns no more bytes than requested`(_ fixture: EncodedBody) throws {
        for limit in [1, 2, 7] {
            let decoded = try ContentDecoder.decode(
                fixture.encoded,
                encoding: fixture.encoding,
                pieces: [5],
                upTo: limit
            )
            #expect(decoded == fixture.decoded, "at most \(limit) at a time")
        }
        var decoder = ContentDecoder(encoding: fixture.encoding)
        var input = fixture.encoded[...]
        #expect(try decoder.decode(&input, upTo: 3).count <= 3)
    }

    @Test
    func `A copy of a decoder is independent`() throws {
        let fixture = EncodedBody.usual
        let half = fixture.encoded.count / 2
        var decoder = ContentDecoder(encoding: fixture.encoding)
        var output: [UInt8] = []
        try decoder.decode(Array(fixture.encoded[..<half]), into: &output)
        var copy = decoder
        var copyOutput = output
        try decoder.decode(Array(fixture.encoded[half...]), into: &output)
        try copy.decode(Array(fixture.encoded[half...]), into: &copyOutput)
        #expect(output == fixture.decoded)
        #expect(copyOutput == fixture.decoded)
    }
}
