import NIOCore
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ExchangeStateTests {
    @Test
    func `Single bytes of an unread body are combined into few chunks`() throws {
        var state = ExchangeState()
        let size = 100_000
        for number in 0..<size {
            let byte = ByteBuffer(integer: UInt8(truncatingIfNeeded: number))
            state.receive(ResponseParts(chunks: [byte]))
        }
        var count = 0
        var body: [UInt8] = []
        while let chunk = try state.readNow()?.outcome.get() {
            count += 1
            body += Array(buffer: chunk)
        }
        #expect(count <= size / ChunkQueue.smallChunk + 1)
        #expect(body == (0..<size).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `The rest of a complete body is read at once only if it is within the limit`() throws {
        var state = ExchangeState()
        state.receive(ResponseParts(chunks: [ByteBuffer(repeating: 1, count: 5_000)]))
        #expect(state.readRest(upTo: 10_000) == nil)
        state.receive(ResponseParts(chunks: [ByteBuffer(repeating: 2, count: 5_000)], end: .success([:])))
        #expect(state.readRest(upTo: 9_999) == nil)
        #expect(try state.readNow()?.outcome.get()?.readableBytes == 5_000)
        #expect(state.readRest(upTo: 5_000) == ByteBuffer(repeating: 2, count: 5_000))
        #expect(state.readRest(upTo: 0) == ByteBuffer())
    }
}

extension ExchangeState {
    /// Adds received parts. Nobody waits for them.
    fileprivate mutating func receive(_ parts: ResponseParts) {
        var effects = Effects()
        _ = receive(parts, &effects)
    }
}
