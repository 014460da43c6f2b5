import DequeModule
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// A bounded buffer between the producer of a request's body and the connection that sends it.
///
/// The producer adds chunks, which the connection copies into a block of memory that it sends at once, so that memory use
/// does not depend on the length of the body. The event loop is notified, and the producer suspended, at most once per
/// block.
///
/// Every write to the network has a high cost: it wakes the receiver. A block is therefore larger while the network
/// accepts blocks at once.
final class UploadBuffer: Sendable {
    /// The maximum number of bytes of a block. The producer waits for the connection when more bytes than that are in
    /// the buffer.
    static let capacity = 256 << 10

    /// The maximum number of bytes of a block if the network accepts blocks at once.
    static let maximumCapacity = 1 << 20

    /// The maximum size of a chunk that small chunks are combined into, so that their number is limited.
    static let smallChunk = 16 << 10

    /// Reads bytes up to a limit without blocking. Reads nothing at the end, or if reading would block.
    typealias Read = @Sendable (_ block: inout ByteBuffer, _ limit: Int) throws -> Void

    /// The content that a connection takes at a time.
    struct Content {
        var bytes = ByteBuffer()
        var isLast = false
        /// The trailers that follow the last bytes.
        var trailers: HTTPFields?

        /// Removes at most ``UploadBuffer/capacity`` bytes, so that a slow network makes progress between the pieces of a
        /// large block; `nil` if there are none.
        mutating func nextPiece() -> ByteBuffer? {
            bytes.readableBytes == 0 ? nil : bytes.readSlice(length: min(bytes.readableBytes, UploadBuffer.capacity))
        }
    }

    fileprivate struct State {
        /// The block to take next.
        var block = ByteBuffer()
        /// The chunks that follow the block.
        var chunks: Deque<Data> = []
        /// The number of bytes of all chunks.
        var chunkBytes = 0
        /// The maximum number of bytes of a block.
        var capacity = UploadBuffer.capacity
        /// A Boolean value that indicates whether all of the body has been added.
        var isComplete = false
        var trailers: HTTPFields?
        /// The block that was taken last, and may not have been sent yet.
        var sent = ByteBuffer()
        /// The block taken before that. It can be reused: a connection takes more only after that block is sent.
        var spare = ByteBuffer()
        /// `true` if the connection found the buffer empty, and must be notified.
        var awaitsNotification = false
        var isStopped = false
        /// The number of bytes still to be taken of a body that ends with its announced length and has no trailers.
        var announced: Int64?
        /// A Boolean value that indicates whether the last bytes have been taken.
        var hasEnded = false
        /// The source that the connection reads from directly, until it returns nothing.
        var source: Read?
        /// The error that the source has thrown.
        var sourceFailure: (any Error)?
        var producer: CheckedContinuation<Void, Never>?
    }

    private let state: NIOLockedValueBox<State>
    private let notify: @Sendable (UploadBuffer) -> Void

    /// - Parameters:
    ///   - announced: The length of the body, if it is known and no trailers follow.
    ///   - notify: Called when content has been added that the connection waits for.
    init(announced: Int64? = nil, notify: @escaping @Sendable (UploadBuffer) -> Void) {
        state = NIOLockedValueBox(State(announced: announced))
        self.notify = notify
    }

    // MARK: Called by the producer

    /// Adds a chunk of any size, and then waits while the buffer is full.
    ///
    /// - Throws: ``UploadStopped`` if the connection needs no more of the body.
    func add(_ chunk: Data) async throws {
        if chunk.isEmpty { return }
        let (shouldNotify, isFull) = try state.withLockedValue { state in
            try state.add(chunk)
            return (state.takeNotification(), state.isFull)
        }
        if shouldNotify { notify(self) }
        guard isFull else { return }
        await waitUntil { state in !state.isFull }
        if state.withLockedValue({ $0.isStopped }) { throw UploadStopped() }
    }

    /// Adds a chunk without copying it, once all previous content has been taken.
    ///
    /// - Throws: ``UploadStopped`` if the connection needs no more of the body.
    func add(_ chunk: ByteBuffer) async throws {
        await waitUntil { state in !state.hasBytes }
        let shouldNotify = try state.withLockedValue { state in
            try state.add(chunk)
            return state.takeNotification()
        }
        if shouldNotify { notify(self) }
    }

    /// Lets the connection read from a source directly, and waits until the source would block or has ended.
    ///
    /// - Throws: An error of the source, and ``UploadStopped`` if the connection needs no more of the body.
    func add(readingFrom source: @escaping Read) async throws {
        await waitUntil { state in !state.hasBytes }
        let shouldNotify = try state.withLockedValue { state in
            if state.isStopped { throw UploadStopped() }
            if state.hasEnded { return false }
            state.source = source
            return state.takeNotification()
        }
        if shouldNotify { notify(self) }
        await waitUntil { state in state.source == nil }
        try state.withLockedValue { state in
            if let failure = state.sourceFailure { throw failure }
            if state.isStopped { throw UploadStopped() }
        }
    }

    private func waitUntil(_ isReady: @escaping @Sendable (borrowing State) -> Bool) async {
        while !state.withLockedValue({ isReady($0) || $0.isStopped }) {
            await withCheckedContinuation { producer in
                let isReadyNow = state.withLockedValue { state in
                    if isReady(state) || state.isStopped { return true }
                    state.producer = producer
                    return false
                }
                if isReadyNow { producer.resume() }
            }
        }
    }

    /// Marks the end of the body.
    func finish(with trailers: HTTPFields?) {
        let shouldNotify = state.withLockedValue { state in
            if state.hasEnded { return false }
            state.isComplete = true
            state.trailers = trailers
            return state.takeNotification()
        }
        if shouldNotify { notify(self) }
    }

    // MARK: Called by the connection

    /// Takes the next content; `nil` if there is none. The connection is then notified when content arrives.
    ///
    /// - Parameter isNetworkFast: `true` if the network accepted the previous content at once.
    func take(isNetworkFast: Bool = false) -> Content? {
        while true {
            fillBlock(isNetworkFast)
            let taken = state.withLockedValue { state in
                // `nil` if the producer has added bytes or a source since then: the connection would not be notified of them.
                state.canFillBlock ? nil : (state.take(), state.takeProducer())
            }
            guard let (content, producer) = taken else { continue }
            producer?.resume()
            return content
        }
    }

    /// Fills the next block with the chunks or from the source, if it is empty.
    ///
    /// The lock is released while the block is filled: the producer can continue, and the source can report progress.
    private func fillBlock(_ isNetworkFast: Bool) {
        guard var filling = state.withLockedValue({ $0.beginFilling(isNetworkFast) }) else { return }
        filling.block.clear()
        let outcome = Result { try filling.read(&filling.block, filling.limit) }
        state.withLockedValue { $0.endFilling(filling.block, outcome) }
    }

    /// Discards the content, and lets the producer end with ``UploadStopped``.
    func stop() {
        let producer = state.withLockedValue { state in
            state.isStopped = true
            state.source = nil
            state.discardContent()
            return state.takeProducer()
        }
        producer?.resume()
    }
}

extension UploadBuffer.State {
    fileprivate var hasBytes: Bool { block.readableBytes > 0 || !chunks.isEmpty }

    /// `true` if the producer must wait.
    fileprivate var isFull: Bool { chunkBytes > capacity }

    /// A Boolean value that indicates whether the next block is empty, and there is something to fill it with.
    fileprivate var canFillBlock: Bool {
        block.readableBytes == 0 && (!chunks.isEmpty || (source != nil && !isComplete))
    }

    /// Adds a chunk. Small chunks are combined.
    fileprivate mutating func add(_ chunk: Data) throws {
        if isStopped { throw UploadStopped() }
        chunkBytes += chunk.count
        if let last = chunks.last?.count, last + chunk.count <= UploadBuffer.smallChunk {
            chunks[chunks.count - 1].append(chunk)
        } else {
            chunks.append(chunk)
        }
    }

    fileprivate mutating func add(_ chunk: ByteBuffer) throws {
        if isStopped { throw UploadStopped() }
        block = chunk
        spare = ByteBuffer()
    }

    fileprivate mutating func discardContent() {
        block = ByteBuffer()
        chunks = []
        chunkBytes = 0
        isComplete = false
    }

    fileprivate mutating func take() -> UploadBuffer.Content? {
        awaitsNotification = !hasBytes && !isComplete
        guard !awaitsNotification, !hasEnded else { return nil }
        let bytes = block
        block = ByteBuffer()
        announced? -= Int64(bytes.readableBytes)
        hasEnded = announced == 0 || (isComplete && chunks.isEmpty)
        if hasEnded { source = nil }
        spare = sent
        sent = bytes
        return UploadBuffer.Content(bytes: bytes, isLast: hasEnded, trailers: hasEnded ? trailers : nil)
    }

    fileprivate mutating func beginFilling(
        _ isNetworkFast: Bool
    ) -> (read: UploadBuffer.Read, block: ByteBuffer, limit: Int)? {
        capacity = isNetworkFast ? min(2 * capacity, UploadBuffer.maximumCapacity) : UploadBuffer.capacity
        guard canFillBlock else { return nil }
        if let source, chunks.isEmpty { return (source, takeFreeBlock(), capacity) }
        let parts = takeChunks()
        let read: UploadBuffer.Read = { block, _ in
            block.reserveCapacity(parts.reduce(0) { $0 + $1.count })
            for part in parts { block.writeBytes(part) }
        }
        return (read, takeFreeBlock(), capacity)
    }

    /// Removes chunks of at most `capacity` bytes in total. The last one may be the beginning of a larger chunk.
    private mutating func takeChunks() -> [Data] {
        var taken: [Data] = []
        var free = capacity
        while free > 0, let chunk = chunks.popFirst() {
            taken.append(chunk.prefix(free))
            if chunk.count > free { chunks.prepend(chunk.dropFirst(free)) }
            free -= min(free, chunk.count)
        }
        chunkBytes -= capacity - free
        return taken
    }

    /// Returns memory for a block. The last block is preferred if it has been sent, because it is in the processor's cache.
    private mutating func takeFreeBlock() -> ByteBuffer {
        let isSent = sent.modifyIfUniquelyOwned { $0.clear() } != nil
        if isSent { swap(&sent, &spare) }
        defer { spare = ByteBuffer() }
        return spare
    }

    fileprivate mutating func endFilling(_ filled: ByteBuffer, _ outcome: Result<Void, any Error>) {
        if isStopped { return }
        switch outcome {
        case .success where filled.readableBytes > 0: block = filled
        case .success: source = nil
        case .failure(let error):
            sourceFailure = error
            source = nil
        }
    }

    fileprivate mutating func takeNotification() -> Bool {
        defer { awaitsNotification = false }
        return awaitsNotification
    }

    fileprivate mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
        if source != nil || isFull { return nil }
        defer { producer = nil }
        return producer
    }
}
