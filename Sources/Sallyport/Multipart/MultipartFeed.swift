import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// The state that a reader and its parts share: the source of bytes, and the parser that receives them.
final class MultipartFeed: Sendable {
    private let source: MultipartSource
    private let parser: Locked<MultipartParser>
    private let isBusy = Locked(false)
    /// The number of the current part, and a Boolean value that indicates whether it has ended.
    private let current = Locked((part: 0, isOver: true))

    init(_ source: MultipartSource, _ parser: MultipartParser) {
        self.source = source
        self.parser = Locked(parser)
    }

    func nextPart() async throws -> MultipartReader.Part? {
        try await exclusively {
            while true {
                switch try await event() {
                case .part(let fields):
                    let number = parser.withLock { $0.parts }
                    current.withLock { $0 = (number, false) }
                    return MultipartReader.Part(fields, body: MultipartReader.Body(feed: self, part: number))
                case .content: continue
                case .partEnd: current.withLock { $0.isOver = true }
                case .end: return nil
                }
            }
        }
    }

    func nextChunk(of part: Int) async throws -> Data? {
        try await exclusively {
            let current = self.current.withLock { $0 }
            if current.part != part { throw MultipartError.readOutOfTurn(part: part) }
            if current.isOver { return nil }
            guard case .content(let content) = try await event() else {
                self.current.withLock { $0.isOver = true }
                return nil
            }
            return content
        }
    }

    private func event() async throws -> MultipartParser.Event {
        while true {
            if let event = try parser.withLock({ parser throws(MultipartError) in try parser.next() }) { return event }
            if let chunk = try await source.next() {
                parser.withLock { $0.feed(chunk) }
            } else {
                parser.withLock { $0.finish() }
            }
        }
    }

    /// Performs a read operation, or throws an error if another one is in progress.
    private func exclusively<Value>(_ read: () async throws -> Value) async throws -> Value {
        let wasBusy = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return isBusy
        }
        if wasBusy { throw MultipartError.readOutOfTurn(part: current.withLock { $0.part }) }
        defer { isBusy.withLock { $0 = false } }
        return try await read()
    }
}

/// The chunks of a body.
///
/// `@unchecked`, because an iterator is not sendable; ``MultipartFeed`` reads one chunk at a time.
final class MultipartSource: @unchecked Sendable {
    private let read: () async throws -> Data?

    init<Chunks: AsyncSequence>(_ chunks: Chunks) where Chunks.Element == Data {
        var iterator = chunks.makeAsyncIterator()
        read = { try await iterator.next() }
    }

    func next() async throws -> Data? { try await read() }
}
