import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct DecodingChainTests {
    private static let text = Array("guarded on both sides".utf8)

    @Test(arguments: [1, 2, 3, .max])
    func `The coding applied last is decoded first`(piece: Int) throws {
        let encoded = Self.text.masked(key: 0xFF).map { $0 == 0 ? 0xF1 : $0 }.masked(key: 0xF0)
        var chain = try DecodingChain("x-mask, x-veil", adding: [.mask, .veil])
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) {
            try chain.decode(encoded, into: &output, pieces: [piece])
        }
        // The end of the inner coding was replaced, which only its decoder can detect.
        #expect(failure?.coding == "X-Mask")
        #expect(output.starts(with: Self.text))
    }

    @Test
    func `A coding of the app can be combined with gzip, with the input split at any position`() throws {
        let fixture = EncodedBody.usual
        // The zero byte that ends a masked body must not occur within it.
        let key = try #require((1...255).first { !fixture.encoded.contains($0) })
        let coding = ContentCoding(name: "x-key") { MaskDecoder(key: key) }
        let encoded = fixture.encoded.masked(key: key)
        for split in 1..<encoded.count {
            var chain = try DecodingChain("GZIP ,identity,, X-Key", adding: [coding])
            var output: [UInt8] = []
            try chain.decode(encoded, into: &output, pieces: [split, .max])
            #expect(output == fixture.decoded, "split at \(split)")
        }
    }

    @Test
    func `A failure names the coding and the progress, and is thrown again by later calls`() throws {
        var chain = try DecodingChain("x-mask, x-veil", adding: [.mask, .veil])
        var output: [UInt8] = []
        let inner = Self.text.masked(key: 0xFF).dropLast() + [0xFE]
        let expected = ContentDecodingFailure(coding: "X-Mask", encodedSize: 22, decodedSize: 22, error: .truncated)
        #expect(throws: expected) { try chain.decode(Array(inner).masked(key: 0xF0), into: &output) }
        #expect(throws: expected) { try chain.next() }
        #expect(throws: expected) { try chain.finish() }
    }

    @Test(arguments: ["gzip", "deflate", "x-mask", "gzip, x-mask"])
    func `An empty body decodes to nothing`(codings: String) throws {
        var chain = try DecodingChain(codings, adding: [.mask])
        var output: [UInt8] = []
        try chain.decode([], into: &output)
        #expect(output.isEmpty)
    }

    @Test
    func `A decoder that returns too much or stops reading is an error`() throws {
        struct Generous: BodyDecoder {
            func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) -> [UInt8] { Sample.zeros(limit + 1) }
            func finish() {}
        }
        struct Stubborn: BodyDecoder {
            func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) -> [UInt8] { [] }
            func finish() {}
        }
        let codings = [
            ContentCoding(name: "generous") { Generous() }, ContentCoding(name: "stubborn") { Stubborn() },
        ]
        for (name, reason) in [
            ("generous", "it returned more bytes than requested"), ("stubborn", "it stopped reading"),
        ] {
            var chain = try DecodingChain(name, adding: codings)
            var output: [UInt8] = []
            let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode([1], into: &output) }
            #expect(failure?.error == .decoderFailed(reason: reason))
        }
    }
}
