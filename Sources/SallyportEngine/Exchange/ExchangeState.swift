import DequeModule
import HTTPTypes
import NIOCore
import SallyportTransport

/// The state that is shared by the connection that receives a response and the caller that waits for it.
///
/// Each change returns the continuations to resume after the lock is released. They are unsafe continuations: checked
/// ones have a size that is unknown at compile time, which makes every access to this state slower. Each is resumed
/// exactly once: it is removed together with its outcome, and every exchange ends.
struct ExchangeState {
    typealias HeadWaiter = UnsafeContinuation<Void, Never>
    typealias ReadWaiter = UnsafeContinuation<Result<ByteBuffer?, NetworkError>, Never>
    typealias SendWaiter = UnsafeContinuation<Result<any Carrier, NetworkError>, Never>

    /// The number of unread bytes above which the connection pauses reading. It resumes below half of it.
    static let highWatermark = 512 << 10

    private(set) var phase = ExchangePhase.queue
    private(set) var carrier: (any Carrier)?
    private var queue: (any ExchangeQueue)?
    private(set) var informational: [HTTPResponse] = []
    private(set) var trailers = HTTPFields()
    private(set) var hasStartedUpload = false
    private(set) var restarts = 0
    /// A Boolean value that indicates whether the exchange has left a carrier that may have sent a part of the request.
    private var mayHaveBeenSent = false
    /// The time at which the exchange was last queued.
    private(set) var queued = NIODeadline.now()

    private var head: ResponseHead?
    private var chunks = ChunkQueue()
    private var isPaused = false
    private var end: Result<HTTPFields, NetworkError>?
    private var mayUpload = false

    private var headWaiter: HeadWaiter?
    private var readWaiters: Deque<ReadWaiter> = []
    private var sendWaiter: SendWaiter?

    /// The actions to perform after the lock is released.
    struct Effects {
        /// The waiter for the head, which then reads it from the state, because a head is large and would be copied several times.
        var head: HeadWaiter?
        var reads: [(waiter: ReadWaiter, outcome: Result<ByteBuffer?, NetworkError>)] = []
        var send: (waiter: SendWaiter, outcome: Result<any Carrier, NetworkError>)?
        var leaves: (any ExchangeQueue)?
        var abandons: (any Carrier)?
        /// A Boolean value that indicates whether the abandoned carrier may receive the rest of the response in order to be reused.
        var drains = false
        var resumesReading: (any Carrier)?

        func perform(for exchange: Exchange) {
            leaves?.giveUp(exchange)
            if drains { abandons?.drain(exchange) } else { abandons?.abandon(exchange) }
            resumesReading?.resumeReading(for: exchange)
            head?.resume()
            for read in reads { read.waiter.resume(returning: read.outcome) }
            if let send { send.waiter.resume(returning: send.outcome) }
        }
    }

    var isEnded: Bool { end != nil }

    /// A Boolean value that indicates whether the exchange has ended and nothing is left to be read.
    var isFinished: Bool { isEnded && chunks.isEmpty }

    /// A Boolean value that indicates whether the caller waits for the head or for a part of the body.
    var isAwaited: Bool { headWaiter != nil || !readWaiters.isEmpty }

    /// A Boolean value that indicates whether the response has been received completely.
    var isReceived: Bool { if case .success? = end { true } else { false } }

    // MARK: Called by the pool

    mutating func wait(in queue: any ExchangeQueue) -> Bool {
        if isEnded { return false }
        if carrier == nil { self.queue = queue }
        return true
    }

    // MARK: Called by the connection

    mutating func reach(_ phase: ExchangePhase) {
        if !isEnded { self.phase = max(self.phase, phase) }
    }

    /// Assigns the exchange to a carrier. Returns `false` if it has ended.
    mutating func begin(on carrier: any Carrier) -> Bool {
        guard !isEnded else { return false }
        self.carrier = carrier
        queue = nil
        phase = .send
        return true
    }

    /// Removes the exchange from its carrier, so that another can run it from its start.
    mutating func detach(afterSending: Bool) -> Bool {
        guard !isEnded, !hasStartedUpload else { return false }
        carrier = nil
        if afterSending { mayHaveBeenSent = true }
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

    /// Adds received parts of the response.
    ///
    /// - Parameter effects: Receives the actions of this change. Returning them would copy them.
    /// - Returns: `false` if the connection should pause reading.
    mutating func receive(_ parts: ResponseParts, _ effects: inout Effects) -> Bool {
        guard !isEnded else { return true }
        if !parts.informational.isEmpty { informational += parts.informational }
        if let received = parts.head {
            head = received
            phase = .body
        }
        for chunk in parts.chunks { chunks.append(chunk) }
        if let outcome = parts.end { finish(outcome) }
        settle(&effects)
        if isEnded { effects.send = sendWaiterOutcome() }
        isPaused = !isEnded && chunks.byteCount > Self.highWatermark
        return !isPaused
    }

    // MARK: Called by the client

    /// A Boolean value that indicates whether the caller need not wait for the head.
    var hasHeadOutcome: Bool { head != nil || isEnded }

    /// The head, or the error of an exchange that ended before its head was received.
    var headOutcome: Result<ResponseHead, NetworkError> {
        if let head { return .success(head) }
        if case .failure(let error)? = end { return .failure(error) }
        return .failure(.invalidResponse("the response has no head"))
    }

    mutating func awaitHead(_ waiter: HeadWaiter) -> Effects {
        headWaiter = waiter
        var effects = Effects()
        settle(&effects)
        return effects
    }

    mutating func awaitChunk(_ waiter: ReadWaiter) -> Effects {
        readWaiters.append(waiter)
        var effects = Effects()
        settle(&effects)
        return effects
    }

    /// Returns the next chunk or the end, or `nil` if the caller must wait.
    mutating func readNow() -> (outcome: Result<ByteBuffer?, NetworkError>, Effects)? {
        if let chunk = chunks.popFirst() {
            var effects = Effects()
            if isPaused, chunks.byteCount < Self.highWatermark / 2 {
                isPaused = false
                effects.resumesReading = carrier
            }
            return (.success(chunk), effects)
        }
        return end.map { ($0.map { _ in nil }, Effects()) }
    }

    /// Returns the unread chunks as one, or `nil` if the response has not been received completely or they are longer than a limit.
    mutating func readRest(upTo limit: Int) -> ByteBuffer? {
        guard case .success? = end, chunks.byteCount <= limit else { return nil }
        return chunks.popAll()
    }

    mutating func awaitUpload(_ waiter: SendWaiter) -> Effects {
        sendWaiter = waiter
        return startUploadIfPossible()
    }

    /// Ends the exchange with an error. Unread chunks are dropped.
    ///
    /// - Parameter drains: A Boolean value that indicates whether the carrier may receive the rest of the response in order to be reused.
    mutating func fail(_ error: NetworkError, drains: Bool = false) -> Effects {
        guard !isEnded else {
            if !chunks.isEmpty {
                chunks = ChunkQueue()
                end = .failure(error)
            }
            return Effects()
        }
        let (carrier, queue) = (carrier, queue)
        chunks = ChunkQueue()
        finish(.failure(error))
        var effects = Effects()
        settle(&effects)
        effects.leaves = queue
        effects.send = sendWaiterOutcome()
        effects.abandons = carrier
        effects.drains = drains
        return effects
    }

    // MARK: Implementation

    private mutating func finish(_ outcome: Result<HTTPFields, NetworkError>) {
        end = outcome.mapError { [mayHaveBeenSent] error in
            var error = error
            if mayHaveBeenSent { error.failure.mayHaveBeenSentEarlier = true }
            return error
        }
        carrier = nil
        queue = nil
        if case .success(let fields) = outcome { trailers = fields }
    }

    /// Adds the waiters whose outcome is available.
    private mutating func settle(_ effects: inout Effects) {
        if hasHeadOutcome { effects.head = headWaiter.take() }
        while let waiter = readWaiters.first, let (outcome, more) = readNow() {
            readWaiters.removeFirst()
            effects.reads.append((waiter, outcome))
            effects.resumesReading = more.resumesReading ?? effects.resumesReading
        }
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
