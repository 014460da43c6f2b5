#if Compression && os(Linux)

import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct BombTests {
    private static let bombs: [(coding: String, encoded: [UInt8])] = [
        ("br", EncodedBody.brotliBomb.encoded),
        ("zstd", Sample.zstandardZeros(blocks: 100)),
        ("gzip, br, zstd", EncodedBody.nestedBomb.encoded),
    ]

    @Test(arguments: bombs.indices, [0, 1_000, 5_000_000])
    func `A decompression bomb is stopped before the size limit`(bomb: Int, limit: Int) throws {
        let (coding, encoded) = Self.bombs[bomb]
        var chain = try DecodingChain(coding, maximumSize: limit)
        var size = 0
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(encoded) { size += $0.count } }
        #expect(failure?.error == .sizeLimitExceeded(limit: limit))
        #expect(size <= limit)
    }

    @Test func `The size limit applies to all zstd frames of a body together`() throws {
        let frames = Sample.repeated(Sample.zstandardZeros(blocks: 8), count: 10)
        var chain = try DecodingChain("zstd", maximumSize: 10 << 20)
        var size = 0
        try chain.decode(frames) { size += $0.count }
        #expect(size == 10 << 20)

        chain = try DecodingChain("zstd", maximumSize: (10 << 20) - 1)
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(frames) { _ in } }
        #expect(failure?.error == .sizeLimitExceeded(limit: (10 << 20) - 1))
    }

    @Test func `Without a limit, a triple-encoded body is decoded completely in limited chunks`() throws {
        var chain = try DecodingChain("gzip, br, zstd")
        var size = 0
        try chain.decode(EncodedBody.nestedBomb.encoded) { piece in
            #expect(piece.count <= DecodingChain.pieceSize)
            size += piece.count
        }
        #expect(size == 100_000_000)
    }
}

#endif
