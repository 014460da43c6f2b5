import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// What tells an HTTP/1.1 connection where a response ends, and whether another exchange may follow.
struct HTTP1Response {
    enum Framing: Equatable {
        case none
        case length(Int64)
        case chunked
        case untilClose
    }

    private(set) var framing: Framing?
    /// The last part of the body that was read.
    var lastPart: ByteBuffer?
    /// Whether the bytes read so far end where the response does.
    var endsClean = false

    private var keepsAlive = false

    /// - Returns: The length of the body on the wire; `nil` where only its end tells.
    mutating func begin(
        _ response: HTTPResponse,
        to request: OutgoingRequest,
        keepsAlive: Bool
    ) throws(NetworkError) -> Int64? {
        let framing = try Framing(of: response, to: request.method)
        self.framing = framing
        self.keepsAlive = keepsAlive && framing != .untilClose && !request.asksToClose
        switch framing {
        case .none: return 0
        case .length(let length): return length
        case .chunked, .untilClose: return nil
        }
    }

    /// The part of the body with which the response ended; `nil` where lines end it.
    var knownEnd: ByteBuffer? {
        if case .length = framing { lastPart } else { nil }
    }

    var canConnectionBeReused: Bool { keepsAlive && endsClean }
}

extension HTTP1Response.Framing {
    /// How the end of a response's body is found (RFC 9112, section 6.3).
    fileprivate init(of response: HTTPResponse, to method: HTTPRequest.Method) throws(NetworkError) {
        let codings = response.headerFields[values: .transferEncoding]
        if response.isBodiless(to: method) {
            self = .none
        } else if !codings.isEmpty {
            guard response.headerFields[.contentLength] == nil else {
                throw .invalidResponse("the response has both Content-Length and Transfer-Encoding")
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw .invalidResponse("the response has a Transfer-Encoding other than chunked")
            }
            self = .chunked
        } else if let length = try response.announcedLength() {
            self = length == 0 ? .none : .length(length)
        } else {
            self = .untilClose
        }
    }
}

extension RunningExchange {
    func failure(for error: any Error) -> NetworkError {
        guard error is HTTPParserError || error is NIOHTTPDecoderError else { return broken(by: error) }
        if error as? HTTPParserError == .invalidEOFState { return closedEarly() }
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
