import Foundation
import HTTPTypes
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@Suite(.concurrencyLimited) struct HTTPProxyTests {
    private let bench: ProxyBench

    init() throws {
        bench = try ProxyBench()
    }

    private static let answers: Script = [.repeating([.receiveRequest, .send(ProxyBench.ok)], times: 100)]
    private static let secret = Data("canary1:canary2".utf8).base64EncodedString()

    private static func tunnel(to server: ScriptedServer, _ answer: String = "HTTP/1.1 200 OK\r\n\r\n") -> Script {
        [.receiveHead, .send(answer), .tunnel(toPort: server.port)]
    }

    @Test
    func `Requests to http URLs are sent to the proxy with the absolute URL, on persistent connections`() async throws {
        try await withScriptedServer([Self.answers]) { proxy in
            let engine = try bench.engine("http://canary1:canary2@\(proxy.authority)")
            defer { engine.close() }
            for number in 0..<3 {
                let answer = try await ProxyBench.get("http://server.invalid/a", by: engine)
                #expect(answer.text == "ok")
                #expect(answer.connection.isReused == (number > 0))
                #expect(answer.connection.remoteAddress == proxy.authority)
            }
            #expect(proxy.acceptedConnections == 1)
            #expect(proxy.requests.map(\.target) == Array(repeating: "http://server.invalid/a", count: 3))
            #expect(proxy.requests.allSatisfy { $0["Host"] == ["server.invalid"] })
            #expect(proxy.requests.allSatisfy { $0["Proxy-Authorization"] == ["Basic \(Self.secret)"] })
        }
    }

    @Test
    func `A 407 response to a forwarded request is an ordinary response`() async throws {
        let answer = "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { proxy in
            let engine = try bench.engine("http://\(proxy.authority)")
            defer { engine.close() }
            let answer = try await ProxyBench.get("http://server.invalid/", by: engine)
            #expect(answer.status == 407)
            #expect(answer.text == "no")
        }
    }

    @Test
    func `HTTP/2 without TLS is refused before a connection is opened`() async throws {
        try await withScriptedServer([Self.answers]) { proxy in
            let engine = try bench.engine("http://\(proxy.authority)", versions: .http2)
            defer { engine.close() }
            let error = try await ProxyBench.failure("http://server.invalid/", by: engine)
            #expect(error.kind == "invalidRequest")
            #expect(error.description.contains(proxy.authority))
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test
    func `Requests to excepted hosts do not use the proxy`() async throws {
        try await withScriptedServer([Self.answers]) { server in
            let engine = try bench.engine("http://127.0.0.1:1", except: ["127.0.0.0/8"])
            defer { engine.close() }
            #expect(try await ProxyBench.get("http://\(server.authority)/", by: engine).text == "ok")
            #expect(server.requests.first?.target == "/")
        }
    }

    @Test
    func `A tunnel carries TLS to the server, is reused, and does not send the proxy's credentials to the server`()
        async throws
    {
        try await withScriptedServer([Self.answers], tls: bench.tls) { server in
            try await withScriptedServer([Self.tunnel(to: server)]) { proxy in
                let engine = try bench.engine("http://canary1:canary2@\(proxy.authority)")
                defer { engine.close() }
                for number in 0..<5 {
                    // The name resolves only through the proxy.
                    let answer = try await ProxyBench.get("https://localhost:\(server.port)/a", by: engine)
                    #expect(answer.text == "ok")
                    #expect(answer.connection.isReused == (number > 0))
                    #expect(answer.connection.remoteAddress == proxy.authority)
                    #expect(answer.connection.tlsVersion == "TLSv1.3")
                }
                #expect(proxy.acceptedConnections == 1)
                #expect(server.acceptedConnections == 1)
                let connect = try #require(proxy.requests.first)
                #expect(connect.method == "CONNECT")
                #expect(connect.target == "localhost:\(server.port)")
                #expect(connect["Host"] == ["localhost:\(server.port)"])
                #expect(connect["Proxy-Authorization"] == ["Basic \(Self.secret)"])
                let heard = try await server.connection(0).receivedText
                #expect(heard.hasPrefix("GET /a HTTP/1.1\r\n"))
                for secret in ["Proxy", "canary", Self.secret] { #expect(!heard.contains(secret)) }
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 Connection established\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 204 Fine\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n",
    ]
    )
    func `Any 2xx response opens a tunnel, also after informational responses and byte by byte`(
        answer: String
    ) async throws {
        try await withScriptedServer([Self.answers], tls: bench.tls) { server in
            try await withScriptedServer([[.receiveHead, .drip(answer), .tunnel(toPort: server.port)]]) { proxy in
                let engine = try bench.engine("http://\(proxy.authority)")
                defer { engine.close() }
                #expect(try await ProxyBench.get("https://\(server.authority)/", by: engine).text == "ok")
            }
        }
    }

    @Test
    func `An untrusted certificate is refused through a tunnel, and the error names the proxy`() async throws {
        let stranger = ServerTLS(identity: try TestAuthority().serverIdentity())
        try await withScriptedServer([Self.answers], tls: stranger) { server in
            try await withScriptedServer([Self.tunnel(to: server)]) { proxy in
                let engine = try bench.engine("http://\(proxy.authority)")
                defer { engine.close() }
                let error = try await ProxyBench.failure("https://\(server.authority)/", by: engine)
                #expect(error.kind == "certificateRefused")
                #expect(error.failure.phase == .tls)
                #expect(error.failure.reason.contains("through the proxy \(proxy.authority)"))
                #expect(try await server.connection(0).receivedCount == 0)
            }
        }
    }

    /// Returns the error of a call through a proxy that plays a script.
    private func failure(
        _ script: Script,
        user: String = "",
        timeouts: Timeouts = .patient,
        endedByProxy: Bool = false
    ) async throws -> (error: NetworkError, heard: String) {
        try await withScriptedServer([script]) { proxy in
            let engine = try bench.engine("http://\(user)\(proxy.authority)")
            defer { engine.close() }
            let error = try await ProxyBench.failure("https://server.invalid/a", by: engine, timeouts: timeouts)
            #expect(error.failure.reason.contains("the proxy \(proxy.authority)"), "\(error)")
            #expect(!error.description.contains("canary"))
            let connection = try await proxy.connection(0)
            if !endedByProxy { try await connection.waitUntilClosedByClient() }
            #expect(engine.connectionCount == 0)
            return (error, connection.receivedText)
        }
    }

    @Test(arguments: ["", "canary1:canary2@"])
    func `A 407 response to CONNECT is a connection failure, with and without credentials`(user: String) async throws {
        let answer = "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
        let (error, heard) = try await failure([.receiveHead, .send(answer)], user: user)
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.phase == .connect)
        #expect(error.description.contains(user.isEmpty ? "requires a user" : "accepts neither the user nor"))
        #expect(heard.components(separatedBy: "CONNECT").count == 2)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\ngarbage", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "no HTTP at all\r\n\r\n",
    ]
    )
    func `An invalid response to CONNECT fails the call, and the proxy receives only CONNECT`(answer: String)
        async throws
    {
        let (error, heard) = try await failure([.receiveHead, .send(answer)])
        #expect(error.kind == "invalidResponse")
        #expect(error.failure.phase == .connect)
        #expect(heard == "CONNECT server.invalid:443 HTTP/1.1\r\nHost: server.invalid:443\r\n\r\n")
    }

    @Test
    func `Unexpected bytes after the tunnel is opened fail the TLS handshake, and the request is not sent`()
        async throws
    {
        let late: Script = [.receiveHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .receiveBody(1), .send("some garbage")]
        let (error, heard) = try await failure(late)
        #expect(error.kind == "tlsFailed")
        #expect(error.failure.phase == .tls)
        #expect(!heard.contains("GET"))
    }

    @Test
    func `A close after the tunnel is opened fails the TLS handshake, and the error names the proxy`() async throws {
        let script: Script = [.receiveHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .close]
        let (error, heard) = try await failure(script, endedByProxy: true)
        #expect(error.kind == "tlsFailed")
        #expect(!heard.contains("GET"))
    }

    @Test
    func `An endless response head of a proxy is refused at the limit`() async throws {
        let endless: Script = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\n"),
            .repeating([.send("A: \(String(repeating: "b", count: 4_000))\r\n")], times: 10_000),
        ]
        #expect(try await failure(endless).error.kind == "responseTooLarge")
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nA"])
    func `A silent proxy and an incomplete response to CONNECT cause a timeout`(answer: String) async throws {
        let timeouts = Timeouts(connect: .milliseconds(150))
        let (error, _) = try await failure([.receiveHead, .send(answer), .stall], timeouts: timeouts)
        #expect(error.kind == "timeout")
        #expect(error.failure.phase == .connect)
        #expect(error.failure.reason.contains("150 ms"))
    }

    @Test(
        arguments: ["", "HTTP/1.1 200 OK\r\n"],
        [ScriptStep.close, .reset]
    )
    func `A proxy that closes before it responds causes a connection failure`(answer: String, ending: ScriptStep)
        async throws
    {
        let (error, _) = try await failure([.receiveHead, .send(answer), ending], endedByProxy: true)
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.phase == .connect)
        #expect(error.failure.reason.contains("ended the connection"))
    }

    @Test
    func `The error names a proxy that cannot be reached or resolved`() async throws {
        let engine = try bench.engine("http://u:canary@127.0.0.1:1")
        defer { engine.close() }
        let error = try await ProxyBench.failure("https://server.invalid/", by: engine)
        #expect(error.kind == "connectionFailed")
        #expect(error.failure.phase == .connect)
        #expect(error.failure.reason.hasPrefix("the proxy 127.0.0.1:1 cannot be reached"))
        #expect(error.failure.advice == "check that the proxy is running and the port is right")
        #expect(!error.description.contains("canary"))
        let nowhere = try bench.engine("http://proxy.invalid:3128")
        defer { nowhere.close() }
        let lost = try await ProxyBench.failure("http://server.invalid/", by: nowhere)
        #expect(lost.kind == "hostNotFound")
        #expect(lost.failure.reason.contains("the proxy proxy.invalid:3128"))
    }

    @Test
    func `Address overrides apply to the proxy`() async throws {
        try await withScriptedServer([Self.answers]) { proxy in
            let overrides = [
                AddressOverride(host: "proxy.invalid", port: proxy.port, addresses: ["127.0.0.1"]),
                AddressOverride(host: "server.invalid", port: 80, addresses: ["192.0.2.1"]),
            ]
            let engine = try bench.engine("http://proxy.invalid:\(proxy.port)", overrides: overrides)
            defer { engine.close() }
            #expect(try await ProxyBench.get("http://server.invalid/", by: engine).text == "ok")
        }
    }

    @Test
    func `A Proxy-Authorization field set by the app is refused for tunnels before a connection is opened`()
        async throws
    {
        try await withScriptedServer([Self.answers]) { proxy in
            let engine = try bench.engine("http://\(proxy.authority)")
            defer { engine.close() }
            let fields: HTTPFields = [.proxyAuthorization: "Basic canary"]
            let error = try await ProxyBench.failure("https://server.invalid/", by: engine, fields: fields)
            #expect(error.kind == "invalidRequest")
            #expect(!error.description.contains("canary"))
            #expect(proxy.acceptedConnections == 0)
            #expect(try await ProxyBench.get("http://server.invalid/", by: engine, fields: fields).text == "ok")
        }
    }

    @Test
    func `A call cancelled while a tunnel is opened leaves no connection`() async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { proxy in
            let engine = try bench.engine("http://\(proxy.authority)")
            defer { engine.close() }
            let call = Task { try await ProxyBench.failure("https://server.invalid/", by: engine) }
            let connection = try await proxy.connection(0)
            try await connection.waitUntilReceived("\r\n\r\n")
            call.cancel()
            #expect(try await call.value.kind == "cancelled")
            try await connection.waitUntilClosedByClient()
            #expect(engine.connectionCount == 0)
        }
    }
}
