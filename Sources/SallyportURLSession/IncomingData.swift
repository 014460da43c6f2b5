import Foundation
import SallyportTransport

/// The part of a response's body that has been received but not read.
struct IncomingData: Sendable {
    private var chunks: [Data] = []
    private var next = 0
    private(set) var buffered = 0
    /// The total number of bytes that have been received.
    private(set) var received: Int64 = 0
    private(set) var isCancelled = false

    mutating func append(_ chunk: Data) {
        guard !chunk.isEmpty, !isCancelled else { return }
        chunks.append(chunk)
        buffered += chunk.count
        received += Int64(chunk.count)
    }

    mutating func take() -> Data? {
        guard next < chunks.count else { return nil }
        let chunk = chunks[next]
        chunks[next] = Data()
        next += 1
        buffered -= chunk.count
        if next == chunks.count { discard() }
        return chunk
    }

    mutating func discard() {
        chunks = []
        next = 0
        buffered = 0
    }

    mutating func cancel() {
        isCancelled = true
        discard()
    }
}
