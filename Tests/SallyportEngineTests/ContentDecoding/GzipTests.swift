import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct GzipTests {
    private let body = EncodedBody.oneByte.encoded

    @Test
    func `Consecutive members decode as one body`() throws {
        #expect(
            try ContentDecoder.decode(EncodedBody.usual.encoded + body + body, encoding: "gzip") == EncodedBody.usual
                .decoded + [0x61, 0x61]
        )
    }

    @Test
    func `A member cannot refer to bytes of the previous member`() {
        var writer = DeflateWriter()
        writer.appendBlockHeader(type: 1, isLast: true)
        writer.append(code: 1, bits: 7)
        writer.append(code: 0, bits: 5)
        let second = body[..<10] + writer.bytes + Sample.zeros(10)
        expectError(\ContentDecodingError.kind, "malformed") {
            try ContentDecoder.decode(body + second, encoding: "gzip")
        }
    }

    @Test(arguments: [1, 2, 512])
    func `Zeros after the last member are ignored as padding`(count: Int) throws {
        #expect(try ContentDecoder.decode(body + Sample.zeros(count), encoding: "gzip") == [0x61])
    }

    @Test
    func `Other bytes after the last member are refused`() {
        #expect(throws: ContentDecodingError.malformed(reason: "other bytes follow its end")) {
            try ContentDecoder.decode(body + [0, 1], encoding: "gzip")
        }
    }

    @Test(arguments: [1, 7, 1_000, .max])
    func `The error for bytes after the last member follows its content, and counts the bytes before them`(piece: Int)
        throws
    {
        let fixture = EncodedBody.usual
        var chain = try DecodingChain("gzip")
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) {
            try chain.decode(fixture.encoded + [0, 0] + Array("trailing bytes".utf8), into: &output, pieces: [piece])
        }
        #expect(
            failure
                == ContentDecodingFailure(
                    coding: "gzip",
                    encodedSize: fixture.encoded.count + 2,
                    decodedSize: fixture.decoded.count,
                    error: .malformed(reason: "other bytes follow its end")
                )
        )
        #expect(output == fixture.decoded)
    }

    @Test
    func `The content before damage is returned before the error`() throws {
        let fixture = EncodedBody.usual
        var damaged = fixture.encoded
        damaged[damaged.count - 5] ^= 1
        var chain = try DecodingChain("gzip")
        var output: [UInt8] = []
        let failure = #expect(throws: ContentDecodingFailure.self) { try chain.decode(damaged, into: &output) }
        #expect(failure?.error == .checksumMismatch)
        #expect(failure?.decodedSize == fixture.decoded.count)
        #expect(output == fixture.decoded)
    }

    @Test
    func `An incomplete second member is reported as truncated`() {
        #expect(throws: ContentDecodingError.truncated) {
            try ContentDecoder.decode(body + [0x1F], encoding: "gzip")
        }
    }

    @Test(arguments: 1...8)
    func `A wrong checksum or size is refused`(fromEnd: Int) {
        var damaged = body
        damaged[damaged.count - fromEnd] ^= 1
        #expect(throws: ContentDecodingError.checksumMismatch) { try ContentDecoder.decode(damaged, encoding: "gzip") }
    }

    @Test
    func `A wrong header checksum is refused`() {
        var damaged = EncodedBody.fullHeader.encoded
        damaged[4] ^= 1
        #expect(throws: ContentDecodingError.checksumMismatch) { try ContentDecoder.decode(damaged, encoding: "gzip") }
    }

    @Test(arguments: [
        (0, 0x1E, "it does not begin with the gzip signature"), (1, 0x8A, "it does not begin with the gzip signature"),
        (2, 7, "the gzip compression method is 7, not 8"), (3, 0x20, "the gzip header has reserved flags"),
    ])
    func `Wrong magic bytes, another method and reserved flags are refused`(index: Int, value: UInt8, reason: String) {
        var damaged = body
        damaged[index] = value
        #expect(throws: ContentDecodingError.malformed(reason: reason)) {
            try ContentDecoder.decode(damaged, encoding: "gzip")
        }
    }

    @Test
    func `The largest extra field is skipped`() throws {
        let header = body[..<3] + [4] + body[4..<10] + [0xFF, 0xFF] + Sample.zeros(0xFFFF)
        #expect(try ContentDecoder.decode(header + body[10...], encoding: "gzip") == [0x61])
    }

    @Test
    func `An endless file name in the header is refused`() {
        let header = body[..<3] + [8] + body[4..<10] + Sample.repeated([0x61], count: 200_000)
        #expect(throws: ContentDecodingError.malformed(reason: "the gzip header is longer than 131072 bytes")) {
            try ContentDecoder.decode(Array(header), encoding: "gzip")
        }
    }
}
