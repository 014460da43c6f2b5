import Foundation
import HTTPTypes
import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("The outbox of a body", .concurrencyLimited)
struct OutboxTests {
    private let told = Watched(0)
    private let outbox: Outbox

    init() {
        outbox = Outbox { [told] _ in told.update { $0 += 1 } }
    }

    /// Takes what comes, as a connection does, until the last of it.
    private func takeToTheEnd() async throws -> [ByteBuffer] {
        var taken: [ByteBuffer] = []
        while true {
            let count = told.value
            guard let content = outbox.take() else {
                try await told.wait("more") { $0 > count }
                continue
            }
            taken.append(content.bytes)
            if content.isLast { return taken }
        }
    }

    @Test("Everything that was put in is taken at a time, in order, and with it the trailers")
    func takesAll() async throws {
        try await outbox.put(Data("ab".utf8))
        try await outbox.put(Data("cde".utf8).dropFirst())
        outbox.finish(with: [.eTag: "a"])
        let content = try #require(outbox.take())
        #expect(content.bytes == ByteBuffer(string: "abde"))
        #expect(content.isLast)
        #expect(content.trailers == [.eTag: "a"])
        #expect(outbox.take() == nil)
    }

    @Test("The connection is told of what comes after it has found nothing, and of nothing else")
    func tellsOnce() async throws {
        try await outbox.put(Data(count: 100))
        #expect(outbox.take() != nil)
        try await outbox.put(Data(count: 100))
        #expect(outbox.take() != nil)
        #expect(told.value == 0)
        #expect(outbox.take() == nil)
        try await outbox.put(Data(count: 100))
        try await outbox.put(Data(count: 100))
        #expect(told.value == 1)
        #expect(outbox.take()?.bytes.readableBytes == 200)
        #expect(outbox.take() == nil)
        outbox.finish(with: nil)
        #expect(told.value == 2)
    }

    @Test("A chunk of any size goes through piece by piece, at the pace of the connection")
    func largeChunk() async throws {
        let chunk = Data((0..<(5 * Outbox.capacity / 2)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })
        async let producer: Void = {
            try await outbox.put(chunk)
            outbox.finish(with: nil)
        }()
        let taken = try await takeToTheEnd()
        try await producer
        #expect(taken.allSatisfy { $0.readableBytes <= Outbox.capacity })
        #expect(taken.reduce(into: Data()) { $0 += Data($1.readableBytesView) } == chunk)
    }

    @Test("The same two pieces of memory are used again and again, one while the other is sent")
    func reusesMemory() async throws {
        var places: Set<UnsafeRawPointer> = []
        var sent = Outbox.Content()
        for round in 0..<100 {
            try await outbox.put(Data(repeating: UInt8(round), count: Outbox.capacity))
            sent = Outbox.Content()
            sent = try #require(outbox.take())
            #expect(sent.bytes.readableBytesView.first == UInt8(round))
            sent.bytes.withUnsafeReadableBytes { bytes in _ = bytes.baseAddress.map { places.insert($0) } }
        }
        #expect(places.count == 2)
    }

    @Test("Memory that the connection still uses is not written to")
    func keepsTaken() async throws {
        var taken: [ByteBuffer] = []
        for round in UInt8(0)..<5 {
            try await outbox.put(Data(repeating: round, count: 1000))
            taken.append(try #require(outbox.take()).bytes)
        }
        for round in UInt8(0)..<5 { #expect(taken[Int(round)] == ByteBuffer(repeating: round, count: 1000)) }
    }

    @Test("The bytes that reach the announced length are the last, before the producer says so")
    func endsWithItsLength() async throws {
        let outbox = Outbox(announced: 5) { _ in }
        try await outbox.put(Data("abc".utf8))
        #expect(outbox.take()?.isLast == false)
        try await outbox.put(Data("de".utf8))
        #expect(outbox.take()?.isLast == true)
        outbox.finish(with: nil)
        #expect(outbox.take() == nil)
    }

    @Test("What is lent is read when it is taken; its end gives the producer its turn")
    func readsWhatIsLent() async throws {
        let left = Locked(["ab", "cd"])
        let producer = Task { [outbox] in
            try await outbox.lend { bytes in
                if let next = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { bytes.writeString(next) }
            }
            outbox.finish(with: nil)
        }
        let taken = try await takeToTheEnd()
        #expect(taken.map { String(buffer: $0) }.joined() == "abcd")
        try await producer.value
    }

    @Test("A producer whose bytes were all taken goes on, though nothing more is")
    func lendingEndsWithTheLength() async throws {
        let outbox = Outbox(announced: 3) { [told] _ in told.update { $0 += 1 } }
        let producer = Task { try await outbox.lend { bytes in bytes.writeString("abc") } }
        while outbox.take()?.isLast != true { try await told.wait("what is lent") { $0 > 0 } }
        try await producer.value
        try await outbox.lend { bytes in bytes.writeString("more") }
    }

    @Test("A producer that waits when nothing more is taken is stopped, and so is one that comes later")
    func stops() async throws {
        try await outbox.put(Data(count: Outbox.capacity))
        let producer = Task { [outbox] in try await outbox.put(Data(count: 1)) }
        outbox.stop()
        await #expect(throws: UploadStopped.self) { try await producer.value }
        await #expect(throws: UploadStopped.self) { try await outbox.put(Data(count: 1)) }
        #expect(outbox.take() == nil)
    }
}
