import NIOCore
import SallyportTransport

/// Asks a SOCKS 5 proxy for a connection (RFC 1928), with a user and password where there are any (RFC 1929).
///
/// NIOSOCKS has the messages, but its client offers no way of authentication.
struct SocksDialogue: ProxyDialogue {
    private enum Awaited: Sendable {
        case method, authentication, reply
    }

    let proxy: Proxy
    private let destination: String
    private let port: Int
    private var awaited = Awaited.method

    /// - Parameter destination: A name, or a numeric address.
    init(proxy: Proxy, destination: String, port: Int) {
        self.proxy = proxy
        self.destination = destination
        self.port = port
    }

    private static let version: UInt8 = 5
    private static let noAuthentication: UInt8 = 0
    private static let userAndPassword: UInt8 = 2

    var opening: [UInt8] {
        let methods = [Self.noAuthentication] + (proxy.credentials == nil ? [] : [Self.userAndPassword])
        return [Self.version, UInt8(methods.count)] + methods
    }

    mutating func receive(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyDialogueStep {
        switch awaited {
        case .method: try receiveMethod(&bytes)
        case .authentication: try receiveAuthentication(&bytes)
        case .reply: try receiveReply(&bytes)
        }
    }

    private mutating func receiveMethod(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyDialogueStep {
        try check(bytes.getInteger(at: bytes.readerIndex), is: Self.version)
        guard let answer = bytes.readBytes(length: 2) else { return .wait }
        switch (answer[1], proxy.credentials) {
        case (Self.noAuthentication, _):
            awaited = .reply
            return .say(request)
        case (Self.userAndPassword, let credentials?):
            awaited = .authentication
            return .say([1] + Self.counted(credentials.user) + Self.counted(credentials.password))
        case (0xFF, nil):
            let advice = "write it as \(proxy.kind.scheme)://user:password@\(proxy.place)"
            throw .refused(by: proxy, "does not let anyone in without authentication", advice: advice)
        case (0xFF, _):
            throw .refused(by: proxy, "lets nobody in with a user and password", advice: "ask how it authenticates")
        default:
            throw .invalid(proxy, "chose a way of authentication that was not offered")
        }
    }

    private mutating func receiveAuthentication(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyDialogueStep {
        try check(bytes.getInteger(at: bytes.readerIndex), is: 1)
        guard let answer = bytes.readBytes(length: 2) else { return .wait }
        guard answer[1] == 0 else {
            throw .refused(by: proxy, "accepts neither the user nor the password", advice: "check them")
        }
        awaited = .reply
        return .say(request)
    }

    /// The request to connect (RFC 1928, section 4).
    private var request: [UInt8] {
        let port = [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        guard let address = NumericAddress(destination) else {
            return [Self.version, 1, 0, 3] + Self.counted(destination) + port
        }
        return [Self.version, 1, 0, address.bytes.count == 4 ? 1 : 4] + address.bytes + port
    }

    private mutating func receiveReply(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyDialogueStep {
        let start = bytes.readerIndex
        try check(bytes.getInteger(at: start), is: Self.version)
        guard let code = bytes.getInteger(at: start + 1, as: UInt8.self) else { return .wait }
        guard code == 0 else {
            let reason = Self.reasons[code] ?? "code \(code)"
            throw .refused(
                by: proxy,
                "opened no connection to \(destination) on port \(port): \(reason)",
                advice: "check that it allows connections to this host and port, and can reach them"
            )
        }
        guard let kind = bytes.getInteger(at: start + 3, as: UInt8.self) else { return .wait }
        // Where the proxy connects from is of no use here, but has to be read.
        let length: Int
        switch kind {
        case 1: length = 4
        case 4: length = 16
        case 3:
            guard let count = bytes.getInteger(at: start + 4, as: UInt8.self) else { return .wait }
            length = 1 + Int(count)
        default: throw .invalid(proxy, "answered with an address of no known kind")
        }
        guard bytes.readSlice(length: 4 + length + 2) != nil else { return .wait }
        return .isOpen
    }

    private func check(_ version: UInt8?, is expected: UInt8) throws(NetworkError) {
        if let version, version != expected {
            throw .invalid(proxy, "does not speak SOCKS 5", advice: "check that a SOCKS 5 proxy is at its port")
        }
    }

    private static func counted(_ text: String) -> [UInt8] {
        [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8)
    }

    private static let reasons: [UInt8: String] = [
        1: "it failed for a reason that it does not tell",
        2: "its rules do not allow it",
        3: "the network cannot be reached",
        4: "the host cannot be reached",
        5: "the connection was refused",
        6: "it took too long",
        7: "it does not open connections for others",
        8: "it does not know this kind of address",
    ]
}
