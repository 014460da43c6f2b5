import NIOCore
import NIOHPACK

/// The input from a client on a stream.
public struct ReceivedStream: Sendable {
    /// The fields of the request, the pseudo-fields first.
    public var fields: [WireFrame.Field] = []
    /// The body so far.
    public var body: [UInt8] = []
    /// The trailer fields.
    public var trailers: [WireFrame.Field] = []
    /// A Boolean value that indicates whether the client has ended its side.
    public var isEnded = false
    /// The code with which the client has reset the stream.
    public var resetCode: UInt32?
    /// The number of bytes by which the client has enlarged the window of the response.
    public var credit = 0

    var hasHead: Bool { !fields.isEmpty }

    /// Returns the values of the fields with a name.
    public subscript(name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The path of the request.
    public var path: String { self[":path"].first ?? "" }
}

/// The input from a client on a connection, by frame and by stream.
struct ReceivedFrames: Sendable {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private var unread: ArraySlice<UInt8> = []
    private var fields = FieldsReader()
    private(set) var hasPreface = false
    private(set) var isNonsense = false
    private(set) var frames: [WireFrame] = []
    private(set) var streams: [Int: ReceivedStream] = [:]
    /// The streams in the order in which their heads arrived, and in which their requests were complete.
    private(set) var begun: [Int] = []
    private(set) var whole: [Int] = []
    /// The number of bytes by which the client has enlarged the window of the connection.
    private(set) var credit = 0
    /// The initial window of a stream in the client's SETTINGS.
    private(set) var initialWindow = 65_535

    /// Adds bytes, and returns the frames that they complete.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [WireFrame] {
        unread.append(contentsOf: bytes)
        if !hasPreface {
            guard unread.count >= Self.preface.count else { return [] }
            isNonsense = !unread.starts(with: Self.preface)
            hasPreface = !isNonsense
            guard hasPreface else { return [] }
            unread = unread.dropFirst(Self.preface.count)
        }
        var new: [WireFrame] = []
        while let frame = WireFrame.take(from: &unread) {
            new.append(frame)
            note(frame)
        }
        unread = ArraySlice(Array(unread))
        return new
    }

    private mutating func note(_ frame: WireFrame) {
        frames.append(frame)
        switch frame.kind {
        case .headers, .continuation:
            guard let block = fields.read(frame) else { return }
            if streams[frame.stream]?.hasHead == true {
                streams[frame.stream]?.trailers = block.fields
            } else {
                streams[frame.stream, default: ReceivedStream()].fields = block.fields
                begun.append(frame.stream)
            }
            if block.endsStream { end(frame.stream) }
        case .data:
            var body = frame.payload[...]
            if frame.has(WireFrame.padded) { body = body.dropFirst().dropLast(Int(body.first ?? 0)) }
            streams[frame.stream, default: ReceivedStream()].body += body
            if frame.has(WireFrame.endStream) { end(frame.stream) }
        case .reset:
            streams[frame.stream, default: ReceivedStream()].resetCode = frame.numbers.first
        case .windowUpdate:
            let increment = Int(frame.numbers.first ?? 0)
            if frame.stream == 0 {
                credit += increment
            } else {
                streams[frame.stream, default: ReceivedStream()].credit += increment
            }
        case .settings where !frame.has(WireFrame.acknowledgement):
            for start in stride(from: 0, to: frame.payload.count - 5, by: 6) where frame.payload[start + 1] == 4 {
                initialWindow = Int(UInt32(frame.payload[(start + 2)..<(start + 6)]))
            }
        default: break
        }
    }

    private mutating func end(_ stream: Int) {
        streams[stream]?.isEnded = true
        whole.append(stream)
    }
}

/// Reassembles field blocks from HEADERS and CONTINUATION frames, and decodes them.
struct FieldsReader: Sendable {
    private var decoder: HPACKDecoder
    private var block: [UInt8] = []
    private var endsStream = false

    init() {
        decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(),
            maxDynamicTableSize: HPACKDecoder.maxDynamicTableSize,
            maxHeaderListSize: 1 << 24
        )
    }

    /// Returns the fields once the last frame of their block has been received.
    mutating func read(_ frame: WireFrame) -> (fields: [WireFrame.Field], endsStream: Bool)? {
        var payload = frame.payload[...]
        if frame.kind == .headers {
            if frame.has(WireFrame.padded) { payload = payload.dropFirst().dropLast(Int(payload.first ?? 0)) }
            if frame.has(WireFrame.prioritized) { payload = payload.dropFirst(5) }
            endsStream = frame.has(WireFrame.endStream)
            block = []
        }
        block += payload
        guard frame.has(WireFrame.endHeaders) else { return nil }
        var bytes = ByteBuffer(bytes: block)
        let headers = (try? decoder.decodeHeaders(from: &bytes)) ?? [:]
        return (headers.map { ($0.name, $0.value) }, endsStream)
    }
}
