import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@Suite(.concurrencyLimited) struct SocksProxyTests {
    private let bench: ProxyBench

    init() throws {
        bench = try ProxyBench()
    }

    private static let answers: Script = [.repeating([.receiveRequest, .send(ProxyBench.ok)], times: 100)]
    private static let opened: ScriptStep = .sendBytes([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])

    /// - Parameter request: The number of bytes in the CONNECT request.
    private static func tunnel(to server: ScriptedServer, request: Int) -> Script {
        [
            .receiveBody(3), .sendBytes([5, 0]), .receiveBody(request), opened, .tunnel(toPort: server.port),
        ]
    }

    private static func port(_ server: ScriptedServer) -> [UInt8] {
        [UInt8(server.port >> 8), UInt8(server.port & 255)]
    }

    @Test
    func `With socks5h the proxy resolves the name, with TLS and on a persistent connection`() async throws {
        try await withScriptedServer([Self.answers], tls: bench.tls) { server in
            try await withScriptedServer([Self.tunnel(to: server, request: 16)]) { proxy in
                let engine = try bench.engine("socks5h://\(proxy.authority)")
                defer { engine.close() }
                for number in 0..<3 {
                    let answer = try await ProxyBench.get("https://localhost:\(server.port)/", by: engine)
                    #expect(answer.text == "ok")
                    #expect(answer.connection.isReused == (number > 0))
                    #expect(answer.connection.remoteAddress == proxy.authority)
                }
                #expect(proxy.acceptedConnections == 1)
                let asked = try await Array(proxy.connection(0).received.prefix(19))
                #expect(asked == [5, 1, 0, 5, 1, 0, 3, 9] + Array("localhost".utf8) + Self.port(server))
            }
        }
    }

    @Test
    func `With socks5 the name is resolved locally, including overrides, and the proxy receives an address`()
        async throws
    {
        try await withScriptedServer([Self.answers]) { server in
            try await withScriptedServer([Self.tunnel(to: server, request: 10)]) { proxy in
                let override = AddressOverride(
                    host: "server.invalid",
                    port: server.port,
                    addresses: ["::9", "1.2.3.4"]
                )
                let engine = try bench.engine("socks5://\(proxy.authority)", overrides: [override])
                defer { engine.close() }
                let answer = try await ProxyBench.get("http://server.invalid:\(server.port)/a", by: engine)
                #expect(answer.text == "ok")
                let asked = try await Array(proxy.connection(0).received.prefix(13))
                #expect(asked == [5, 1, 0, 5, 1, 0, 1, 1, 2, 3, 4] + Self.port(server))
                #expect(server.requests.first?.target == "/a")
            }
        }
    }

    @Test
    func `With socks5 a name that cannot be resolved fails before the proxy is connected`() async throws {
        try await withScriptedServer([Self.answers]) { proxy in
            let engine = try bench.engine("socks5://\(proxy.authority)")
            defer { engine.close() }
            let error = try await ProxyBench.failure("http://server.invalid/", by: engine)
            #expect(error.kind == "hostNotFound")
            #expect(error.failure.phase == .resolve)
            #expect(!error.failure.reason.contains("proxy"))
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["socks5", "socks5h"])
    func `An IPv6 address is sent in binary`(scheme: String) async throws {
        try await withScriptedServer([Self.answers]) { server in
            try await withScriptedServer([Self.tunnel(to: server, request: 22)]) { proxy in
                let engine = try bench.engine("\(scheme)://\(proxy.authority)")
                defer { engine.close() }
                #expect(try await ProxyBench.get("http://[::1]:\(server.port)/", by: engine).text == "ok")
                let asked = try await Array(proxy.connection(0).received.dropFirst(3).prefix(22))
                #expect(asked == [5, 1, 0, 4] + Array(repeating: 0, count: 15) + [1] + Self.port(server))
                #expect(server.requests.first?["Host"] == ["[::1]:\(server.port)"])
            }
        }
    }

    @Test
    func `The user and password are sent to the proxy only`() async throws {
        let credentials: [UInt8] = [1, 7] + Array("canary1".utf8) + [7] + Array("canary2".utf8)
        try await withScriptedServer([Self.answers]) { server in
            let script: Script = [
                .receiveBody(4), .dripBytes([5, 2]), .receiveBody(credentials.count), .dripBytes([1, 0]),
                .receiveBody(10), .dripBytes([5, 0, 0, 3, 2, 0x61, 0x62, 0, 80]), .tunnel(toPort: server.port),
            ]
            try await withScriptedServer([script]) { proxy in
                let engine = try bench.engine("socks5h://canary1:canary2@\(proxy.authority)")
                defer { engine.close() }
                #expect(try await ProxyBench.get("http://\(server.authority)/", by: engine).text == "ok")
                let said = try await proxy.connection(0).received
                #expect(said.starts(with: [5, 2, 0, 2] + credentials + [5, 1, 0, 1, 127, 0, 0, 1]))
                let heard = try await server.connection(0).receivedText
                #expect(heard.hasPrefix("GET / HTTP/1.1\r\n"))
                #expect(!heard.contains("canary") && !heard.contains("Proxy"))
            }
        }
    }

    /// Returns the error of a call through a proxy that plays a script.
    private func failure(
        _ script: Script,
        user: String = "",
        timeouts: Timeouts = .patient,
        endedByProxy: Bool = false
    ) async throws -> NetworkError {
        try await withScriptedServer([script]) { proxy in
            let engine = try bench.engine("socks5h://\(user)\(proxy.authority)")
            defer { engine.close() }
            let error = try await ProxyBench.failure("http://server.invalid/", by: engine, timeouts: timeouts)
            #expect(error.failure.reason.contains("the proxy \(proxy.authority)"), "\(error)")
            #expect(error.failure.phase == .connect)
            #expect(!error.description.contains("canary"))
            let connection = try await proxy.connection(0)
            if !endedByProxy { try await connection.waitUntilClosedByClient() }
            #expect(!connection.receivedText.contains("GET"))
            #expect(engine.connectionCount == 0)
            return error
        }
    }

    @Test(arguments: 1...9)
    func `Each refusal by the proxy is a connection failure`(code: UInt8) async throws {
        let refusal: [UInt8] = [5, code, 0, 1, 0, 0, 0, 0, 0, 0]
        let script: Script = [.receiveBody(3), .sendBytes([5, 0]), .receiveBody(21), .sendBytes(refusal)]
        let error = try await failure(script)
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.reason.contains("server.invalid on port 80"))
    }

    @Test
    func `A wrong password and a missing method are connection failures`() async throws {
        let script: Script = [.receiveBody(4), .sendBytes([5, 2]), .receiveBody(17), .sendBytes([1, 1])]
        #expect(try await failure(script, user: "canary1:canary2@").kind == "connectionFailed")
        #expect(try await failure([.receiveBody(3), .sendBytes([5, 0xFF])]).kind == "connectionFailed")
    }

    @Test
    func `Invalid or excess bytes from the proxy are an invalid response`() async throws {
        let open: Script = [.receiveBody(3), .sendBytes([5, 0]), .receiveBody(21)]
        let scripts: [Script] = [
            [.receiveBody(3), .sendBytes([4, 0])], [.receiveBody(3), .send("HTTP/1.1 400 Bad Request\r\n\r\n")],
            [.receiveBody(3), .sendBytes([5, 2])], [.receiveBody(3), .sendBytes([5, 0, 5, 0])],
            open + [.sendBytes([4])], open + [.sendBytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 80, 7])],
            open + [.send("\u{5}\u{0}\u{0}\u{1}abcdefHTTP/1.1 200 OK\r\n\r\n")],
        ]
        for script in scripts { #expect(try await failure(script).kind == "invalidResponse") }
    }

    @Test
    func `A silent proxy causes a timeout, and a closed connection a connection failure`() async throws {
        let timeouts = Timeouts(connect: .milliseconds(150))
        #expect(try await failure([.receiveBody(3), .stall], timeouts: timeouts).kind == "timeout")
        let open: Script = [.receiveBody(3), .sendBytes([5, 0]), .receiveBody(21), .sendBytes([5, 0, 0])]
        #expect(try await failure(open, timeouts: timeouts).kind == "timeout")
        #expect(try await failure(open + [.close], endedByProxy: true).kind == "connectionFailed")
        #expect(try await failure([.receiveBody(3), .reset], endedByProxy: true).kind == "connectionFailed")
    }

    @Test
    func `A host of more than 255 bytes is refused before a connection is opened`() async throws {
        try await withScriptedServer([Self.answers]) { proxy in
            let engine = try bench.engine("socks5h://\(proxy.authority)")
            defer { engine.close() }
            let host = String(repeating: "a", count: 256)
            #expect(try await ProxyBench.failure("http://\(host)/", by: engine).kind == "invalidRequest")
            #expect(proxy.acceptedConnections == 0)
        }
    }
}
