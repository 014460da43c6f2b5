import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// What an HTTP/1.1 connection knows of the exchange that it runs.
struct RunningExchange {
    enum Sending {
        /// The rest of the request waits for `100 Continue`: these bytes, or a produced body.
        case awaitingContinue(ByteBuffer?)
        case body
        case done
    }

    enum Framing {
        case none, length, chunked, untilClose
    }

    let exchange: Exchange
    /// Whether it is the first exchange on its connection.
    let isFirst: Bool
    var sending = Sending.body
    var framing: Framing?
    var pieces = IncomingPieces()
    var lastPart: ByteBuffer?
    var isPaused = false
    var endsClean = false
    var lastProgress = NIODeadline.now()

    private var hasHead = false
    private var keepsAlive = false
    private var informationalCount = 0

    init(_ exchange: Exchange, isFirst: Bool) {
        self.exchange = exchange
        self.isFirst = isFirst
    }

    var canConnectionBeReused: Bool {
        guard case .done = sending else { return false }
        return keepsAlive && endsClean
    }

    // MARK: Receiving

    mutating func receive(informational response: HTTPResponse, limit: Int) throws(NetworkError) {
        informationalCount += 1
        guard informationalCount <= limit else {
            throw .invalidResponse(NetworkFailure("more than \(limit) informational responses came", phase: .head))
        }
        pieces.informational.append(response)
    }

    mutating func receive(
        final response: HTTPResponse,
        version: HTTPVersion,
        keepsAlive: Bool,
        facts: ConnectionFacts
    ) throws(NetworkError) {
        hasHead = true
        guard response.status.code != 101 else {
            throw .invalidResponse("the server switched protocols, which was not asked for")
        }
        let framing = try Framing(of: response, to: exchange.request.head.method)
        self.framing = framing
        self.keepsAlive = keepsAlive && framing != .untilClose && !asksToClose
        var facts = facts
        facts.httpVersion = version == .http1_0 ? .http1_0 : .http1_1
        facts.firstByte = Duration(NIODeadline.now() - exchange.started)
        let length =
            framing == .length ? response.headerFields[.contentLength].flatMap(Int64.init) : framing == .none ? 0 : nil
        pieces.head = IncomingHead(response: response, length: length, connection: facts)
    }

    private var asksToClose: Bool {
        exchange.request.head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
    }

    // MARK: Deadlines

    var deadline: NIODeadline { min(exchange.deadline, phaseDeadline) }

    private var phaseDeadline: NIODeadline {
        let timeouts = exchange.request.timeouts
        let idle = isPaused ? nil : timeouts.idle.map { lastProgress + TimeAmount($0) }
        guard !hasHead, case .done = sending, let head = timeouts.head else { return idle ?? .distantFuture }
        let headDeadline = lastProgress + TimeAmount(head)
        return min(headDeadline, idle ?? .distantFuture)
    }

    func timeout(at now: NIODeadline) -> NetworkError {
        let isTotal = exchange.deadline <= now
        let waited = isTotal ? Duration(exchange.deadline - exchange.started) : Duration(now - lastProgress)
        let reason = isTotal ? "the call took longer than its limit of" : "nothing moved for"
        return .timeout(
            NetworkFailure(
                "\(reason) \(waited.inSeconds)",
                phase: exchange.phase,
                advice: isTotal
                    ? "raise the total timeout if the server needs longer"
                    : "the server may be overloaded; try again later"
            )
        )
    }

    // MARK: Failures

    func closedEarly() -> NetworkError {
        if hasHead { return incomplete("the connection was closed") }
        return .connectionLost(
            NetworkFailure("the server closed the connection before it answered", phase: exchange.phase)
        )
    }

    func incomplete(_ reason: String) -> NetworkError {
        .incompleteBody(NetworkFailure("\(reason) before the body was whole", phase: .body))
    }

    func failure(for error: any Error) -> NetworkError {
        if error is HTTPParserError || error is NIOHTTPDecoderError {
            return hasHead && error.isEarlyEnd ? incomplete("the connection was closed") : invalidResponse(error)
        }
        if hasHead { return incomplete("the connection broke (\(error))") }
        return .connectionLost(
            NetworkFailure("the connection broke: \(error)", phase: exchange.phase, underlying: error)
        )
    }

    private func invalidResponse(_ error: any Error) -> NetworkError {
        if error.isEarlyEnd { return closedEarly() }
        if case HTTPParserError.headerOverflow = error {
            return .responseTooLarge(NetworkFailure("the response's head exceeds the limits", phase: .head))
        }
        return .invalidResponse(
            NetworkFailure(
                "the server sent something that is not HTTP/1.1 (\(error))",
                phase: exchange.phase,
                underlying: error
            )
        )
    }
}

extension RunningExchange.Framing {
    /// How the end of a response's body is found (RFC 9112, section 6.3).
    fileprivate init(of response: HTTPResponse, to method: NIOHTTP1.HTTPMethod) throws(NetworkError) {
        let codings = response.headerFields[values: .transferEncoding]
        let lengths = Set(response.headerFields[values: .contentLength])
        let code = response.status.code
        if method == .HEAD || code == 204 || code == 304 {
            self = .none
        } else if !codings.isEmpty {
            guard lengths.isEmpty else {
                throw .invalidResponse("the response has both Content-Length and Transfer-Encoding")
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .invalidResponse("the response has a Transfer-Encoding other than chunked")
            }
            self = .chunked
        } else if let length = lengths.first {
            guard lengths.count == 1, length.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let count = Int64(length) else {
                throw .invalidResponse("the response's Content-Length is not one number")
            }
            self = count == 0 ? .none : .length
        } else {
            self = .untilClose
        }
    }
}

extension Error {
    fileprivate var isEarlyEnd: Bool {
        self as? HTTPParserError == .invalidEOFState
    }
}

extension Duration {
    var inSeconds: String {
        formatted(.units(allowed: [.seconds, .milliseconds], width: .wide, maximumUnitCount: 1))
    }
}
