import Foundation
import HTTPTypes
import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("The upload buffer", .concurrencyLimited)
struct UploadBufferTests {
    private let notifications = Watched(0)
    private let buffer: UploadBuffer

    init() {
        buffer = UploadBuffer { [notifications] _ in notifications.update { $0 += 1 } }
    }

    /// Takes content, as a connection does, up to the last bytes.
    private func takeToTheEnd() async throws -> [ByteBuffer] {
        var taken: [ByteBuffer] = []
        while true {
            let count = notifications.value
            guard let content = buffer.take() else {
                try await notifications.wait("more") { $0 > count }
                continue
            }
            taken.append(content.bytes)
            if content.isLast { return taken }
        }
    }

    @Test("Everything that was put in is taken at a time, in order, and with it the trailers")
    func takesAll() async throws {
        try await buffer.add(Data("ab".utf8))
        try await buffer.add(Data("cde".utf8).dropFirst())
        buffer.finish(with: [.eTag: "a"])
        let content = try #require(buffer.take())
        #expect(content.bytes == ByteBuffer(string: "abde"))
        #expect(content.isLast)
        #expect(content.trailers == [.eTag: "a"])
        #expect(buffer.take() == nil)
    }

    @Test("The connection is notifications of what comes after it has found nothing, and of nothing else")
    func tellsOnce() async throws {
        try await buffer.add(Data(count: 100))
        #expect(buffer.take() != nil)
        try await buffer.add(Data(count: 100))
        #expect(buffer.take() != nil)
        #expect(notifications.value == 0)
        #expect(buffer.take() == nil)
        try await buffer.add(Data(count: 100))
        try await buffer.add(Data(count: 100))
        #expect(notifications.value == 1)
        #expect(buffer.take()?.bytes.readableBytes == 200)
        #expect(buffer.take() == nil)
        buffer.finish(with: nil)
        #expect(notifications.value == 2)
    }

    @Test("A chunk of any size goes through piece by piece, at the pace of the connection")
    func largeChunk() async throws {
        let chunk = Data((0..<(5 * UploadBuffer.capacity / 2)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })
        async let producer: Void = {
            try await buffer.add(chunk)
            buffer.finish(with: nil)
        }()
        let taken = try await takeToTheEnd()
        try await producer
        #expect(taken.allSatisfy { $0.readableBytes <= UploadBuffer.capacity })
        #expect(taken.reduce(into: Data()) { $0 += Data($1.readableBytesView) } == chunk)
    }

    @Test("The same two pieces of memory are used again and again, one while the other is sent")
    func reusesMemory() async throws {
        var places: Set<UnsafeRawPointer> = []
        var sent = UploadBuffer.Content()
        for round in 0..<100 {
            try await buffer.add(Data(repeating: UInt8(round), count: UploadBuffer.capacity))
            sent = UploadBuffer.Content()
            sent = try #require(buffer.take())
            #expect(sent.bytes.readableBytesView.first == UInt8(round))
            sent.bytes.withUnsafeReadableBytes { bytes in _ = bytes.baseAddress.map { places.insert($0) } }
        }
        #expect(places.count == 2)
    }

    @Test("Memory that the connection still uses is not written to")
    func keepsTaken() async throws {
        var taken: [ByteBuffer] = []
        for round in UInt8(0)..<5 {
            try await buffer.add(Data(repeating: round, count: 1000))
            taken.append(try #require(buffer.take()).bytes)
        }
        for round in UInt8(0)..<5 { #expect(taken[Int(round)] == ByteBuffer(repeating: round, count: 1000)) }
    }

    @Test("The bytes that reach the announced length are the last, before the producer says so")
    func endsWithItsLength() async throws {
        let buffer = UploadBuffer(announced: 5) { _ in }
        try await buffer.add(Data("abc".utf8))
        #expect(buffer.take()?.isLast == false)
        try await buffer.add(Data("de".utf8))
        #expect(buffer.take()?.isLast == true)
        buffer.finish(with: nil)
        #expect(buffer.take() == nil)
    }

    @Test("What is lent is read when it is taken; its end gives the producer its turn")
    func readsWhatIsLent() async throws {
        let left = Locked(["ab", "cd"])
        let producer = Task { [buffer] in
            try await buffer.add { bytes in
                if let next = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { bytes.writeString(next) }
            }
            buffer.finish(with: nil)
        }
        let taken = try await takeToTheEnd()
        #expect(taken.map { String(buffer: $0) }.joined() == "abcd")
        try await producer.value
    }

    @Test("A producer whose bytes were all taken goes on, though nothing more is")
    func lendingEndsWithTheLength() async throws {
        let buffer = UploadBuffer(announced: 3) { [notifications] _ in notifications.update { $0 += 1 } }
        let producer = Task { try await buffer.add { bytes in bytes.writeString("abc") } }
        while buffer.take()?.isLast != true { try await notifications.wait("what is lent") { $0 > 0 } }
        try await producer.value
        try await buffer.add { bytes in bytes.writeString("more") }
    }

    @Test("A producer that waits when nothing more is taken is stopped, and so is one that comes later")
    func stops() async throws {
        try await buffer.add(Data(count: UploadBuffer.capacity))
        let producer = Task { [buffer] in try await buffer.add(Data(count: 1)) }
        buffer.stop()
        await #expect(throws: UploadStopped.self) { try await producer.value }
        await #expect(throws: UploadStopped.self) { try await buffer.add(Data(count: 1)) }
        #expect(buffer.take() == nil)
    }
}
