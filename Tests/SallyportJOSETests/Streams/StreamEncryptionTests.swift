import Crypto
import Foundation
import TestSupport
import Testing

@testable import SallyportJOSE

@Suite(.concurrencyLimited) struct StreamEncryptionTests {
    private static let key = SymmetricKey(data: StreamVector.key)
    private static let refusal = JoseError(
        .decryption,
        "The stream is incomplete or was changed, or it was encrypted with another key or other associated data."
    )

    /// Seals bytes in pieces of a length.
    private func seal(
        _ content: Data,
        pieces: Int = .max,
        key: SymmetricKey = key,
        associatedData: Data = Data(),
        segmentLength: Int = 64
    ) throws -> Data {
        var sealer = try StreamSealer(key: key, associatedData: associatedData, segmentLength: segmentLength)
        var message = Data()
        for start in stride(from: 0, to: content.count, by: min(pieces, max(1, content.count))) {
            sealer.append(content.dropFirst(start).prefix(pieces))
            while let segment = try sealer.nextSegment() { message += segment }
        }
        return try message + sealer.finish()
    }

    /// Opens a message in pieces of a length.
    private func open(
        _ message: Data,
        pieces: Int = .max,
        key: SymmetricKey = key,
        associatedData: Data = Data(),
        segmentLength: Int = 64
    ) throws -> Data {
        var opener = try StreamOpener(key: key, associatedData: associatedData, segmentLength: segmentLength)
        var content = Data()
        for start in stride(from: 0, to: message.count, by: min(pieces, max(1, message.count))) {
            opener.append(message.dropFirst(start).prefix(pieces))
            while let next = try opener.nextContent() { content += next }
        }
        return try content + opener.finish()
    }

    private func joined(_ segments: [Data]) -> Data { segments.reduce(Data(), +) }

    /// Returns the bytes from 0 to 250, repeated.
    private func bytes(_ count: Int) -> Data {
        var bytes = Data(0..<251)
        while bytes.count < count { bytes += bytes }
        return bytes.prefix(count)
    }

    // MARK: Round trips

    @Test(arguments: [0, 1, 7, 8, 9, 55, 56, 57, 103, 104, 105, 1000], [1, 7, 48, 64, .max])
    func `A message of any length in pieces of any length is decrypted to its content`(_ length: Int, _ pieces: Int)
        throws
    {
        let message = try seal(bytes(length), pieces: pieces)
        #expect(Int64(message.count) == StreamSealer.encryptedLength(of: Int64(length), segmentLength: 64))
        #expect(try open(message, pieces: pieces) == bytes(length))
        #expect(try open(message, pieces: 13) == bytes(length))
    }

    @Test(arguments: [64, 65, 4096, 65536, 1024 * 1024])
    func `Each allowed segment length works around the ends of the first two segments`(_ segmentLength: Int) throws {
        for end in [segmentLength - 56, 2 * segmentLength - 72] {
            for length in [end - 1, end, end + 1] {
                let message = try seal(bytes(length), segmentLength: segmentLength)
                let expected = StreamSealer.encryptedLength(of: Int64(length), segmentLength: segmentLength)
                #expect(Int64(message.count) == expected)
                #expect(try open(message, pieces: 50_000, segmentLength: segmentLength) == bytes(length))
            }
        }
    }

    @Test(arguments: [(0, 0), (8, 0), (9, 1), (56, 1), (57, 2), (104, 2), (105, 3), (1000, 21)])
    func `All segments that are followed by another byte are returned one by one, the first with the header`(
        _ length: Int,
        _ segments: Int
    ) throws {
        var sealer = try StreamSealer(key: Self.key, segmentLength: 64)
        var opener = try StreamOpener(key: Self.key, segmentLength: 64)
        var sealed: [Data] = []
        sealer.append(bytes(length))
        while let segment = try sealer.nextSegment() { sealed.append(segment) }
        #expect(sealed.map(\.count) == Array(repeating: 64, count: segments))
        let message = try joined(sealed) + sealer.finish()
        var contents: [Data] = []
        opener.append(message)
        while let content = try opener.nextContent() { contents.append(content) }
        #expect(contents.map(\.count) == (0..<segments).map { $0 == 0 ? 8 : 48 })
        #expect(try joined(contents) + opener.finish() == bytes(length))
    }

    @Test func `Pieces can be slices and empty, and several are encrypted and decrypted together`() throws {
        let content = bytes(1000)
        var sealer = try StreamSealer(key: Self.key, associatedData: [1, 2, 3], segmentLength: 64)
        for piece in [content.prefix(10), content[10..<500], Data(), content.dropFirst(500)] { sealer.append(piece) }
        let start = try sealer.nextSegment()
        let message = try #require(start) + sealer.finish()
        var opener = try StreamOpener(key: Self.key, associatedData: Data([1, 2, 3]), segmentLength: 64)
        for piece in [message.prefix(60), Data(), message.dropFirst(60)] { opener.append(piece) }
        #expect(try opener.finish() == content)
    }

    @Test func `The same content is encrypted differently each time`() throws {
        let messages = try [seal(bytes(100)), seal(bytes(100))]
        #expect(messages[0].dropFirst().prefix(32) != messages[1].dropFirst().prefix(32))
        #expect(messages[0].dropFirst(40) != messages[1].dropFirst(40))
    }

    @Test func `Streaming 64 MiB holds back at most one segment on each side`() throws {
        let pieceLength = 100_000
        let piece = bytes(pieceLength)
        let total = 64 * 1024 * 1024
        let segmentLength = 64 * 1024
        var sealer = try StreamSealer(key: Self.key)
        var opener = try StreamOpener(key: Self.key)
        var (sent, sealed, received) = (0, 0, 0)
        var (hashSent, hashReceived) = (SHA256(), SHA256())
        var largestDelay = 0
        while sent < total {
            let next = piece.prefix(total - sent)
            hashSent.update(data: next)
            sent += next.count
            sealer.append(next)
            while let segment = try sealer.nextSegment() {
                #expect(segment.count == segmentLength)
                sealed += segment.count
                opener.append(segment)
                while let content = try opener.nextContent() {
                    received += content.count
                    hashReceived.update(data: content)
                }
            }
            // The sealer and the opener each hold back one segment.
            largestDelay = max(largestDelay, sent - received)
        }
        let end = try sealer.finish()
        sealed += end.count
        opener.append(end)
        let last = try opener.finish()
        received += last.count
        hashReceived.update(data: last)
        #expect(received == total)
        #expect(Int64(sealed) == StreamSealer.encryptedLength(of: Int64(total)))
        #expect(largestDelay <= 2 * segmentLength)
        #expect(hashSent.finalize() == hashReceived.finalize())
    }

    // MARK: Format

    @Test(arguments: StreamVector.tink)
    func `A message of Tink is decrypted and encrypted again to the same bytes`(
        _ vector: StreamVector
    ) throws {
        let message = try vector.message
        let associatedData = Data(vector.associatedData.utf8)
        let opened = try open(
            message,
            pieces: 11,
            associatedData: associatedData,
            segmentLength: vector.segmentLength
        )
        #expect(opened == vector.content)
        let parameters = try StreamParameters(
            key: Self.key,
            associatedData: associatedData,
            segmentLength: vector.segmentLength
        )
        let header = try #require(SegmentCipher.Header(message.prefix(40)))
        var sealer = StreamSealer(SegmentCipher(parameters, header: header), header: header)
        sealer.append(vector.content)
        #expect(try sealer.finish() == message)
    }

    // MARK: Manipulations

    @Test(arguments: [0, 8, 56, 57, 120])
    func `A changed bit is refused, and no wrong content is released before`(_ length: Int) throws {
        let content = bytes(length)
        let message = try seal(content)
        for index in message.indices {
            var changed = message
            changed[index] ^= 1 << (index % 8)
            #expect(throws: Self.refusal, "byte \(index)") { try open(changed) }
            var opener = try StreamOpener(key: Self.key, segmentLength: 64)
            var released = Data()
            for byte in changed {
                opener.append(Data([byte]))
                guard let next = try? opener.nextContent() else { continue }
                released += next
            }
            #expect(content.starts(with: released), "byte \(index)")
        }
    }

    @Test(arguments: [0, 8, 56, 57, 104, 120])
    func `A message that is truncated anywhere is refused`(_ length: Int) throws {
        let message = try seal(bytes(length))
        for count in 0..<message.count {
            #expect(throws: Self.refusal, "\(count) of \(message.count) bytes") { try open(message.prefix(count)) }
        }
    }

    @Test(arguments: [0, 8, 56, 57, 104, 120])
    func `A message followed by other bytes is refused`(_ length: Int) throws {
        let message = try seal(bytes(length))
        let lastSegment = message.suffix((message.count - 1) % 64 + 1).suffix(64)
        for addition in [Data([0]), Data(count: 16), Data(count: 64), Data(lastSegment), try seal(Data()), message] {
            #expect(throws: Self.refusal, "\(addition.count) more bytes") { try open(message + addition) }
        }
    }

    /// Returns the segments of a message of four, the first with the header.
    private func segments(_ key: SymmetricKey = key) throws -> [Data] {
        let message = try seal(bytes(8 + 48 + 48 + 48), key: key)
        return stride(from: 0, to: message.count, by: 64).map { Data(message.dropFirst($0).prefix(64)) }
    }

    @Test(arguments: [
        [0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3], [3, 2, 1, 0], [0, 1, 1, 2, 3], [0, 0, 1, 2, 3], [0, 1, 2, 2, 3],
        [0, 1, 2, 3, 3], [0, 2, 3], [0, 1, 3], [1, 2, 3], [0, 3], [0, 1, 2], [0], [3], [],
    ])
    func `Segments that are reordered, repeated or missing are refused`(_ order: [Int]) throws {
        let segments = try segments()
        #expect(segments.map(\.count) == [64, 64, 64, 64])
        #expect(try open(segments.reduce(Data(), +)) == bytes(152))
        let changed = order.reduce(Data()) { $0 + segments[$1] }
        #expect(throws: Self.refusal) { try open(changed) }
        #expect(throws: Self.refusal) { try open(changed, pieces: 1) }
    }

    @Test func `A header or segment of another message with the same key is refused`() throws {
        let first = try segments()
        let second = try segments()
        for index in first.indices {
            var mixed = first
            mixed[index] = second[index]
            #expect(throws: Self.refusal, "segment \(index)") { try open(mixed.reduce(Data(), +)) }
        }
        let header = second[0].prefix(40) + first[0].dropFirst(40)
        #expect(throws: Self.refusal) { try open(header + first.dropFirst().reduce(Data(), +)) }
    }

    @Test func `Another key, associated data or segment length is refused with the same error`() throws {
        for length in [0, 8, 120] {
            let message = try seal(bytes(length), associatedData: Data("request".utf8))
            #expect(throws: Self.refusal) { try open(message, associatedData: Data("response".utf8)) }
            #expect(throws: Self.refusal) { try open(message) }
            #expect(throws: Self.refusal) {
                try open(message, key: SymmetricKey(size: .bits256), associatedData: Data("request".utf8))
            }
        }
        let message = try seal(bytes(120))
        #expect(throws: Self.refusal) { try open(message, segmentLength: 65) }
        #expect(throws: Self.refusal) { try open(message, segmentLength: 1000) }
    }

    @Test func `The last segment is not released before the end, and nothing after a failure`() throws {
        let message = try seal(bytes(56))
        var opener: StreamOpener? = try StreamOpener(key: Self.key, segmentLength: 64)
        opener?.append(message)
        #expect(try opener?.nextContent() == bytes(8))
        #expect(try opener?.nextContent() == nil)
        opener?.append(Data([0]))
        #expect(throws: Self.refusal) { _ = try opener?.nextContent() }
        opener?.append(message)
        #expect(throws: Self.refusal) { _ = try opener?.nextContent() }
        #expect(throws: Self.refusal) { _ = try opener.take()?.finish() }
    }

    // MARK: Limits

    @Test func `More segments than the maximum are refused on both sides`() throws {
        let parameters = try StreamParameters(key: Self.key, associatedData: Data(), segmentLength: 64)
        let header = SegmentCipher.Header()
        func sealer() -> StreamSealer {
            StreamSealer(SegmentCipher(parameters, header: header, maximumSegments: 2), header: header)
        }
        var complete = sealer()
        complete.append(bytes(56))
        #expect(try complete.nextSegment()?.count == 64)
        #expect(try complete.nextSegment() == nil)
        #expect(try complete.finish().count == 64)
        expectError(\JoseError.reason, .tooLarge) {
            var tooLong = sealer()
            tooLong.append(bytes(57))
            return try tooLong.finish()
        }
        var cipher = SegmentCipher(parameters, header: header)
        var segments: [Data] = []
        for index in 0..<3 { try segments.append(cipher.seal(bytes(8), isLast: index == 2)) }
        var limited = SegmentCipher(parameters, header: header, maximumSegments: 2)
        for segment in segments[..<2] { #expect(try limited.open(segment, isLast: false) == bytes(8)) }
        #expect(throws: Self.refusal) { try limited.open(segments[2], isLast: true) }
        #expect(SegmentCipher.maximumSegments == 1 << 32)
    }

    @Test(arguments: [128, 192, 512])
    func `A key of another length than 256 bits is refused`(_ bits: Int) {
        let key = SymmetricKey(size: SymmetricKeySize(bitCount: bits))
        expectError(\JoseError.reason, .key) { try seal(Data(), key: key) }
        expectError(\JoseError.reason, .key) { try open(Data(), key: key) }
    }

    @Test(arguments: [0, 63, 1024 * 1024 + 1, -1])
    func `A segment length outside the limits is refused`(_ length: Int) {
        expectError(\JoseError.reason, .malformed) { try seal(Data(), segmentLength: length) }
        expectError(\JoseError.reason, .malformed) { try open(Data(), segmentLength: length) }
    }
}
