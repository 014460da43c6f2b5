#if Compression && os(Linux)

import SallyportCompression
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CompressionTests {
    static let short = EncodedBody.brotli + EncodedBody.zstandard + [.zstandardFrames]
    static let long: [EncodedBody] = [.brotliLong, .zstandardLong, .zstandardWidestWindow]

    @Test(arguments: short + long, [1, 2, 7, 1_000, .max])
    func `A body is decoded completely in chunks of any size`(_ fixture: EncodedBody, size: Int) throws {
        #expect(try decode(fixture.encoded, from: fixture.coding, inPiecesOf: size) == fixture.decoded)
    }

    @Test(arguments: short)
    func `A decoder returns no more bytes at a time than the limit`(_ fixture: EncodedBody) throws {
        let coding = fixture.coding == "br" ? ContentCoding.brotli : .zstandard
        for limit in [1, 5] {
            var decoder = coding.makeDecoder()
            var output: [UInt8] = []
            for byte in fixture.encoded {
                var input = [byte][...]
                while true {
                    let decoded = try decoder.decode(&input, upTo: limit)
                    #expect(decoded.count <= limit)
                    if decoded.isEmpty { break }
                    output += decoded
                }
                #expect(input.isEmpty)
            }
            try decoder.finish()
            #expect(output == fixture.decoded)
        }
    }

    @Test(arguments: EncodedBody.brotli + EncodedBody.zstandard)
    func `A body that is truncated anywhere is refused`(_ fixture: EncodedBody) {
        for count in 1..<max(fixture.encoded.count, 1) {
            let cut = Array(fixture.encoded[..<count])
            #expect(refusal(of: cut, from: fixture.coding) == .truncated, "cut after \(count) bytes")
        }
    }

    @Test func `A sequence of zstd frames that is truncated within a frame is refused`() throws {
        let fixture = EncodedBody.zstandardFrames
        let ends = (1..<fixture.encoded.count).filter { count in
            refusal(of: Array(fixture.encoded[..<count]), from: "zstd") == nil
        }
        #expect(ends.count == 3)
        #expect(ends.first == 13 && ends.last == fixture.encoded.count - 13)
    }

    @Test(arguments: EncodedBody.brotli + EncodedBody.zstandard)
    func `Bytes after the end are refused`(_ fixture: EncodedBody) {
        for size in [1, .max] {
            for garbage: [UInt8] in [[0, 0, 0, 0], Array("more".utf8)] {
                let reason =
                    fixture.coding == "br"
                    ? "other bytes follow its end" : "a frame does not begin with the magic number of zstd"
                #expect(
                    refusal(of: fixture.encoded + garbage, from: fixture.coding, inPiecesOf: size)
                        == .malformed(reason: reason)
                )
            }
        }
    }

    @Test(arguments: ["br", "zstd"])
    func `A body in another coding is refused`(coding: String) {
        for body in [Array("plainly not compressed".utf8), [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3]] {
            expectMalformed(
                body,
                as: coding,
                coding == "br" ? "CL_SPACE" : "a frame does not begin with the magic number of zstd"
            )
        }
    }

    @Test func `A zstd checksum that does not match is a specific error`() {
        var damaged = EncodedBody.zstandardText.encoded
        damaged[damaged.count - 1] ^= 1
        #expect(refusal(of: damaged, from: "zstd") == .checksumMismatch)
    }

    @Test func `A zstd window above the 8 MiB of RFC 9659 is refused`() {
        let expected = ContentDecodingError.malformed(
            reason: "its window is larger than the 8 MiB that RFC 9659 allows"
        )
        #expect(refusal(of: EncodedBody.zstandardWiderWindow.encoded, from: "zstd") == expected)
    }

    @Test func `Large brotli windows, zstd dictionaries and legacy zstd frames are refused`() {
        // A frame of zstd 0.7 that contains "hi"; Debian's library decodes it.
        let older: [UInt8] = [0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0x40, 0, 2, 0x68, 0x69, 0xC0, 0, 0]
        expectMalformed(EncodedBody.brotliLargeWindow.encoded, as: "br", "WINDOW_BITS")
        expectMalformed(EncodedBody.zstandardDictionary.encoded, as: "zstd", "Dictionary mismatch")
        for body in [older, older[..<4] + older, EncodedBody.zstandardText.encoded + older] {
            expectMalformed(body, as: "zstd", "a frame does not begin with the magic number of zstd")
        }
    }

    /// Expects a body to be malformed for a reason. (Some versions of libbrotlidec put a prefix before the reason.)
    private func expectMalformed(
        _ body: [UInt8],
        as coding: String,
        _ reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = refusal(of: body, from: coding)
        guard case .malformed(let actual)? = error, actual.hasSuffix(reason) else {
            Issue.record(
                "\(coding) \(body.prefix(8)): \(String(describing: error))",
                sourceLocation: sourceLocation
            )
            return
        }
    }

    @Test func `Damaged bodies decode or fail equally in one chunk and in many`() throws {
        var generator = LinearGenerator(seed: 23)
        let fixtures = Self.short.filter { !$0.decoded.isEmpty }
        var refused = 0
        for round in 0..<20_000 {
            let fixture = fixtures[round % fixtures.count]
            var damaged = fixture.encoded
            for _ in 0...generator.next(below: 4) {
                damaged[generator.next(below: damaged.count)] = generator.nextByte()
            }
            let size = 1 + generator.next(below: 40)
            let whole = try? decode(damaged, from: fixture.coding)
            let pieces = try? decode(damaged, from: fixture.coding, inPiecesOf: size)
            #expect(whole == pieces, "round \(round)")
            refused += whole == nil ? 1 : 0
        }
        #expect(refused > 10_000)
    }
}

#endif
