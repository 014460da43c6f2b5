import NIOCore
import SallyportTransport

/// A SOCKS 5 handshake (RFC 1928), with a user and password if there are any (RFC 1929).
///
/// NIOSOCKS has the messages, but its client does not support authentication.
struct SOCKSHandshake: ProxyHandshake {
    private enum Awaited: Sendable {
        case method, authentication, reply
    }

    let proxy: Proxy
    private let destination: String
    private let port: Int
    private var awaited = Awaited.method

    /// - Parameter destination: The name or numeric address to connect to.
    init(proxy: Proxy, destination: String, port: Int) {
        self.proxy = proxy
        self.destination = destination
        self.port = port
    }

    private static let version: UInt8 = 5
    private static let noAuthentication: UInt8 = 0
    private static let userAndPassword: UInt8 = 2

    var firstMessage: [UInt8] {
        let methods = [Self.noAuthentication] + (proxy.credentials == nil ? [] : [Self.userAndPassword])
        return [Self.version, UInt8(methods.count)] + methods
    }

    mutating func receive(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep {
        switch awaited {
        case .method: try receiveMethod(&bytes)
        case .authentication: try receiveAuthentication(&bytes)
        case .reply: try receiveReply(&bytes)
        }
    }

    private mutating func receiveMethod(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep {
        try check(bytes.getInteger(at: bytes.readerIndex), is: Self.version)
        guard let reply = bytes.readBytes(length: 2) else { return .receiveMore }
        switch (reply[1], proxy.credentials) {
        case (Self.noAuthentication, _):
            awaited = .reply
            return .send(request)
        case (Self.userAndPassword, let credentials?):
            awaited = .authentication
            return .send([1] + Self.lengthPrefixed(credentials.user) + Self.lengthPrefixed(credentials.password))
        case (0xFF, nil):
            let advice = "write it as \(proxy.kind.scheme)://user:password@\(proxy.authority)"
            throw .refused(by: proxy, "requires authentication", advice: advice)
        case (0xFF, _):
            throw .refused(
                by: proxy,
                "does not accept a user and password",
                advice: "find out which authentication method it supports"
            )
        default:
            throw .invalid(proxy, "chose an authentication method that was not offered")
        }
    }

    private mutating func receiveAuthentication(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep {
        try check(bytes.getInteger(at: bytes.readerIndex), is: 1)
        guard let reply = bytes.readBytes(length: 2) else { return .receiveMore }
        guard reply[1] == 0 else {
            throw .refused(by: proxy, "accepts neither the user nor the password", advice: "check them")
        }
        awaited = .reply
        return .send(request)
    }

    /// The CONNECT request (RFC 1928, section 4).
    private var request: [UInt8] {
        let port = [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        guard let address = NumericAddress(destination) else {
            return [Self.version, 1, 0, 3] + Self.lengthPrefixed(destination) + port
        }
        return [Self.version, 1, 0, address.bytes.count == 4 ? 1 : 4] + address.bytes + port
    }

    private mutating func receiveReply(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep {
        let start = bytes.readerIndex
        try check(bytes.getInteger(at: start), is: Self.version)
        guard let code = bytes.getInteger(at: start + 1, as: UInt8.self) else { return .receiveMore }
        guard code == 0 else {
            let reason = Self.reasons[code] ?? "code \(code)"
            throw .refused(
                by: proxy,
                "opened no connection to \(destination) on port \(port): \(reason)",
                advice: "check that it allows connections to this host and port, and can reach them"
            )
        }
        guard let kind = bytes.getInteger(at: start + 3, as: UInt8.self) else { return .receiveMore }
        // The address that the proxy connects from is not needed, but must be read.
        let length: Int
        switch kind {
        case 1: length = 4
        case 4: length = 16
        case 3:
            guard let count = bytes.getInteger(at: start + 4, as: UInt8.self) else { return .receiveMore }
            length = 1 + Int(count)
        default: throw .invalid(proxy, "sent an address of an unknown type")
        }
        guard bytes.readSlice(length: 4 + length + 2) != nil else { return .receiveMore }
        return .established
    }

    private func check(_ version: UInt8?, is expected: UInt8) throws(NetworkError) {
        if let version, version != expected {
            throw .invalid(proxy, "does not speak SOCKS 5", advice: "check that a SOCKS 5 proxy is at its port")
        }
    }

    private static func lengthPrefixed(_ text: String) -> [UInt8] {
        [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8)
    }

    private static let reasons: [UInt8: String] = [
        1: "it reported a general failure",
        2: "its rules do not allow the connection",
        3: "the network cannot be reached",
        4: "the host cannot be reached",
        5: "the connection was refused",
        6: "it took too long",
        7: "it does not support the CONNECT command",
        8: "it does not support this type of address",
    ]
}
