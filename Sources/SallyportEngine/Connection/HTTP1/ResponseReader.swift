import HTTPTypes
import NIOCore
import SallyportTransport

/// Reads responses off the bytes of a connection, one after the other and none that was not asked for (RFC 9112).
///
/// It waits for nothing: bytes are put in as they come, and parts taken out for as long as there are any.
struct ResponseReader {
    enum Part {
        case informational(HTTPResponse)
        case head(HTTPResponse, version: ConnectionFacts.Version, length: Int64?)
        case chunk(ByteBuffer)
        case end(HTTPFields)
    }

    private enum Place {
        case statusLine
        case fields(StatusLine)
        case body(left: Int64)
        case untilClose
        case chunkSize
        case chunk(left: Int64)
        case trailers
        case end
    }

    /// A chunk's size may be followed by extensions, which nobody uses (RFC 9112, section 7.1.1).
    private static let longestChunkSize = 4096

    private let limits: ResponseLimits
    private var place = Place.end
    private var unread = UnreadBytes()
    private var lines: FieldLines
    private var method = HTTPRequest.Method.get
    private var keepsConnection = false

    /// Whether anything of the response has come.
    private(set) var hasReceived = false

    init(limits: ResponseLimits) {
        self.limits = limits
        lines = FieldLines(limits: limits)
    }

    /// Begins to expect the response to a request.
    mutating func expectResponse(to method: HTTPRequest.Method) {
        self.method = method
        place = .statusLine
        hasReceived = false
        keepsConnection = false
    }

    mutating func receive(_ bytes: ByteBuffer) {
        hasReceived = true
        unread.add(bytes)
    }

    /// Whether another response can follow: this one is whole, and nothing has come that was not asked for.
    var canReadAnother: Bool {
        if case .end = place { keepsConnection && unread.isEmpty } else { false }
    }

    /// Whether the body lasts until the connection closes.
    var lastsUntilClose: Bool {
        if case .untilClose = place { true } else { false }
    }

    /// What a body of known length still lacks.
    var missing: Int64 {
        if case .body(let left) = place { left } else { 0 }
    }

    /// The next part, if enough of it has come.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``; after that there is no more.
    mutating func next() throws(NetworkError) -> Part? {
        while true {
            switch place {
            case .statusLine:
                guard let line = try unread.takeLine(upTo: limits.headBytes, orThrow: .largeHead(at: limits.headBytes))
                else { return nil }
                place = .fields(try StatusLine(line))
            case .fields(let statusLine):
                guard let fields = try takeFields() else { return nil }
                return try begin(HTTPResponse(status: statusLine.status, headerFields: fields), statusLine.version)
            case .body(left: 0):
                return end(with: [:])
            case .body(let left):
                guard let chunk = unread.take(upTo: left) else { return nil }
                place = .body(left: left - Int64(chunk.readableBytes))
                return .chunk(chunk)
            case .untilClose:
                return unread.take(upTo: .max).map { .chunk($0) }
            case .chunkSize:
                guard let line = try unread.takeLine(upTo: Self.longestChunkSize, orThrow: .longChunkSize) else {
                    return nil
                }
                let size = try line.chunkSize()
                place = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(left: 0):
                guard let line = try unread.takeLine(upTo: 1, orThrow: .longChunk) else { return nil }
                guard line.readableBytes == 0 else { throw .longChunk }
                place = .chunkSize
            case .chunk(let left):
                guard let chunk = unread.take(upTo: left) else { return nil }
                place = .chunk(left: left - Int64(chunk.readableBytes))
                return .chunk(chunk)
            case .trailers:
                return try takeFields().map { end(with: $0) }
            case .end:
                return nil
            }
        }
    }

    /// Takes the lines of a head or of trailers, up to the empty one that ends them.
    private mutating func takeFields() throws(NetworkError) -> HTTPFields? {
        while let line = try unread.takeLine(upTo: lines.room, orThrow: .largeHead(at: limits.headBytes)) {
            if line.readableBytes == 0 { return lines.take() }
            try lines.add(line)
        }
        return nil
    }

    private mutating func begin(
        _ response: HTTPResponse,
        _ version: ConnectionFacts.Version
    ) throws(NetworkError) -> Part {
        // A switch of protocols, which is final, is refused by those who did not ask for it.
        if response.status.kind == .informational, response.status.code != 101 {
            place = .statusLine
            return .informational(response)
        }
        let framing = try ResponseFraming(of: response, to: method)
        keepsConnection = framing != .untilClose && response.keepsConnection(version: version)
        switch framing {
        case .length(let length): place = .body(left: length)
        case .chunked: place = .chunkSize
        case .untilClose: place = .untilClose
        }
        return .head(response, version: version, length: framing.length)
    }

    private mutating func end(with trailers: HTTPFields) -> Part {
        place = .end
        return .end(trailers)
    }
}

extension ByteBuffer {
    /// The size in the line that begins a chunk (RFC 9112, section 7.1).
    fileprivate func chunkSize() throws(NetworkError) -> Int64 {
        let view = readableBytesView
        let digits = view.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
        // A sign would be read too, though it is no digit.
        guard digits.count <= 15, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
            let size = Int64(String(buffer: ByteBuffer(digits)), radix: 16), view.allSatisfy(\.isFieldText),
            view[digits.endIndex...].first(where: { !$0.isBlank }) ?? UInt8(ascii: ";") == UInt8(ascii: ";")
        else { throw .notHTTP1("the size of a chunk is not a number") }
        return size
    }
}

extension NetworkError {
    fileprivate static var longChunk: NetworkError { .notHTTP1("a chunk is longer than its size") }
    fileprivate static var longChunkSize: NetworkError { .notHTTP1("the line with a chunk's size is too long") }
}
