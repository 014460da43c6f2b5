import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct SOCKSHandshakeTests {
    private func handshake(_ proxy: String = "socks5h://proxy:1080", to host: String = "ab") throws -> SOCKSHandshake {
        SOCKSHandshake(proxy: try Proxy(proxy), destination: host, port: 443)
    }

    private static let withUser = "socks5h://us:pwd@proxy:1080"
    private static let opened: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 1, 2]
    private static let request: [UInt8] = [5, 1, 0, 3, 2, 0x61, 0x62, 1, 187]

    @Test
    func `User and password authentication is offered only if there is a user`() throws {
        #expect(try handshake().firstMessage == [5, 1, 0])
        #expect(try handshake(Self.withUser).firstMessage == [5, 2, 0, 2])
    }

    @Test(arguments: [true, false])
    func `If the proxy requires no authentication, the request is sent next`(byteByByte: Bool) throws {
        for proxy in ["socks5h://proxy:1080", Self.withUser] {
            var handshake = try handshake(proxy)
            let (steps, left) = try handshake.run([5, 0], Self.opened, byteByByte: byteByByte)
            #expect(steps == [.send(Self.request), .established])
            #expect(left == 0)
        }
    }

    @Test(arguments: [true, false])
    func `The user and password are sent before the request if the proxy selects them`(byteByByte: Bool) throws {
        var handshake = try handshake(Self.withUser)
        let (steps, _) = try handshake.run([5, 2], [1, 0], Self.opened, byteByByte: byteByByte)
        let credentials: [UInt8] = [1, 2, 0x75, 0x73, 3, 0x70, 0x77, 0x64]
        #expect(steps == [.send(credentials), .send(Self.request), .established])
    }

    @Test
    func `IP addresses are sent in binary, and names of up to 255 bytes as text`() throws {
        func request(_ host: String) throws -> ProxyHandshakeStep? {
            var handshake = try handshake(to: host)
            return try handshake.run([5, 0], byteByByte: false).steps.first
        }
        #expect(try request("1.2.3.4") == .send([5, 1, 0, 1, 1, 2, 3, 4, 1, 187]))
        #expect(try request("::1") == .send([5, 1, 0, 4] + Array(repeating: 0, count: 15) + [1, 1, 187]))
        let longest = String(repeating: "a", count: 255)
        #expect(try request(longest) == .send([5, 1, 0, 3, 255] + Array(longest.utf8) + [1, 187]))
    }

    @Test(
        arguments: [[1, 9, 9, 9, 9, 0, 1], [3, 2, 9, 9, 0, 1], [3, 0, 0, 1], [4] + Array(repeating: 9, count: 18)],
        [true, false]
    )
    func `The reply is read completely for every address type`(address: [UInt8], byteByByte: Bool) throws {
        var handshake = try handshake()
        let (steps, left) = try handshake.run([5, 0], [5, 0, 0] + address, byteByByte: byteByByte)
        #expect(steps.last == .established)
        #expect(left == 0)
    }

    @Test(arguments: [
        (1, "general failure"), (2, "rules"), (3, "network"), (4, "host cannot"), (5, "refused"), (6, "too long"),
        (7, "CONNECT command"), (8, "type of address"), (9, "code 9"), (255, "code 255"),
    ]
    )
    func `Each refusal is reported with its reason when its code is received`(code: UInt8, reason: String) throws {
        var handshake = try handshake()
        let error = handshake.failure([5, 0], [5, code])
        #expect(error?.kind == "connectionFailed")
        #expect(error?.failure.phase == .connect)
        let text = error?.failure.reason ?? ""
        #expect(text.hasPrefix("the proxy proxy:1080 opened no connection to ab on port 443"))
        #expect(text.contains(reason), "\(text)")
    }

    @Test
    func `A missing method and a wrong password are refusals whose errors do not contain the credentials`() throws {
        var handshake = try handshake()
        #expect(handshake.failure([5, 0xFF])?.description.contains("user:password@") == true)
        handshake = try self.handshake(Self.withUser)
        #expect(handshake.failure([5, 0xFF])?.kind == "connectionFailed")
        handshake = try self.handshake("socks5://canary1:canary2@proxy:1080")
        let error = handshake.failure([5, 2], [1, 1])
        #expect(error?.kind == "connectionFailed")
        #expect(error?.description.contains("neither the user nor the password") == true)
        #expect(error?.description.contains("canary") == false)
    }

    @Test
    func `Input that is not SOCKS 5 is an invalid response at its first byte`() throws {
        let answers: [[[UInt8]]] = [
            [[4]], [[0]], [Array("HTTP/1.1 400".utf8)], [[5, 1]], [[5, 0], [4]], [[5, 0], [5, 0, 0, 2]],
            [[5, 0], [5, 0, 0, 0]], [[5, 2]],
        ]
        for answer in answers {
            var handshake = try handshake()
            let error = handshake.failure(answer[0]) ?? handshake.failure(answer.last ?? [])
            #expect(error?.kind == "invalidResponse", "\(answer)")
            #expect(error?.failure.reason.hasPrefix("the proxy proxy:1080 ") == true)
        }
        var handshake = try handshake(Self.withUser)
        #expect(handshake.failure([5, 2], [5, 0])?.kind == "invalidResponse")
    }
}
