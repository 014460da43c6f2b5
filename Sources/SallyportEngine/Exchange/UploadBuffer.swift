import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// A bounded buffer between the producer of a request's body and the connection that sends it.
///
/// The producer fills one block of memory while the network sends another, so that memory use does not depend on the
/// length of the body or the size of its chunks. The event loop is notified, and the producer suspended, at most once
/// per block.
final class UploadBuffer: Sendable {
    /// The number of bytes that the producer can add before it waits for the connection.
    static let capacity = 256 << 10

    /// The number of bytes that the connection reads at a time from a source that does not block.
    static let pieceSize = 64 << 10

    /// Reads bytes without blocking. Reads nothing at the end, and if it would have to block.
    typealias Read = @Sendable (inout ByteBuffer) throws -> Void

    /// The content that a connection takes at a time.
    struct Content {
        var bytes = ByteBuffer()
        var isLast = false
        /// The trailers that follow the last bytes.
        var trailers: HTTPFields?

        var isEmpty: Bool { bytes.readableBytes == 0 && !isLast }
    }

    fileprivate struct State {
        var content = Content()
        /// The block that was taken last, and is being sent.
        var sent = ByteBuffer()
        /// The block taken before that. It can be reused: a connection takes more only after that block is sent.
        var spare = ByteBuffer()
        /// A Boolean value that indicates whether the connection found the buffer empty, and has to be notified.
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

    /// Copies a chunk into the buffer, and waits whenever the buffer is full.
    ///
    /// - Throws: ``UploadStopped`` if the connection needs no more of the body.
    func add(_ chunk: Data) async throws {
        var rest = chunk
        while !rest.isEmpty {
            let (count, shouldNotify) = try state.withLockedValue { state in
                let count = try state.add(rest)
                return (count, state.takeNotification())
            }
            if shouldNotify { notify(self) }
            rest = rest.dropFirst(count)
            if !rest.isEmpty { await waitUntil { state in state.freeBytes > 0 } }
        }
    }

    /// Adds a chunk without copying it, once all previous content has been taken.
    ///
    /// - Throws: ``UploadStopped`` if the connection needs no more of the body.
    func add(_ chunk: ByteBuffer) async throws {
        await waitUntil { state in state.content.bytes.readableBytes == 0 }
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
        await waitUntil { state in state.content.bytes.readableBytes == 0 }
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
        if state.withLockedValue({ isReady($0) }) { return }
        await withCheckedContinuation { producer in
            let isReadyNow = state.withLockedValue { state in
                if isReady(state) || state.isStopped { return true }
                state.producer = producer
                return false
            }
            if isReadyNow { producer.resume() }
        }
    }

    /// Marks the end of the body.
    func finish(with trailers: HTTPFields?) {
        let shouldNotify = state.withLockedValue { state in
            if state.hasEnded { return false }
            state.content.isLast = true
            state.content.trailers = trailers
            return state.takeNotification()
        }
        if shouldNotify { notify(self) }
    }

    // MARK: Called by the connection

    /// Takes the content; `nil` if there is none, in which case the connection is notified when content arrives.
    func take() -> Content? {
        while true {
            readFromSource()
            let taken = state.withLockedValue { state in
                // The producer has added a source since then, of which the connection would not be notified.
                state.hasUnreadSource ? nil : (state.take(), state.takeProducer())
            }
            guard let (content, producer) = taken else { continue }
            producer?.resume()
            return content
        }
    }

    /// Reads from the source. The lock is not held, as the source may report its progress elsewhere.
    private func readFromSource() {
        guard var reading = state.withLockedValue({ $0.beginReading() }) else { return }
        reading.bytes.clear()
        let outcome = Result { try reading.read(&reading.bytes) }
        state.withLockedValue { $0.endReading(reading.bytes, outcome) }
    }

    /// Discards the content, and lets the producer end with ``UploadStopped``.
    func stop() {
        let producer = state.withLockedValue { state in
            state.isStopped = true
            state.source = nil
            state.content = Content()
            return state.takeProducer()
        }
        producer?.resume()
    }
}

extension UploadBuffer.State {
    fileprivate var freeBytes: Int { UploadBuffer.capacity - content.bytes.readableBytes }

    /// - Returns: The number of bytes of the chunk that fit.
    fileprivate mutating func add(_ chunk: Data) throws -> Int {
        if isStopped { throw UploadStopped() }
        if content.bytes.capacity == 0 {
            swap(&content.bytes, &spare)
            content.bytes.clear()
        }
        return content.bytes.writeBytes(chunk.prefix(freeBytes))
    }

    fileprivate mutating func add(_ chunk: ByteBuffer) throws {
        if isStopped { throw UploadStopped() }
        content.bytes = chunk
        spare = ByteBuffer()
    }

    fileprivate mutating func take() -> UploadBuffer.Content? {
        awaitsNotification = content.isEmpty
        guard !awaitsNotification else { return nil }
        if let left = announced {
            announced = left - Int64(content.bytes.readableBytes)
            if announced == 0 { content.isLast = true }
        }
        if content.isLast {
            hasEnded = true
            source = nil
        }
        let taken = content
        content = UploadBuffer.Content()
        spare = sent
        sent = taken.bytes
        return taken
    }

    fileprivate mutating func beginReading() -> (read: UploadBuffer.Read, bytes: ByteBuffer)? {
        guard hasUnreadSource, let source else { return nil }
        defer { spare = ByteBuffer() }
        return (source, spare)
    }

    fileprivate mutating func endReading(_ bytes: ByteBuffer, _ outcome: Result<Void, any Error>) {
        if isStopped { return }
        switch outcome {
        case .success where bytes.readableBytes > 0: content.bytes = bytes
        case .success: source = nil
        case .failure(let error):
            sourceFailure = error
            source = nil
        }
    }

    /// A Boolean value that indicates whether there is nothing to take before the source has been read.
    fileprivate var hasUnreadSource: Bool { content.isEmpty && source != nil }

    fileprivate mutating func takeNotification() -> Bool {
        defer { awaitsNotification = false }
        return awaitsNotification
    }

    fileprivate mutating func takeProducer() -> CheckedContinuation<Void, Never>? {
        if source != nil { return nil }
        defer { producer = nil }
        return producer
    }
}
