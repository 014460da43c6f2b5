import DequeModule
import HTTPTypes
import NIOCore
import SallyportTransport

/// The meeting point of a connection, which brings a response, and a caller, who waits for it.
///
/// It waits for nothing itself: each change returns the continuations that are to be resumed after the lock is gone.
/// They are unsafe ones, as the memory of checked ones is not known before they are made, which costs every access to
/// this state. Each is resumed once: it is taken out with its outcome, and every exchange ends.
struct ExchangeState {
    typealias HeadWaiter = UnsafeContinuation<Result<IncomingHead, NetworkError>, Never>
    typealias ReadWaiter = UnsafeContinuation<Result<ByteBuffer?, NetworkError>, Never>
    typealias SendWaiter = UnsafeContinuation<Result<any Carrier, NetworkError>, Never>

    /// Above this many unread bytes the connection stops reading, and below half of it goes on.
    static let highWatermark = 512 << 10

    /// Up to this size unread chunks are copied together.
    static let smallChunk = 4096

    private(set) var phase = ExchangePhase.queue
    private(set) var carrier: (any Carrier)?
    private var queue: (any ExchangeQueue)?
    private(set) var informational: [HTTPResponse] = []
    private(set) var trailers: HTTPFields = [:]
    private(set) var hasStartedUpload = false
    private(set) var restarts = 0
    /// When it began to wait for the connection that it has, or still waits for.
    private(set) var queued = NIODeadline.now()

    private var head: IncomingHead?
    private var chunks: Deque<ByteBuffer> = []
    private var unreadBytes = 0
    private var isPaused = false
    private var end: Result<HTTPFields, NetworkError>?
    private var mayUpload = false

    private var headWaiter: HeadWaiter?
    private var readWaiters: Deque<ReadWaiter> = []
    private var sendWaiter: SendWaiter?

    /// What is to be done once the lock is released.
    struct Effects {
        var head: (waiter: HeadWaiter, outcome: Result<IncomingHead, NetworkError>)?
        var reads: [(waiter: ReadWaiter, outcome: Result<ByteBuffer?, NetworkError>)] = []
        var send: (waiter: SendWaiter, outcome: Result<any Carrier, NetworkError>)?
        var leaves: (any ExchangeQueue)?
        var abandons: (any Carrier)?
        var resumesReading: (any Carrier)?

        func perform(for exchange: Exchange) {
            leaves?.giveUp(exchange)
            abandons?.abandon(exchange)
            resumesReading?.resumeReading(for: exchange)
            head.map { $0.waiter.resume(returning: $0.outcome) }
            for read in reads { read.waiter.resume(returning: read.outcome) }
            send.map { $0.waiter.resume(returning: $0.outcome) }
        }
    }

    var isEnded: Bool { end != nil }

    // MARK: The pool's side

    mutating func wait(in queue: any ExchangeQueue) -> Bool {
        if isEnded { return false }
        if carrier == nil { self.queue = queue }
        return true
    }

    // MARK: The connection's side

    mutating func reach(_ phase: ExchangePhase) {
        if !isEnded { self.phase = max(self.phase, phase) }
    }

    /// Takes the exchange onto a connection, unless it has ended meanwhile.
    mutating func begin(on carrier: any Carrier) -> Bool {
        guard !isEnded else { return false }
        self.carrier = carrier
        queue = nil
        phase = .send
        return true
    }

    /// Takes the exchange off its connection, so that another can run it from its start.
    mutating func detach() -> Bool {
        guard !isEnded, !hasStartedUpload else { return false }
        carrier = nil
        mayUpload = false
        restarts += 1
        phase = .queue
        queued = .now()
        return true
    }

    mutating func allowUpload() -> Effects {
        mayUpload = true
        return startUploadIfPossible()
    }

    /// - Returns: Whether the connection should go on reading.
    mutating func receive(_ pieces: IncomingPieces) -> (Effects, goesOn: Bool) {
        guard !isEnded else { return (Effects(), true) }
        informational += pieces.informational
        if let received = pieces.head {
            head = received
            phase = .body
        }
        for chunk in pieces.chunks { keep(chunk) }
        if let outcome = pieces.end { finish(outcome) }
        var effects = settle()
        if isEnded { effects.send = sendWaiterOutcome() }
        isPaused = !isEnded && unreadBytes > Self.highWatermark
        return (effects, !isPaused)
    }

    /// Small chunks are copied together: each would keep the memory of all that was read with it.
    private mutating func keep(_ chunk: ByteBuffer) {
        unreadBytes += chunk.readableBytes
        if let last = chunks.last?.readableBytes, last + chunk.readableBytes <= Self.smallChunk {
            chunks[chunks.count - 1].writeImmutableBuffer(chunk)
        } else {
            chunks.append(chunk)
        }
    }

    // MARK: The caller's side

    mutating func awaitHead(_ waiter: HeadWaiter) -> Effects {
        headWaiter = waiter
        return settle()
    }

    mutating func awaitChunk(_ waiter: ReadWaiter) -> Effects {
        readWaiters.append(waiter)
        return settle()
    }

    /// The next chunk, if one is there or none will come; so that a caller who need not wait does not.
    mutating func readNow() -> (outcome: Result<ByteBuffer?, NetworkError>, Effects)? {
        if let chunk = chunks.popFirst() {
            unreadBytes -= chunk.readableBytes
            var effects = Effects()
            if isPaused, unreadBytes < Self.highWatermark / 2 {
                isPaused = false
                effects.resumesReading = carrier
            }
            return (.success(chunk), effects)
        }
        return end.map { ($0.map { _ in nil }, Effects()) }
    }

    mutating func awaitUpload(_ waiter: SendWaiter) -> Effects {
        sendWaiter = waiter
        return startUploadIfPossible()
    }

    /// Ends the exchange from the caller's side: what has not been read is lost.
    mutating func fail(_ error: NetworkError) -> Effects {
        guard !isEnded else {
            if !chunks.isEmpty {
                chunks = []
                end = .failure(error)
            }
            return Effects()
        }
        let (carrier, queue) = (carrier, queue)
        chunks = []
        finish(.failure(error))
        var effects = settle()
        effects.leaves = queue
        effects.send = sendWaiterOutcome()
        effects.abandons = carrier
        return effects
    }

    // MARK: Both

    private mutating func finish(_ outcome: Result<HTTPFields, NetworkError>) {
        end = outcome
        carrier = nil
        queue = nil
        if case .success(let fields) = outcome { trailers = fields }
    }

    /// Gives the waiters what they wait for, as far as it is there.
    private mutating func settle() -> Effects {
        var effects = Effects()
        if let waiter = headWaiter, let outcome = headOutcome() {
            headWaiter = nil
            effects.head = (waiter, outcome)
        }
        while let waiter = readWaiters.first, let (outcome, more) = readNow() {
            readWaiters.removeFirst()
            effects.reads.append((waiter, outcome))
            effects.resumesReading = more.resumesReading ?? effects.resumesReading
        }
        return effects
    }

    private func headOutcome() -> Result<IncomingHead, NetworkError>? {
        if let head { return .success(head) }
        if case .failure(let error)? = end { return .failure(error) }
        return nil
    }

    private mutating func startUploadIfPossible() -> Effects {
        var effects = Effects()
        guard sendWaiter != nil else { return effects }
        if isEnded || (mayUpload && carrier != nil) { effects.send = sendWaiterOutcome() }
        return effects
    }

    private mutating func sendWaiterOutcome() -> (waiter: SendWaiter, outcome: Result<any Carrier, NetworkError>)? {
        guard let waiter = sendWaiter else { return nil }
        sendWaiter = nil
        if let carrier, !isEnded {
            hasStartedUpload = true
            return (waiter, .success(carrier))
        }
        if case .failure(let error)? = end { return (waiter, .failure(error)) }
        return (waiter, .failure(.cancelled("the response ended before the body was sent")))
    }
}
