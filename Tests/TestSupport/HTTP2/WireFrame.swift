import NIOHPACK

/// An HTTP/2 frame on the wire (RFC 9113, section 4.1), which may be invalid.
public struct WireFrame: Sendable, Equatable {
    /// The type of a frame. Types that the RFC does not define are possible.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number of the type.
        public let rawValue: UInt8

        /// Creates a type from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// DATA.
        public static let data = Kind(rawValue: 0)
        /// HEADERS.
        public static let headers = Kind(rawValue: 1)
        /// PRIORITY.
        public static let priority = Kind(rawValue: 2)
        /// RST_STREAM.
        public static let reset = Kind(rawValue: 3)
        /// SETTINGS.
        public static let settings = Kind(rawValue: 4)
        /// PUSH_PROMISE.
        public static let pushPromise = Kind(rawValue: 5)
        /// PING.
        public static let ping = Kind(rawValue: 6)
        /// GOAWAY.
        public static let goAway = Kind(rawValue: 7)
        /// WINDOW_UPDATE.
        public static let windowUpdate = Kind(rawValue: 8)
        /// CONTINUATION.
        public static let continuation = Kind(rawValue: 9)
    }

    /// The flag of DATA and HEADERS that ends a stream.
    public static let endStream: UInt8 = 0x1
    /// The flag of an acknowledging SETTINGS or PING.
    public static let acknowledgement: UInt8 = 0x1
    /// The flag of HEADERS, PUSH_PROMISE and CONTINUATION that ends a block of fields.
    public static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let prioritized: UInt8 = 0x20

    /// The type.
    public var kind: Kind
    /// The flags, whose meaning depends on the type.
    public var flags: UInt8
    /// The stream, or 0 for the connection.
    public var stream: Int
    /// The payload after the nine bytes of the frame's header.
    public var payload: [UInt8]
    /// The announced length, if it differs from the length of the payload.
    public var announcedLength: Int?

    /// Creates a frame.
    public init(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = [], announcedLength: Int? = nil) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
        self.announcedLength = announcedLength
    }

    /// The bytes on the wire.
    public var bytes: [UInt8] {
        let length = UInt32(announcedLength ?? payload.count).bytes.dropFirst()
        return Array(length) + [kind.rawValue, flags] + UInt32(stream).bytes + payload
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The payload as numbers of four bytes.
    public var numbers: [UInt32] {
        stride(from: 0, to: payload.count - 3, by: 4).map { UInt32(payload[$0..<($0 + 4)]) }
    }

    /// Removes a frame from the start of a byte sequence, if it is complete.
    public static func take(from bytes: inout ArraySlice<UInt8>) -> WireFrame? {
        guard bytes.count >= 9 else { return nil }
        let head = Array(bytes.prefix(9))
        let length = Int(UInt32([0] + head[0..<3]))
        guard bytes.count >= 9 + length else { return nil }
        let frame = WireFrame(
            Kind(rawValue: head[3]),
            flags: head[4],
            stream: Int(UInt32(head[5..<9]) & 0x7FFF_FFFF),
            Array(bytes.dropFirst(9).prefix(length))
        )
        bytes = bytes.dropFirst(9 + length)
        return frame
    }
}

// MARK: Common frames

extension WireFrame {
    /// The name and value of a field.
    public typealias Field = (name: String, value: String)

    /// Encodes fields in HPACK as literals without indexing (RFC 7541, section 6.2.2), even if they are invalid.
    public static func block(_ fields: [Field]) -> [UInt8] {
        fields.flatMap { [0] + string($0.name) + string($0.value) }
    }

    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    /// Returns HEADERS with all fields.
    public static func headers(_ stream: Int, _ fields: [Field], end: Bool = false) -> WireFrame {
        WireFrame(.headers, flags: endHeaders | (end ? endStream : 0), stream: stream, block(fields))
    }

    /// Returns HEADERS and the CONTINUATION frames that the fields need with a maximum frame size.
    public static func split(_ stream: Int, _ fields: [Field], size: Int = 16_384, end: Bool = false) -> [WireFrame] {
        let block = block(fields)
        return stride(from: 0, to: block.count, by: size).map { start in
            let isLast = start + size >= block.count
            return WireFrame(
                start == 0 ? .headers : .continuation,
                flags: (isLast ? endHeaders : 0) | (start == 0 && end ? endStream : 0),
                stream: stream,
                Array(block[start..<min(start + size, block.count)])
            )
        }
    }

    /// Returns DATA.
    public static func data(_ stream: Int, _ bytes: [UInt8], end: Bool = false) -> WireFrame {
        WireFrame(.data, flags: end ? endStream : 0, stream: stream, bytes)
    }

    /// Returns RST_STREAM.
    public static func reset(_ stream: Int, _ code: UInt32) -> WireFrame {
        WireFrame(.reset, stream: stream, code.bytes)
    }

    /// Returns SETTINGS.
    public static func settings(_ settings: [HTTP2SettingNumber: UInt32]) -> WireFrame {
        let sorted = settings.sorted { $0.key.rawValue < $1.key.rawValue }
        return WireFrame(.settings, sorted.flatMap { [0, $0.key.rawValue] + $0.value.bytes })
    }

    /// Returns GOAWAY.
    public static func goAway(last: Int, _ code: UInt32 = 0) -> WireFrame {
        WireFrame(.goAway, UInt32(last).bytes + code.bytes)
    }

    /// Returns PING, or an acknowledgement.
    public static func ping(
        _ payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8],
        isAcknowledgement: Bool = false
    ) -> WireFrame {
        WireFrame(.ping, flags: isAcknowledgement ? acknowledgement : 0, payload)
    }

    /// Returns WINDOW_UPDATE for a stream or the connection.
    public static func windowUpdate(_ stream: Int, _ increment: UInt32) -> WireFrame {
        WireFrame(.windowUpdate, stream: stream, increment.bytes)
    }
}

/// The settings of RFC 9113, section 6.5.2.
public enum HTTP2SettingNumber: UInt8, Sendable {
    /// The maximum table size of the peer's encoder.
    case headerTableSize = 1
    /// The setting that allows the peer to push.
    case enablePush
    /// The maximum number of streams that the peer may have open.
    case maxConcurrentStreams
    /// The initial window of a stream.
    case initialWindowSize
    /// The maximum size of a frame from the peer.
    case maxFrameSize
    /// The maximum size of a field list from the peer.
    case maxHeaderListSize
}

extension UInt32 {
    /// The four bytes in big-endian order.
    var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }

    init(_ bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
