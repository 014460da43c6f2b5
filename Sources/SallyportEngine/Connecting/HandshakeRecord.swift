import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// The parameters of a TLS handshake that NIOSSL does not expose: the cipher suite, the key exchange and the certificates.
final class HandshakeRecord: Sendable {
    private struct State {
        var hello: ServerHello?
        var certificates: [[UInt8]] = []
    }

    private let state = NIOLockedValueBox(State())

    func set(hello: ServerHello) { state.withLockedValue { $0.hello = hello } }

    func set(certificates: [[UInt8]]) { state.withLockedValue { $0.certificates = certificates } }

    /// Adds the parameters to the details of a connection.
    func add(to details: inout ConnectionDetails?) {
        let state = state.withLockedValue { $0 }
        details?.cipherSuite = state.hello.map { ServerHello.cipherSuiteName($0.cipherSuite) }
        details?.keyExchange = state.hello?.group.map(ServerHello.groupName)
        details?.certificates = state.certificates
    }
}

/// Reads the server's first message of a handshake, which is not encrypted, and passes all bytes on.
final class ServerHelloHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let record: HandshakeRecord
    /// The bytes received so far; `nil` after the message has been read, or if it cannot be.
    private var received: [UInt8]? = []

    init(_ record: HandshakeRecord) {
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if var bytes = received {
            bytes += unwrapInboundIn(data).readableBytesView.prefix(ServerHello.maximumSize)
            switch ServerHello.parse(bytes) {
            case .incomplete: received = bytes.count < ServerHello.maximumSize ? bytes : nil
            case .invalid: received = nil
            case .hello(let hello):
                record.set(hello: hello)
                // The server repeats the message if it asks for another key share first.
                received = hello.isRetryRequest ? Array(bytes.dropFirst(hello.size)) : nil
            }
        }
        context.fireChannelRead(data)
    }
}

/// The parts of a ServerHello message (RFC 8446, section 4.1.3; RFC 5246, section 7.4.1.3) that the server selects.
struct ServerHello: Equatable {
    enum Outcome: Equatable {
        case incomplete
        case invalid
        case hello(ServerHello)
    }

    /// The maximum number of bytes that are searched for the message.
    static let maximumSize = 4096

    var cipherSuite: UInt16
    /// The group of the key exchange; `nil` before TLS 1.3.
    var group: UInt16?
    /// A Boolean value that indicates whether the message is a HelloRetryRequest.
    var isRetryRequest: Bool
    /// The length of the record that contains the message, in bytes.
    var size: Int

    /// Parses the beginning of what a server sends. A ServerHello is the first message of the first record.
    static func parse(_ bytes: [UInt8]) -> Outcome {
        var start = bytes[...]
        // Other records may precede it: change_cipher_spec (20) after a HelloRetryRequest.
        while start.first == 20, let length = recordLength(start) {
            guard start.count >= 5 + length else { return .incomplete }
            start = start.dropFirst(5 + length)
        }
        guard start.first.map({ $0 == 22 }) ?? true else { return .invalid }
        guard let length = recordLength(start), start.count >= 5 + length else { return .incomplete }
        var reader = ByteReader(start.dropFirst(5).prefix(length))
        guard reader.number(1) == 2, reader.number(3) != nil, reader.number(2) != nil, let random = reader.bytes(32),
            let sessionLength = reader.number(1), reader.bytes(sessionLength) != nil,
            let suite = reader.number(2), reader.number(1) != nil
        else { return .invalid }
        let isRetryRequest = random.elementsEqual(retryRequestRandom)
        let consumed = start.startIndex + 5 + length
        var hello = ServerHello(
            cipherSuite: UInt16(suite),
            group: nil,
            isRetryRequest: isRetryRequest,
            size: consumed
        )
        _ = reader.number(2)
        while let type = reader.number(2), let count = reader.number(2), let content = reader.bytes(count) {
            // key_share
            if type == 51, content.count >= 2 {
                hello.group = UInt16(content[content.startIndex]) << 8 | UInt16(content[content.startIndex + 1])
            }
        }
        return .hello(hello)
    }

    private static func recordLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 5 else { return nil }
        return Int(bytes[bytes.startIndex + 3]) << 8 | Int(bytes[bytes.startIndex + 4])
    }

    /// The random value of a HelloRetryRequest: the SHA-256 digest of that name.
    private static let retryRequestRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
}

extension ServerHello {
    /// Returns the name of a cipher suite that BoringSSL supports, or its number.
    static func cipherSuiteName(_ number: UInt16) -> String {
        switch number {
        case 0x1301: "TLS_AES_128_GCM_SHA256"
        case 0x1302: "TLS_AES_256_GCM_SHA384"
        case 0x1303: "TLS_CHACHA20_POLY1305_SHA256"
        case 0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
        case 0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
        case 0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
        case 0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
        case 0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
        case 0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
        case 0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"
        case 0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"
        case 0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
        case 0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"
        case 0xC027: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"
        case 0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256"
        case 0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384"
        case 0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA"
        case 0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA"
        default: "0x" + String(number, radix: 16, uppercase: true)
        }
    }

    /// Returns the name of a group (IANA registry "TLS Supported Groups"), or its number.
    static func groupName(_ number: UInt16) -> String {
        switch number {
        case 23: "secp256r1"
        case 24: "secp384r1"
        case 25: "secp521r1"
        case 29: "X25519"
        case 0x11EC: "X25519MLKEM768"
        case 0x6399: "X25519Kyber768Draft00"
        default: "0x" + String(number, radix: 16, uppercase: true)
        }
    }
}

/// Reads numbers and byte sequences in network byte order.
private struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func number(_ size: Int) -> Int? { bytes(size)?.reduce(0) { $0 << 8 | Int($1) } }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
