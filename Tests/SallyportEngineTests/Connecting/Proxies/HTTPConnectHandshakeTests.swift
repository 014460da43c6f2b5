import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct HTTPConnectHandshakeTests {
    private func handshake(
        _ proxy: String = "http://proxy:3128",
        to host: String = "example.com",
        limits: ResponseLimits = ResponseLimits()
    ) throws -> HTTPConnectHandshake {
        HTTPConnectHandshake(
            proxy: try Proxy(proxy),
            origin: Origin(scheme: .https, host: host, port: 443),
            limits: limits
        )
    }

    private func failure(_ answer: String, _ proxy: String = "http://proxy:3128") throws -> NetworkError {
        var handshake = try handshake(proxy)
        let error = handshake.failure(Array(answer.utf8))
        return try #require(error)
    }

    private func opening(_ proxy: String, to host: String = "example.com") throws -> String {
        String(decoding: try handshake(proxy, to: host).firstMessage, as: UTF8.self)
    }

    @Test
    func `CONNECT has the host and port in its target and in Host`() throws {
        let expected = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"
        #expect(try opening("http://proxy:3128") == expected)
        #expect(
            try opening("http://proxy:3128", to: "::1").hasPrefix("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n")
        )
    }

    @Test
    func `Credentials are sent as Basic in UTF-8`() throws {
        let head = try opening("http://test:123%C2%A3@proxy:3128")
        #expect(head.hasSuffix("\r\nProxy-Authorization: Basic dGVzdDoxMjPCow==\r\n\r\n"))
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 Connection established\r\n\r\n", "HTTP/1.1 299\r\n\r\n",
            "HTTP/1.1 200 \r\nVia: 1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n",
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "\r\nHTTP/1.1 200 OK\r\n\r\n", "\nHTTP/1.1 200\nA: b\n folded\n\tagain\n\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n \r\n\r\n",
        ],
        [true, false]
    )
    func `Any 2xx status opens the tunnel, even with fields that announce a body`(answer: String, byteByByte: Bool)
        throws
    {
        var handshake = try handshake()
        let (steps, left) = try handshake.run(Array(answer.utf8), byteByByte: byteByByte)
        #expect(steps == [.established])
        #expect(left == 0)
    }

    @Test
    func `Bytes that follow the head are not consumed`() throws {
        var handshake = try handshake()
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody".utf8)
        let (steps, left) = try handshake.run(answer, byteByByte: false)
        #expect(steps == [.established])
        #expect(left == 4)
    }

    @Test
    func `The error for a refused tunnel names the proxy, server, status and reason phrase`() throws {
        let error = try failure("HTTP/1.1 403 Not \u{1B}[31m\u{E9}here\r\nContent-Length: 9\r\n\r\n")
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.phase == .connect)
        #expect(
            error.failure.reason
                == "the proxy proxy:3128 opened no tunnel to example.com:443: it answered 403 Not \\u{1B}[31m\u{E9}here"
        )
        #expect(try failure("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n").failure.reason.contains("302 Found"))
        #expect(try failure("HTTP/1.1 503\r\n\r\n").failure.advice?.contains("can reach") == true)
    }

    @Test
    func `The error for a 407 status states whether credentials were missing or wrong, without showing them`() throws {
        let answer = "HTTP/1.1 407 Auth\r\nProxy-Authenticate: Digest realm=\"r\"\r\nProxy-Authenticate: NTLM\r\n\r\n"
        let without = try failure(answer)
        #expect(without.kind == "connectionFailed")
        #expect(without.description.contains("the proxy proxy:3128 requires a user and a password"))
        #expect(without.description.contains("Digest, NTLM"))
        let with = try failure(answer, "http://canary1:canary2@proxy:3128")
        #expect(with.description.contains("the proxy proxy:3128 accepts neither the user nor the password"))
        #expect(!with.description.contains("canary"))
    }

    @Test(arguments: ["Basic Y2FuYXJ5MTpjYW5hcnkz", "Y2FuYXJ5\u{1}MTpjYW5hcnkz", "no canary1", "canary3?"]
    )
    func `Errors do not contain credentials that the proxy sends back`(secret: String) throws {
        for answer in [
            "403 \(secret)", "407 \(secret)\r\nProxy-Authenticate: \(secret.split(separator: " ").last ?? "")",
        ] {
            let error = try failure("HTTP/1.1 \(answer)\r\n\r\n", "http://canary1:canary3@proxy:3128")
            #expect(!error.description.contains("canary") && !error.description.contains("Y2FuYXJ5"))
        }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 700 X\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n a\u{0}b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\u{0}\r\n\r\n",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n", "HTTP/1.1 +20 OK\r\n\r\n", "\u{15}\u{3}\u{3}\n",
    ]
    )
    func `Input that is not HTTP/1 is an invalid response`(answer: String) throws {
        let error = try failure(answer)
        #expect(error.kind == "invalidResponse")
        #expect(error.failure.phase == .connect)
        #expect(error.failure.reason.hasPrefix("the proxy proxy:3128 "))
    }

    @Test
    func `Endless lines, heads, fields and informational responses are refused at their limits`() throws {
        let limits = ResponseLimits(headBytes: 1_000, headFields: 5, informationalResponses: 3)
        let answers = [
            String(repeating: "x", count: 1_001),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: \(String(repeating: "b", count: 300))\r\n", count: 4),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 6),
            "HTTP/1.1 200 OK\r\nA: b\r\n" + String(repeating: " c\r\n", count: 5),
            String(repeating: "\r\n", count: 501),
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 4),
        ]
        for answer in answers {
            var handshake = try handshake(limits: limits)
            let error = handshake.failure(Array(answer.utf8))
            #expect(error?.kind == "responseTooLarge")
            #expect(error?.failure.reason.contains("proxy:3128") == true)
        }
        for answer in ["A: b\r\n", "A: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n"] {
            var handshake = try handshake(limits: limits)
            #expect(handshake.failure(Array("HTTP/1.1 200 OK\r\n\(answer)\r\n".utf8)) == nil)
        }
    }
}
