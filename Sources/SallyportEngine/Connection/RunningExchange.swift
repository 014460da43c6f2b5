import HTTPTypes
import NIOCore
import SallyportTransport

/// The state of an exchange on its connection that does not depend on the version of HTTP.
struct RunningExchange {
    enum Sending {
        /// The body waits for `100 Continue`: these bytes, or a produced body.
        case awaitingContinue(ByteBuffer?)
        case body
        case done

        var isDone: Bool {
            if case .done = self { true } else { false }
        }
    }

    let exchange: Exchange
    /// A Boolean value that indicates whether it is the first exchange on its connection.
    let isFirst: Bool
    var sending: Sending
    /// The source of the rest of the body while it is sent.
    var uploadBuffer: UploadBuffer?
    var parts = ResponseParts()
    var isPaused = false
    /// The time of the last progress: the network accepted a part of the request, or a complete head or content was received.
    ///
    /// A part of a head, and framing without content such as chunk extensions and empty frames, are no progress.
    var lastProgress = NIODeadline.now()
    /// The limits on the rest of a body that nobody reads; `nil` while the exchange is in use.
    private(set) var drain: DrainLimit?
    /// The time at which the last byte of the request was written, or `.distantFuture`.
    var requestSent = NIODeadline.distantFuture

    private(set) var hasHead = false
    private var informationalCount = 0

    init(_ exchange: Exchange, isFirst: Bool, sending: Sending = .body) {
        self.exchange = exchange
        self.isFirst = isFirst
        self.sending = sending
        if sending.isDone { requestSent = lastProgress }
    }

    /// Records that the last byte of the request has been written.
    mutating func finishSending() {
        sending = .done
        requestSent = lastProgress
    }

    // MARK: Receiving

    mutating func receive(informational response: HTTPResponse, limit: Int) throws(NetworkError) {
        informationalCount += 1
        guard informationalCount <= limit else {
            throw .invalidResponse(
                NetworkFailure(
                    "more than \(limit) informational responses were received",
                    phase: .head,
                    advice: SettingAdvice.raiseInformationalLimit.rawValue
                )
            )
        }
        parts.informational.append(response)
    }

    /// - Parameters:
    ///   - length: The length of the body on the wire, or `nil` if it is not known in advance.
    ///   - facts: The facts of the connection.
    ///   - time: The time at which the head was received.
    mutating func receive(
        final response: HTTPResponse,
        length: Int64?,
        facts: ConnectionFacts,
        at time: NIODeadline
    ) {
        hasHead = true
        var facts = facts
        facts.firstByte = Duration(time - exchange.started)
        if facts.hasDetails, requestSent <= time {
            facts.requestSent = Duration(requestSent - exchange.started)
        }
        parts.head = ResponseHead(response: response, length: length, connection: facts)
    }

    /// Returns the parts received since the last call.
    mutating func takeParts() -> ResponseParts {
        var taken = ResponseParts()
        swap(&taken, &parts)
        return taken
    }

    // MARK: Draining

    /// Limits the rest of the body, which nobody reads any more.
    mutating func beginDraining() {
        drain = DrainLimit()
    }

    /// Counts received chunks that nobody reads. Returns `false` if the connection must be closed.
    mutating func allows(_ chunks: [ByteBuffer]) -> Bool { drain?.allows(chunks) ?? true }

    // MARK: Deadlines

    var deadline: NIODeadline { min(exchange.deadline, phaseDeadline) }

    private var phaseDeadline: NIODeadline {
        if let drain { return drain.deadline }
        let timeouts = exchange.request.timeouts
        let idle = isPaused ? nil : timeouts.idle.map { lastProgress + TimeAmount($0) }
        guard !hasHead, sending.isDone, let head = timeouts.head else { return idle ?? .distantFuture }
        let headDeadline = lastProgress + TimeAmount(head)
        return min(headDeadline, idle ?? .distantFuture)
    }

    /// Moves the deadline if it has passed while the caller did not wait for the body. Returns `false` if the exchange must end.
    mutating func postpones(at now: NIODeadline) -> Bool {
        guard hasHead, drain == nil, exchange.deadline > now, !exchange.isAwaited else { return false }
        lastProgress = now
        return true
    }

    /// Returns the error for a deadline that has passed.
    ///
    /// - Parameter headBytes: The number of bytes that have been received of an incomplete head.
    func timeout(at now: NIODeadline, headBytes: Int = 0) -> NetworkError {
        let isTotal = exchange.deadline <= now
        let waited = isTotal ? Duration(exchange.deadline - exchange.started) : Duration(now - lastProgress)
        let reason =
            if isTotal {
                "the call took longer than its limit of"
            } else if hasHead {
                "no content was transferred for"
            } else {
                headBytes > 0 ? "the response's head was not complete within" : "no data was transferred for"
            }
        let progress = headBytes > 0 ? " (\(Quantity.size(Int64(headBytes))) of the response's head arrived)" : ""
        return .timeout(
            NetworkFailure(
                "\(reason) \(Quantity.time(waited))\(progress)",
                phase: exchange.phase,
                advice: isTotal
                    ? (hasHead ? SettingAdvice.raiseTotalOfBody : .raiseTotal).rawValue
                    : "the server may be overloaded; try again later"
            )
        )
    }

    // MARK: Failures

    /// Returns a Boolean value that indicates whether the request may be sent again because the connection was stale:
    /// the server closed a reused connection while the request was being sent (RFC 9112, section 9.3.1).
    ///
    /// The rule applies to HTTP/2 as well.
    func mayStartOver(hasReceived: Bool) -> Bool {
        !isFirst && !hasReceived && exchange.request.isIdempotent && exchange.canStartOver
    }

    /// Returns the error for a connection that closed before the response was complete.
    ///
    /// - Parameter headBytes: The number of bytes that have been received of an incomplete head.
    func closedEarly(headBytes: Int = 0) -> NetworkError {
        if hasHead { return incomplete("the connection was closed") }
        if headBytes > 0 {
            let progress = "after \(Quantity.size(Int64(headBytes))) of the response's head, which is incomplete"
            return .connectionLost(NetworkFailure("the server closed the connection \(progress)", phase: .head))
        }
        // Many servers that expect TLS close a connection that begins with other bytes.
        let mayExpectTLS = isFirst && informationalCount == 0 && exchange.request.origin.scheme == .http
        return .connectionLost(
            NetworkFailure(
                "the server closed the connection before it answered",
                phase: exchange.phase,
                advice: mayExpectTLS ? "check the port, or use https if the server expects TLS" : nil
            )
        )
    }

    /// Returns the error for a body that ended early.
    func incomplete(_ reason: String) -> NetworkError {
        .incompleteBody(NetworkFailure("\(reason) before the body was complete", phase: .body))
    }

    /// Returns the error for a connection that failed.
    ///
    /// - Parameter headBytes: The number of bytes that have been received of an incomplete head.
    func broken(by error: any Error, headBytes: Int = 0) -> NetworkError {
        if hasHead { return incomplete("the connection broke (\(error.connectionReason))") }
        let alert = TLSAlert(error)
        // The server has not processed the request: it checks the client's certificate before that (RFC 8446, section 2).
        if isFirst, let alert, alert.isAboutClientCertificate {
            return .tlsFailed(NetworkFailure(alert.reason, phase: .tls, advice: alert.advice, underlying: error))
        }
        let progress = headBytes > 0 ? " after \(Quantity.size(Int64(headBytes))) of the response's head" : ""
        return .connectionLost(
            NetworkFailure(
                "the connection broke\(progress): \(error.connectionReason)",
                phase: exchange.phase,
                advice: alert?.advice,
                underlying: error
            )
        )
    }
}

/// The limits on the rest of a body that nobody reads: it is received only to reuse the connection.
struct DrainLimit {
    /// The maximum number of bytes.
    static let maximumBytes: Int64 = 64 << 10

    /// The time at which the connection is closed if the body has not ended.
    let deadline = NIODeadline.now() + .seconds(1)
    private var bytes: Int64 = 0

    /// Counts the chunks of a read. Returns `false` once the limit is exceeded.
    mutating func allows(_ chunks: [ByteBuffer]) -> Bool {
        for chunk in chunks { bytes += Int64(chunk.readableBytes) }
        return bytes <= Self.maximumBytes
    }
}

extension HTTPResponse {
    /// Returns a Boolean value that indicates whether the response is informational: a final one follows (RFC 9110,
    /// section 15.2).
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for a 101, as no request asks for an upgrade.
    func isInformational() throws(NetworkError) -> Bool {
        let status = status
        guard status.code != 101 else {
            throw .invalidResponse("the server switched protocols without being asked to")
        }
        return status.kind == .informational
    }
}
