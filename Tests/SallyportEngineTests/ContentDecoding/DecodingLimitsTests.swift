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
    func `A body within the limits is decoded`() throws {
        var output: [UInt8] = []
        var chain = try DecodingChain("gzip", limits: DecodingLimits(maximumSize: 10_000_000, maximumRatio: 1_032))
        try chain.decode(bomb, into: &output)
        #expect(output == Sample.zeros(10_000_000))
    }

    @Test
    func `A body with too high a ratio is refused before more than 1 MiB is decoded`() throws {
        var chain = try DecodingChain("gzip")
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(bomb, into: &output) }
        #expect(failure?.error == .ratioLimitExceeded(limit: 200))
        #expect(output.count <= 1 << 20)
        #expect(output.count > 1 << 19)
    }

    @Test(arguments: [0, 1, 70_000, 9_999_999])
    func `A body that is too large is refused before the limit is exceeded`(limit: Int) throws {
        var chain = try DecodingChain("gzip", limits: DecodingLimits(maximumSize: limit, maximumRatio: .max))
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(bomb, into: &output) }
        #expect(failure?.error == .sizeLimitExceeded(limit: limit))
        #expect(output.count <= limit)
    }

    @Test
    func `The size limit applies to all gzip members together`() throws {
        let limits = DecodingLimits(maximumSize: 3 * EncodedBody.usual.decoded.count - 1)
        let encoded = Sample.repeated(EncodedBody.usual.encoded, count: 3)
        var chain = try DecodingChain("gzip", limits: limits)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) {
            try chain.decode(encoded, into: &output, pieces: [10])
        }
        #expect(failure?.error == .sizeLimitExceeded(limit: limits.maximumSize))
    }

    @Test
    func `A short body can have any ratio`() throws {
        var chain = try DecodingChain("deflate", limits: DecodingLimits(maximumRatio: 1))
        var output: [UInt8] = []
        try chain.decode(EncodedBody.longBare.encoded, into: &output)
        #expect(output == EncodedBody.longBare.decoded)
    }

    @Test
    func `The ratio of nested bombs is relative to the received bytes`() throws {
        // Each of the two codings alone stays within the limit, and both together exceed it.
        let limits = DecodingLimits(maximumRatio: 1_100)
        var chain = try DecodingChain("gzip, gzip", limits: limits)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) {
            try chain.decode(EncodedBody.bomb.encoded, into: &output)
        }
        #expect(failure?.error == .ratioLimitExceeded(limit: 1_100))
        #expect(output.count <= 1 << 20)
    }

    @Test
    func `The size limit also applies to intermediate output between two codings`() throws {
        let limits = DecodingLimits(maximumSize: 1_000, maximumRatio: .max)
        var chain = try DecodingChain("x-mask, gzip", adding: [.mask], limits: limits)
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(bomb, into: &output) }
        #expect(failure?.coding == "gzip")
        #expect(failure?.error == .sizeLimitExceeded(limit: 1_000))
        #expect(output.isEmpty)
    }

    @Test
    func `An error names the exceeded limit`() {
        #expect(
            ContentDecodingError.sizeLimitExceeded(limit: 5).description
                == "it decodes to more than the limit of 5 B"
        )
        #expect(
            ContentDecodingError.ratioLimitExceeded(limit: 200).description
                == "it decodes to more than the limit of 200 times its size"
        )
    }
}
