import Foundation
import HTTPTypes
import NIOCore
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct UploadBufferTests {
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

    @Test
    func `All added content is taken at once, in order, with the trailers`() async throws {
        try await buffer.add(Data("ab".utf8))
        try await buffer.add(Data("cde".utf8).dropFirst())
        buffer.finish(with: [.eTag: "a"])
        let content = try #require(buffer.take())
        #expect(content.bytes == ByteBuffer(string: "abde"))
        #expect(content.isLast)
        #expect(content.trailers == [.eTag: "a"])
        #expect(buffer.take() == nil)
    }

    @Test
    func `The connection is notified of new content only after it found the buffer empty`() async throws {
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

    @Test
    func `A large chunk is passed on in pieces of limited size`() async throws {
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

    @Test
    func `Blocks are larger while the network is fast`() async throws {
        let producer = Task { [buffer] in try await buffer.add(Data(count: 4 * UploadBuffer.maximumCapacity)) }
        if buffer.take() == nil {
            try await notifications.wait("the chunk") { $0 > 0 }
            #expect(buffer.take()?.bytes.readableBytes == UploadBuffer.capacity)
        }
        let sizes = (0..<3).map { _ in buffer.take(isNetworkFast: true)?.bytes.readableBytes }
        #expect(sizes == [2 * UploadBuffer.capacity, UploadBuffer.maximumCapacity, UploadBuffer.maximumCapacity])
        #expect(buffer.take()?.bytes.readableBytes == UploadBuffer.capacity)
        buffer.stop()
        await #expect(throws: UploadStopped.self) { try await producer.value }
    }

    @Test
    func `Chunks of all sizes are taken in order`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 7) })
        async let producer: Void = {
            var rest = body
            for size in Array(repeating: [1, 100, 16_383, 16_384, 70_000, 300_000], count: 7).flatMap({ $0 }) {
                try await buffer.add(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            try await buffer.add(rest)
            buffer.finish(with: nil)
        }()
        let taken = try await takeToTheEnd()
        try await producer
        #expect(taken.reduce(into: Data()) { $0 += Data($1.readableBytesView) } == body)
    }

    /// Returns the number of memory blocks of a hundred contents.
    ///
    /// - Parameter keepsPrevious: A Boolean value that indicates whether each content is in use until the next is taken.
    private func blockCount(keepsPrevious: Bool) async throws -> Int {
        var addresses: Set<UnsafeRawPointer> = []
        var previous = UploadBuffer.Content()
        for round in 0..<100 {
            try await buffer.add(Data(repeating: UInt8(round), count: UploadBuffer.capacity))
            if !keepsPrevious { previous = UploadBuffer.Content() }
            previous = try #require(buffer.take())
            #expect(previous.bytes.readableBytesView.first == UInt8(round))
            previous.bytes.withUnsafeReadableBytes { bytes in _ = bytes.baseAddress.map { addresses.insert($0) } }
        }
        return addresses.count
    }

    @Test
    func `A block is reused once it has been sent`() async throws {
        #expect(try await blockCount(keepsPrevious: false) == 1)
    }

    @Test
    func `The buffer alternates between two blocks if the last one is still being sent`() async throws {
        #expect(try await blockCount(keepsPrevious: true) == 2)
    }

    @Test
    func `Memory still used by the connection is not overwritten`() async throws {
        var taken: [ByteBuffer] = []
        for round in UInt8(0)..<5 {
            try await buffer.add(Data(repeating: round, count: 1000))
            taken.append(try #require(buffer.take()).bytes)
        }
        for round in UInt8(0)..<5 { #expect(taken[Int(round)] == ByteBuffer(repeating: round, count: 1000)) }
    }

    @Test
    func `The content that reaches the announced length is the last, before the producer finishes`() async throws {
        let buffer = UploadBuffer(announced: 5) { _ in }
        try await buffer.add(Data("abc".utf8))
        #expect(buffer.take()?.isLast == false)
        try await buffer.add(Data("de".utf8))
        #expect(buffer.take()?.isLast == true)
        buffer.finish(with: nil)
        #expect(buffer.take() == nil)
    }

    @Test
    func `A lent source is read when content is taken, and its end resumes the producer`() async throws {
        let left = Locked(["ab", "cd"])
        let producer = Task { [buffer] in
            try await buffer.add { bytes, _ in
                if let next = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { bytes.writeString(next) }
            }
            buffer.finish(with: nil)
        }
        let taken = try await takeToTheEnd()
        #expect(taken.map { String(buffer: $0) }.joined() == "abcd")
        try await producer.value
    }

    @Test
    func `A lent source may fill larger blocks while the network is fast`() async throws {
        let limits = Locked<[Int]>([])
        let producer = Task { [buffer] in
            try await buffer.add { bytes, limit in
                limits.withLock { $0.append(limit) }
                bytes.writeString("a")
            }
        }
        if buffer.take() == nil {
            try await notifications.wait("the lent source") { $0 > 0 }
            #expect(buffer.take() != nil)
        }
        #expect(buffer.take(isNetworkFast: true) != nil)
        #expect(limits.withLock { $0 } == [UploadBuffer.capacity, 2 * UploadBuffer.capacity])
        buffer.stop()
        await #expect(throws: UploadStopped.self) { try await producer.value }
    }

    @Test
    func `A producer resumes when its announced length has been taken`() async throws {
        let buffer = UploadBuffer(announced: 3) { [notifications] _ in notifications.update { $0 += 1 } }
        let producer = Task { try await buffer.add { bytes, _ in bytes.writeString("abc") } }
        while buffer.take()?.isLast != true { try await notifications.wait("the lent source") { $0 > 0 } }
        try await producer.value
        try await buffer.add { bytes, _ in bytes.writeString("more") }
    }

    @Test
    func `Stopping the buffer stops waiting and later producers`() async throws {
        try await buffer.add(Data(count: UploadBuffer.capacity))
        let producer = Task { [buffer] in try await buffer.add(Data(count: 1)) }
        buffer.stop()
        await #expect(throws: UploadStopped.self) { try await producer.value }
        await #expect(throws: UploadStopped.self) { try await buffer.add(Data(count: 1)) }
        #expect(buffer.take() == nil)
    }
}
