/// A sequence that repeats one chunk: a body that needs no memory and no time to produce.
package struct Repeated<Chunk: Sendable>: AsyncSequence, Sendable {
    private let chunk: Chunk
    private let count: Int

    package init(chunk: Chunk, count: Int) {
        self.chunk = chunk
        self.count = count
    }

    package struct Iterator: AsyncIteratorProtocol {
        let chunk: Chunk
        var left: Int

        package mutating func next() async -> Chunk? {
            guard left > 0 else { return nil }
            left -= 1
            return chunk
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk, left: count) }
}
