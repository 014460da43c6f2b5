import SallyportEngine
import Testing

@Suite("Decoding limits")
struct DecodingLimitsTests {
    /// Ten million zeros, compressed once.
    private let bomb: [UInt8]

    init() throws {
        bomb = try ContentDecoder.decode(EncodedBody.bomb.encoded, encoding: EncodedBody.bomb.encoding)
    }

    @Test("A body within the limits is decoded")
    func withinLimits() throws {
        let limits = DecodingLimits(maximumSize: 10_000_000, maximumRatio: 1_032)
        #expect(try ContentDecoder.decode(bomb, encoding: "gzip", limits: limits) == Sample.zeros(10_000_000))
    }

    @Test("A body that swells too much is stopped a little after the first MiB")
    func ratio() throws {
        var decoder = try #require(ContentDecoder(encoding: "gzip"))
        var output: [UInt8] = []
        #expect(throws: ContentDecodingError.ratioLimitExceeded(limit: 200)) { try decoder.decode(bomb, into: &output) }
        #expect(output.count <= 1 << 20)
        #expect(output.count > 1 << 19)
    }

    @Test("A body that is too large is stopped before the limit", arguments: [0, 1, 70_000, 9_999_999])
    func size(limit: Int) throws {
        let limits = DecodingLimits(maximumSize: limit, maximumRatio: .max)
        var decoder = try #require(ContentDecoder(encoding: "gzip", limits: limits))
        var output: [UInt8] = []
        #expect(throws: ContentDecodingError.sizeLimitExceeded(limit: limit)) {
            try decoder.decode(bomb, into: &output)
        }
        #expect(output.count <= limit)
    }

    @Test("The size is counted over all members and pieces")
    func sizeOfAll() {
        let limits = DecodingLimits(maximumSize: 3 * EncodedBody.usual.decoded.count - 1)
        #expect(throws: ContentDecodingError.sizeLimitExceeded(limit: limits.maximumSize)) {
            try ContentDecoder.decode(
                Sample.repeated(EncodedBody.usual.encoded, count: 3),
                encoding: "gzip",
                limits: limits,
                pieces: [10]
            )
        }
    }

    @Test("A short body may swell as much as it likes")
    func shortBody() throws {
        let limits = DecodingLimits(maximumRatio: 1)
        #expect(
            try ContentDecoder.decode(EncodedBody.longBare.encoded, encoding: "deflate", limits: limits)
                == EncodedBody.longBare.decoded
        )
    }

    @Test("An error says which limit was exceeded")
    func descriptions() {
        #expect(
            ContentDecodingError.sizeLimitExceeded(limit: 5).description
                == "The decompressed body is larger than the limit of 5 bytes."
        )
        #expect(
            ContentDecodingError.ratioLimitExceeded(limit: 200).description
                == "The decompressed body is more than 200 times as large as the compressed one."
        )
    }
}
