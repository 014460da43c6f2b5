import HTTPTypes
import NIOCore
import SallyportTransport

/// Parses the responses on an HTTP/1.1 connection (RFC 9112).
///
/// The connection adds bytes as they arrive, and takes parts until more bytes are needed. The lines of a head may end
/// with LF alone (section 2.2), a few empty lines may precede it, and its fields may be folded (section 5.2). The lines of the chunked coding must end with CR and LF, as recipients that disagree
/// about them would disagree about the end of the body.
struct ResponseReader {
    enum Part {
        case informational(HTTPResponse)
        case head(HTTPResponse, version: ConnectionFacts.Version, length: Int64?)
        case chunk(ByteBuffer)
        case end(HTTPFields)
    }

    private enum State {
        /// - Parameter skipped: The number of empty lines before it.
        case statusLine(skipped: Int)
        case fields(StatusLine)
        case body(left: Int64)
        case untilClose
        case chunkSize
        case chunk(left: Int64)
        case trailers
        case end
    }

    /// A parsed final head, with the framing of the response to a method.
    private struct ParsedHead {
        /// The maximum size of a head that is stored, so that an idle connection uses little memory.
        static let maximumSize = 2048

        /// The bytes from the status line through the empty line.
        var bytes = ByteBuffer()
        let method: HTTPRequest.Method
        let response: HTTPResponse
        let version: ConnectionFacts.Version
        let framing: ResponseFraming
        let keepsConnection: Bool
    }

    /// The maximum length in bytes of the line that begins a chunk: its size and extensions (RFC 9112, section 7.1.1).
    private static let maximumChunkLine = 4096

    /// The maximum number of empty lines before a head, which old servers send after a body.
    private static let maximumEmptyLines = 8

    private let limits: ResponseLimits
    private var state = State.end
    private var unread = UnreadBytes()
    private var lines: FieldLineParser
    /// The last final head that was received in one piece. A head with equal bytes, in response to the same method, is not parsed
    /// again, because comparing is faster.
    private var lastHead: ParsedHead?
    private var method = HTTPRequest.Method.get
    /// A Boolean value that indicates whether the connection can be reused after the response.
    private(set) var keepsConnection = false
    /// The number of bytes of the response that have been received, including informational ones.
    private var received = 0
    /// The number of those bytes that precede the current head.
    private var headStart = 0

    /// A Boolean value that indicates whether any byte of the response has been received.
    var hasReceived: Bool { received > 0 }

    /// The number of bytes that have been received of an incomplete head.
    var headBytes: Int {
        switch state {
        case .statusLine, .fields: received - headStart
        default: 0
        }
    }

    init(limits: ResponseLimits) {
        self.limits = limits
        lines = FieldLineParser(limits: limits)
    }

    /// Prepares for the response to a request.
    mutating func expectResponse(to method: HTTPRequest.Method) {
        self.method = method
        state = .statusLine(skipped: 0)
        (received, headStart) = (0, 0)
        keepsConnection = false
    }

    mutating func receive(_ bytes: ByteBuffer) {
        received += bytes.readableBytes
        unread.add(bytes)
    }

    /// A Boolean value that indicates whether another response can follow: this one is complete, the server keeps the
    /// connection, and nothing unexpected was received.
    var canReadAnother: Bool {
        if case .end = state { keepsConnection && unread.isEmpty } else { false }
    }

    /// A Boolean value that indicates whether the body ends when the connection closes.
    var lastsUntilClose: Bool {
        if case .untilClose = state { true } else { false }
    }

    /// The number of bytes that are missing from a body of known length.
    var missing: Int64 {
        if case .body(let left) = state { left } else { 0 }
    }

    /// The minimum number of bytes that are missing from the body, as far as is known.
    var minimumRest: Int64 {
        switch state {
        case .body(let left), .chunk(let left): left
        default: 0
        }
    }

    /// Returns the next part, or `nil` if more bytes are needed.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``; the reader cannot be
    ///   used afterwards.
    mutating func next() throws(NetworkError) -> Part? {
        // The unread bytes from the beginning of the head, unless an earlier call has taken a part of it.
        var start: UnreadBytes?
        while true {
            switch state {
            case .statusLine(let skipped):
                if let lastHead, lastHead.method == method, unread.skip(lastHead.bytes) { return begin(lastHead) }
                start = unread
                guard let line = try takeHeadLine(upTo: limits.headBytes) else { return nil }
                if line.readableBytes == 0, skipped < Self.maximumEmptyLines {
                    state = .statusLine(skipped: skipped + 1)
                } else {
                    state = .fields(try StatusLine(line))
                }
            case .fields(let statusLine):
                guard let fields = try takeFields(allowsBareLineFeed: true) else { return nil }
                let response = HTTPResponse(status: statusLine.status, headerFields: fields)
                return try begin(response, statusLine.version, bytes: start?.taken(before: unread))
            case .body(left: 0):
                return end(with: HTTPFields())
            case .body(let left):
                guard let chunk = unread.take(upTo: left) else { return nil }
                state = .body(left: left - Int64(chunk.readableBytes))
                return .chunk(chunk)
            case .untilClose:
                return unread.take(upTo: .max).map { .chunk($0) }
            case .chunkSize:
                guard let line = try unread.takeLine(upTo: Self.maximumChunkLine, orThrow: .longChunkSize) else {
                    return nil
                }
                let size = try line.chunkSize()
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(left: 0):
                guard let line = try unread.takeLine(upTo: 1, orThrow: .longChunk) else { return nil }
                guard line.readableBytes == 0 else { throw .longChunk }
                state = .chunkSize
            case .chunk(let left):
                guard let chunk = unread.take(upTo: left) else { return nil }
                state = .chunk(left: left - Int64(chunk.readableBytes))
                return .chunk(chunk)
            case .trailers:
                return try takeFields(allowsBareLineFeed: false).map { end(with: $0) }
            case .end:
                return nil
            }
        }
    }

    /// Takes the field lines of a head or of trailers, through the empty line that ends them.
    private mutating func takeFields(allowsBareLineFeed: Bool) throws(NetworkError) -> HTTPFields? {
        while let line = try takeHeadLine(upTo: lines.remainingBytes, allowsBareLineFeed: allowsBareLineFeed) {
            if line.readableBytes == 0 { return lines.take() }
            try lines.add(line)
        }
        return nil
    }

    private mutating func takeHeadLine(
        upTo limit: Int,
        allowsBareLineFeed: Bool = true
    ) throws(NetworkError) -> ByteBuffer? {
        try unread.takeLine(
            upTo: limit,
            allowsBareLineFeed: allowsBareLineFeed,
            orThrow: .largeHead(at: limits.headBytes)
        )
    }

    /// - Parameter bytes: The bytes of the head, if it was received in one piece.
    private mutating func begin(
        _ response: HTTPResponse,
        _ version: ConnectionFacts.Version,
        bytes: ByteBuffer?
    ) throws(NetworkError) -> Part {
        if try response.isInformational() {
            state = .statusLine(skipped: 0)
            headStart = received - unread.count
            return .informational(response)
        }
        let framing = try ResponseFraming(of: response, to: method)
        var head = ParsedHead(
            method: method,
            response: response,
            version: version,
            framing: framing,
            keepsConnection: framing != .untilClose && response.keepsConnection(version: version)
        )
        if let bytes, bytes.readableBytes <= ParsedHead.maximumSize {
            // A slice would retain the read buffer. The copy uses the memory of the last one again.
            head.bytes = lastHead.take()?.bytes ?? ByteBuffer()
            head.bytes.clear()
            head.bytes.writeImmutableBuffer(bytes)
            lastHead = head
        }
        return begin(head)
    }

    private mutating func begin(_ head: ParsedHead) -> Part {
        keepsConnection = head.keepsConnection
        switch head.framing {
        case .length(let length): state = .body(left: length)
        case .chunked: state = .chunkSize
        case .untilClose: state = .untilClose
        }
        return .head(head.response, version: head.version, length: head.framing.length)
    }

    private mutating func end(with trailers: HTTPFields) -> Part {
        state = .end
        return .end(trailers)
    }
}

extension ByteBuffer {
    /// Returns the size in the line that begins a chunk (RFC 9112, section 7.1).
    fileprivate func chunkSize() throws(NetworkError) -> Int64 {
        let view = readableBytesView
        let digits = view.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
        // `Int64` accepts a sign, which the grammar does not.
        guard digits.count <= 15, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
            let size = Int64(String(buffer: ByteBuffer(digits)), radix: 16), view.allSatisfy(\.isFieldText),
            view[digits.endIndex...].first(where: { !$0.isBlank }) ?? UInt8(ascii: ";") == UInt8(ascii: ";")
        else { throw .notHTTP1("the size of a chunk is not a number", while: .body) }
        return size
    }
}

extension NetworkError {
    fileprivate static var longChunk: NetworkError { .notHTTP1("a chunk is longer than its size", while: .body) }
    fileprivate static var longChunkSize: NetworkError {
        .notHTTP1("the line with a chunk's size is too long", while: .body)
    }
}
