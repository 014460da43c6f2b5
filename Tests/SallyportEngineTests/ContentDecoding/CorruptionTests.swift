import SallyportEngine
import SallyportTransport
import TestSupport
import Testing

@Suite(.busy) struct CorruptionTests {
    @Test(
        arguments: EncodedBody.short.filter { $0.testDescription != EncodedBody.members.testDescription }
    )
    func `A body cut off at any position is reported as truncated`(_ fixture: EncodedBody) {
        for count in 1..<fixture.encoded.count {
            #expect(throws: ContentDecodingError.truncated, "cut after \(count) bytes") {
                try ContentDecoder.decode(Array(fixture.encoded[..<count]), encoding: fixture.encoding)
            }
        }
    }

    @Test(arguments: [EncodedBody.usual, .fullHeader]
    )
    func `A gzip body with one flipped bit is refused or decodes to the same bytes`(_ fixture: EncodedBody) {
        for bit in 0..<fixture.encoded.count * 8 {
            var damaged = fixture.encoded
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if let decoded = try? ContentDecoder.decode(damaged, encoding: fixture.encoding) {
                #expect(decoded == fixture.decoded, "bit \(bit)")
            }
        }
    }

    @Test
    func `The result for a damaged body does not depend on how it is split`() {
        var generator = LinearGenerator(seed: 11)
        for round in 0..<20_000 {
            let fixture = EncodedBody.short[round % EncodedBody.short.count]
            var damaged = fixture.encoded
            for _ in 0...generator.next(below: 4) {
                damaged[generator.next(below: damaged.count)] = generator.nextByte()
            }
            let size = 1 + generator.next(below: 40)
            let whole = outcome(of: damaged, encoding: fixture.encoding, pieces: [.max])
            let pieces = outcome(of: damaged, encoding: fixture.encoding, pieces: [size])
            #expect(whole == pieces, "round \(round)")
        }
    }

    private enum Outcome: Equatable {
        case decoded([UInt8])
        case failed(ContentDecodingError)
    }

    private func outcome(of encoded: [UInt8], encoding: String, pieces: [Int]) -> Outcome {
        do throws(ContentDecodingError) {
            return .decoded(try ContentDecoder.decode(encoded, encoding: encoding, pieces: pieces))
        } catch {
            return .failed(error)
        }
    }
}
