import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.busy) struct DecodingLimitsTests {
    /// Ten million zeros, compressed once.
    private let bomb: [UInt8]

    init() throws {
        bomb = try ContentDecoder.decode(EncodedBody.bomb.encoded, encoding: EncodedBody.bomb.encoding)
    }

    @Test
    func `A body of any ratio is decoded within the limit`() throws {
        for limit in [nil, 10_000_000] {
            var output: [UInt8] = []
            var chain = try DecodingChain("gzip", maximumSize: limit)
            try chain.decode(bomb, into: &output)
            #expect(output == Sample.zeros(10_000_000))
        }
    }

    @Test(arguments: [0, 1, 70_000, 9_999_999])
    func `A body that is too large is refused before the limit is exceeded`(limit: Int) throws {
        var chain = try DecodingChain("gzip", maximumSize: limit)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(bomb, into: &output) }
        #expect(failure?.error == .sizeLimitExceeded(limit: limit))
        #expect(output.count <= limit)
    }

    @Test
    func `The size limit applies to all gzip members together`() throws {
        let limit = 3 * EncodedBody.usual.decoded.count - 1
        let encoded = Sample.repeated(EncodedBody.usual.encoded, count: 3)
        var chain = try DecodingChain("gzip", maximumSize: limit)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) {
            try chain.decode(encoded, into: &output, pieces: [10])
        }
        #expect(failure?.error == .sizeLimitExceeded(limit: limit))
    }

    @Test
    func `A body that was compressed twice is decoded in pieces, although its ratio is 70,000`() throws {
        var chain = try DecodingChain("gzip, gzip")
        var output: [UInt8] = []
        try chain.decode(EncodedBody.bomb.encoded, into: &output)
        #expect(output == Sample.zeros(10_000_000))
    }

    @Test
    func `The size limit also applies to intermediate output between two codings`() throws {
        var chain = try DecodingChain("x-mask, gzip", adding: [.mask], maximumSize: 1_000)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(bomb, into: &output) }
        #expect(failure?.coding == "gzip")
        #expect(failure?.error == .sizeLimitExceeded(limit: 1_000))
        #expect(output.isEmpty)
    }

    @Test
    func `Intermediate output that decodes to nothing is refused after 1 MiB`() throws {
        let padding = ContentCoding(name: "x-pad") { PaddingDecoder(content: EncodedBody.oneByte.encoded) }
        var chain = try DecodingChain("gzip, x-pad", adding: [padding])
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode([1], into: &output) }
        #expect(failure?.coding == "x-pad")
        #expect(failure?.error == .malformed(reason: "it contains data that the coding within it decodes to nothing"))
        #expect(failure.map { (1 << 20)...(1 << 20) + DecodingChain.pieceSize + 100 ~= $0.decodedSize } == true)
        #expect(output == EncodedBody.oneByte.decoded)
    }

    @Test
    func `An error names the exceeded limit`() {
        #expect(
            ContentDecodingError.sizeLimitExceeded(limit: 5).description
                == "it decodes to more than the limit of 5 B"
        )
    }
}

/// Decodes any byte to content that endless zeros follow.
private struct PaddingDecoder: BodyDecoder {
    var content: [UInt8]

    mutating func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) -> [UInt8] {
        input = []
        defer { content = [] }
        return content.isEmpty ? Sample.zeros(limit) : content
    }

    func finish() {}
}
