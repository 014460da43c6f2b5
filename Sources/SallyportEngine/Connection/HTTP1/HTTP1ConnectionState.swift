import HTTPTypes
import NIOCore
import SallyportTransport

/// The state of an HTTP/1.1 connection that its events change.
///
/// It is a single value, so that each event changes it in few exclusive accesses. Its methods do not call the channel,
/// the exchange's waiting tasks or the pool, because these may call the connection again before they return, which must
/// not happen during an access. It cannot be copied: reading a property of a copyable value may copy the whole value.
struct HTTP1ConnectionState: ~Copyable {
    enum ReadAction {
        case read, delay, suspend
    }

    var running: RunningExchange?
    var isClosing = false
    /// A Boolean value that indicates whether TLS ended without a close_notify alert.
    var isUnclean = false

    private let informationalLimit: Int
    private let idleLimit: TimeAmount
    private var facts: ConnectionFacts
    private var idleSince = NIODeadline.now()
    /// The time at which bytes of a response were last received.
    private var lastRead = NIODeadline.now()
    /// A Boolean value that indicates whether the request allows the connection to be kept open.
    private var keepsAlive = true

    private var reader: ResponseReader
    private var coalescing: ReadCoalescing
    /// A Boolean value that indicates whether a read was requested while the exchange was paused.
    private var hasSuspendedRead = false

    init(_ configuration: TransportConfiguration, facts: ConnectionFacts) {
        informationalLimit = configuration.responses.informationalResponses
        idleLimit = TimeAmount(configuration.connections.idle)
        reader = ResponseReader(limits: configuration.responses)
        coalescing = ReadCoalescing(isSecure: facts.isSecure)
        self.facts = facts
    }

    var deadline: NIODeadline { running?.deadline ?? (isClosing ? .distantFuture : idleSince + idleLimit) }

    var isSecure: Bool { facts.isSecure }

    /// A Boolean value that indicates whether an exchange can begin.
    var isFree: Bool { running == nil && !isClosing }

    mutating func begin(_ exchange: Exchange, sending: RunningExchange.Sending) {
        reader.expectResponse(to: exchange.request.method)
        keepsAlive = !exchange.request.asksToClose
        running = RunningExchange(exchange, isFirst: !facts.isReused, sending: sending)
    }

    /// Ends the running exchange.
    ///
    /// - Returns: Its upload buffer, which the caller must stop.
    mutating func finish() -> UploadBuffer? {
        facts.markReused()
        return running.take()?.uploadBuffer
    }

    mutating func becomeIdle() {
        idleSince = .now()
    }

    // MARK: Receiving

    /// A Boolean value that indicates whether any byte of the response has been received.
    var hasReceived: Bool { reader.hasReceived }

    /// The number of bytes that have been received of an incomplete head.
    var headBytes: Int { reader.headBytes }

    /// `true` if the response of the running exchange is complete, and the connection can run another exchange after it.
    var canBeReused: Bool { running?.sending.isDone == true && reader.canReadAnother && keepsAlive && !isClosing }

    /// Adds received bytes. Returns `false` if no response is expected.
    mutating func receive(_ bytes: ByteBuffer) -> Bool {
        guard running != nil else { return false }
        lastRead = .now()
        coalescing.add(bytes)
        reader.receive(bytes)
        return true
    }

    /// Parses the received bytes up to a `100 Continue`.
    ///
    /// - Returns: `true` if there was a `100 Continue`. This method must then be called again.
    mutating func parse() throws(NetworkError) -> Bool {
        guard running != nil else { return false }
        while let part = try reader.next() {
            switch part {
            case .informational(let response):
                try running?.receive(informational: response, limit: informationalLimit)
                if response.status.code == 100 { return true }
            case .head(let response, let version, let length):
                facts.httpVersion = version
                running?.receive(final: response, length: length, facts: facts, at: lastRead)
            case .chunk(let bytes):
                running?.parts.chunks.append(bytes)
            case .end(let trailers):
                running?.parts.end = .success(trailers)
            }
        }
        return false
    }

    /// Ends the response if its body extends to the end of the connection.
    mutating func receiveEndOfConnection() {
        guard let running, reader.lastsUntilClose else { return }
        self.running?.parts.end =
            isUnclean ? .failure(running.incomplete("the TLS connection was cut off")) : .success(HTTPFields())
    }

    /// Returns the parts that the running exchange has not yet received, or `nil` if there are none.
    mutating func takeParts() -> (exchange: Exchange, parts: ResponseParts)? {
        guard let exchange = running?.exchange, let parts = running?.takeParts(), !parts.isEmpty else { return nil }
        return (exchange, parts)
    }

    /// Records that the running exchange has received parts that do not end its response.
    ///
    /// - Parameter isPaused: A Boolean value that indicates whether the exchange accepts no more parts for now.
    /// - Returns: `false` if nobody reads the response, and its rest is too long.
    mutating func delivered(_ parts: ResponseParts, isPaused: Bool) -> Bool {
        running?.lastProgress = lastRead
        running?.isPaused = isPaused
        return running?.allows(parts.chunks) ?? true
    }

    /// Limits the rest of the response's body, which nobody reads.
    ///
    /// - Returns: `false` if the connection could not be reused after the rest, or the rest is too long.
    mutating func beginDraining() -> Bool {
        guard running?.hasHead == true, running?.sending.isDone == true, keepsAlive, !isClosing,
            reader.keepsConnection, reader.minimumRest <= DrainLimit.maximumBytes
        else { return false }
        running?.beginDraining()
        return true
    }

    // MARK: Reading from the channel

    mutating func readCompleted() {
        coalescing.readCompleted(missing: reader.missing)
    }

    mutating func readRequested() -> ReadAction {
        if running?.isPaused == true {
            hasSuspendedRead = true
            return .suspend
        }
        return coalescing.takeDelay() ? .delay : .read
    }

    /// Ends a pause. Returns `true` if a read was requested during it.
    mutating func resumeReading() -> Bool {
        running?.isPaused = false
        running?.lastProgress = .now()
        defer { hasSuspendedRead = false }
        return hasSuspendedRead
    }
}
