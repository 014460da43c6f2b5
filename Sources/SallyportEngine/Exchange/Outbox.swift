import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// A body on its way from its producer, who may be ahead by so many bytes, to the connection that sends it.
///
/// The producer fills one piece of memory while the network takes the other: however long the body is and in whatever
/// chunks it comes, no more is used. One visit to the event loop, and one wait of the producer, are for a whole filling.
final class Outbox: Sendable {
    /// How many bytes the producer puts in before it waits for the connection.
    static let capacity = 256 << 10

    /// How much is read at a time of what needs no waiting.
    static let pieceSize = 64 << 10

    /// Reads a piece without waiting for it; nothing at the end, and where it would have to wait.
    typealias Read = @Sendable (inout ByteBuffer) throws -> Void

    /// What a connection takes.
    struct Content {
        var bytes = ByteBuffer()
        var isLast = false
        /// Those that follow the last bytes.
        var trailers: HTTPFields?

        var isEmpty: Bool { bytes.readableBytes == 0 && !isLast }
    }

    fileprivate struct State {
        var content = Content()
        /// The memory that was taken last, and is being sent.
        var sent = ByteBuffer()
        /// The memory that was taken before: connections take more only after that is sent.
        var spare = ByteBuffer()
        /// Whether the connection has found nothing, and waits to be told.
        var isWanted = false
        var isStopped = false
        /// How much has not been taken of a body that ends with its announced length, and not with trailers.
        var announced: Int64?
        /// Whether the last bytes have been taken.
        var hasEnded = false
        /// Lent by the producer, until it gives nothing.
        var read: Read?
        /// Why it gave nothing.
        var readFailure: (any Error)?
        var producer: CheckedContinuation<Void, Never>?
    }

    private let state: NIOLockedValueBox<State>
    private let tell: @Sendable (Outbox) -> Void

    /// - Parameters:
    ///   - announced: The length with which the body ends, if it is known and no trailers follow.
    ///   - tell: Called when something has come that the connection waits for.
    init(announced: Int64? = nil, tell: @escaping @Sendable (Outbox) -> Void) {
        state = NIOLockedValueBox(State(announced: announced))
        self.tell = tell
    }

    // MARK: The producer's side

    /// Puts in a chunk, as fast as there is room for it.
    ///
    /// - Throws: ``UploadStopped`` once no connection takes any more.
    func put(_ chunk: Data) async throws {
        var rest = chunk
        while !rest.isEmpty {
            let (count, isWanted) = try state.withLockedValue { state in
                let count = try state.put(rest)
                return (count, state.takeWish())
            }
            if isWanted { tell(self) }
            rest = rest.dropFirst(count)
            if !rest.isEmpty { await waitUntil { state in state.room > 0 } }
        }
    }

    /// Puts in a chunk as it is, once all that came before has been taken.
    ///
    /// - Throws: ``UploadStopped`` once no connection takes any more.
    func put(_ chunk: ByteBuffer) async throws {
        await waitUntil { state in state.content.bytes.readableBytes == 0 }
        let isWanted = try state.withLockedValue { state in
            try state.put(chunk)
            return state.takeWish()
        }
        if isWanted { tell(self) }
    }

    /// Lets the connection read what it sends, until it would have to wait, or has come to the end.
    ///
    /// - Throws: What reading throws, and ``UploadStopped`` once no connection takes any more.
    func lend(_ read: @escaping Read) async throws {
        await waitUntil { state in state.content.bytes.readableBytes == 0 }
        let isWanted = try state.withLockedValue { state in
            if state.isStopped { throw UploadStopped() }
            if state.hasEnded { return false }
            state.read = read
            return state.takeWish()
        }
        if isWanted { tell(self) }
        await waitUntil { state in state.read == nil }
        try state.withLockedValue { state in
            if let failure = state.readFailure { throw failure }
            if state.isStopped { throw UploadStopped() }
        }
    }

    private func waitUntil(_ hasRoom: @escaping @Sendable (borrowing State) -> Bool) async {
        if state.withLockedValue({ hasRoom($0) }) { return }
        await withCheckedContinuation { producer in
            let goesOn = state.withLockedValue { state in
                if hasRoom(state) || state.isStopped { return true }
                state.producer = producer
                return false
            }
            if goesOn { producer.resume() }
        }
    }

    /// Says that no more will come.
    func finish(with trailers: HTTPFields?) {
        let isWanted = state.withLockedValue { state in
            if state.hasEnded { return false }
            state.content.isLast = true
            state.content.trailers = trailers
            return state.takeWish()
        }
        if isWanted { tell(self) }
    }

    // MARK: The connection's side

    /// Takes what is there; `nil` if nothing is, and then the connection is told when something has come.
    func take() -> Content? {
        read()
        let (content, producer) = state.withLockedValue { state in (state.take(), state.takeProducer()) }
        producer?.resume()
        return content
    }

    /// Reads a piece of what was lent; not under the lock, as a reader may tell others what it has read.
    private func read() {
        guard var reading = state.withLockedValue({ $0.beginReading() }) else { return }
        reading.bytes.clear()
        let outcome = Result { try reading.read(&reading.bytes) }
        state.withLockedValue { $0.endReading(reading.bytes, outcome) }
    }

    /// Says that nothing more will be taken.
    func stop() {
        let producer = state.withLockedValue { state in
            state.isStopped = true
            state.read = nil
            state.content = Content()
            return state.takeProducer()
        }
        producer?.resume()
    }
}

extension Outbox.State {
    fileprivate var room: Int { Outbox.capacity - content.bytes.readableBytes }

    /// - Returns: How much of the chunk there was room for.
    fileprivate mutating func put(_ chunk: Data) throws -> Int {
        if isStopped { throw UploadStopped() }
        if content.bytes.capacity == 0 {
            swap(&content.bytes, &spare)
            content.bytes.clear()
        }
        return content.bytes.writeBytes(chunk.prefix(room))
    }

    fileprivate mutating func put(_ chunk: ByteBuffer) throws {
        if isStopped { throw UploadStopped() }
        content.bytes = chunk
        spare = ByteBuffer()
    }

    fileprivate mutating func take() -> Outbox.Content? {
        isWanted = content.isEmpty
        guard !isWanted else { return nil }
        if let left = announced {
            announced = left - Int64(content.bytes.readableBytes)
            if announced == 0 { content.isLast = true }
        }
        if content.isLast {
            hasEnded = true
            read = nil
        }
        let taken = content
        content = Outbox.Content()
        spare = sent
        sent = taken.bytes
        return taken
    }

    fileprivate mutating func beginReading() -> (read: Outbox.Read, bytes: ByteBuffer)? {
        guard let read, content.isEmpty else { return nil }
        defer { spare = ByteBuffer() }
        return (read, spare)
    }

    fileprivate mutating func endReading(_ bytes: ByteBuffer, _ outcome: Result<Void, any Error>) {
        if isStopped { return }
        switch outcome {
        case .success where bytes.readableBytes > 0: content.bytes = bytes
        case .success: read = nil
        case .failure(let error):
            readFailure = error
            read = nil
        }
    }

    fileprivate mutating func takeWish() -> Bool {
        defer { isWanted = false }
        return isWanted
    }

    fileprivate mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
        if read != nil { return nil }
        defer { producer = nil }
        return producer
    }
}
