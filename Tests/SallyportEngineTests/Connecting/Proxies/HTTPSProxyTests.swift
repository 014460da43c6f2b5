import Foundation
import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

/// Proxies that are themselves reached over TLS.
@Suite(.concurrencyLimited) struct HTTPSProxyTests {
    private let bench: ProxyBench

    init() throws {
        bench = try ProxyBench()
    }

    private static let answers: Script = [.repeating([.receiveRequest, .send(ProxyBench.ok)], times: 100)]
    private static let secret = Data("canary1:canary2".utf8).base64EncodedString()

    private static func tunnel(to server: ScriptedServer) -> Script {
        [.receiveHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .tunnel(toPort: server.port)]
    }

    @Test func `A request to an http URL is forwarded over TLS with the credentials of the proxy`() async throws {
        try await withScriptedServer([Self.answers], tls: bench.tls) { proxy in
            let engine = try bench.engine("https://canary1:canary2@localhost:\(proxy.port)")
            for number in 0..<2 {
                let answer = try await ProxyBench.get("http://server.invalid/a", by: engine)
                #expect(answer.text == "ok")
                #expect(answer.connection.isReused == (number == 1))
                // The connection to the server has no TLS.
                #expect(answer.connection.tlsVersion == nil)
            }
            #expect(proxy.requests.map(\.target) == ["http://server.invalid/a", "http://server.invalid/a"])
            #expect(proxy.requests.first?["Proxy-Authorization"] == ["Basic \(Self.secret)"])
            await engine.shutdown(grace: .seconds(5))
        }
    }

    @Test func `A tunnel over TLS carries TLS to the server, whose version is reported`() async throws {
        var older = bench.tls
        older.maximumVersion = .tls12
        try await withScriptedServer([Self.answers], tls: bench.tls) { [older] server in
            try await withScriptedServer([Self.tunnel(to: server)], tls: older) { proxy in
                let engine = try bench.engine("https://canary1:canary2@\(proxy.authority)")
                for number in 0..<3 {
                    let answer = try await ProxyBench.get("https://localhost:\(server.port)/a", by: engine)
                    #expect(answer.text == "ok")
                    #expect(answer.connection.isReused == (number > 0))
                    #expect(answer.connection.tlsVersion == "TLSv1.3")
                    #expect(answer.connection.remoteAddress == proxy.authority)
                }
                #expect(proxy.requests.first?.method == "CONNECT")
                #expect(proxy.requests.first?["Proxy-Authorization"] == ["Basic \(Self.secret)"])
                let heard = try await server.connection(0).receivedText
                #expect(heard.hasPrefix("GET /a HTTP/1.1\r\n") && !heard.contains("Proxy"))
                await engine.shutdown(grace: .seconds(5))
            }
        }
    }

    @Test func `The certificate of a proxy is checked with the authorities of the transport or its own`() async throws {
        let authority = try TestAuthority(name: "Proxy authority")
        let stranger = ServerTLS(identity: try authority.serverIdentity())
        try await withScriptedServer([Self.answers], tls: stranger) { proxy in
            let url = "https://u:canary@localhost:\(proxy.port)"
            let engine = try bench.engine(url)
            defer { engine.close() }
            for server in ["http://server.invalid/", "https://server.invalid/"] {
                let error = try await ProxyBench.failure(server, by: engine)
                #expect(error.kind == "certificateRefused")
                let prefix = "the proxy localhost:\(proxy.port) cannot be reached"
                #expect(error.failure.reason.hasPrefix(prefix), "\(error)")
                #expect(error.failure.advice?.hasSuffix(SettingAdvice.trustProxy.rawValue) == true, "\(error)")
            }
            #expect(proxy.requests.isEmpty)
            var trusting = try Proxy(url)
            trusting.trustRoots = .pem(authority.certificatePEM)
            let security = TransportSecurity(trustRoots: .pem(bench.authority.certificatePEM))
            let other = Engine(configuration: TransportConfiguration(security: security, proxy: .proxy(trusting)))
            defer { other.close() }
            #expect(try await ProxyBench.get("http://server.invalid/", by: other).text == "ok")
        }
    }

    @Test func `Pins of servers do not apply to a proxy`() async throws {
        try await withScriptedServer([Self.answers], tls: bench.tls) { proxy in
            var security = TransportSecurity(trustRoots: .pem(bench.authority.certificatePEM))
            try security.pins.pin("localhost", to: ["sha256/" + Data(count: 32).base64EncodedString()])
            let policy = ProxyPolicy.proxy(try Proxy("https://localhost:\(proxy.port)"))
            let engine = Engine(configuration: TransportConfiguration(security: security, proxy: policy))
            defer { engine.close() }
            #expect(try await ProxyBench.get("http://server.invalid/", by: engine).text == "ok")
        }
    }

    @Test(arguments: ["http://server.invalid/", "https://server.invalid/"])
    func `A proxy without TLS and one that is silent fail in the TLS handshake, and the error names them`(url: String)
        async throws
    {
        let plain: Script = [.receiveBody(1), .send("HTTP/1.1 400 Bad Request\r\n\r\n")]
        for (script, kind) in [(plain, "tlsFailed"), ([.stall], "timeout")] as [(Script, String)] {
            try await withScriptedServer([script]) { proxy in
                let engine = try bench.engine("https://u:canary@localhost:\(proxy.port)")
                defer { engine.close() }
                let limit: Duration = kind == "timeout" ? .milliseconds(150) : .seconds(60)
                let error = try await ProxyBench.failure(url, by: engine, timeouts: Timeouts(tls: limit, total: nil))
                #expect(error.kind == kind)
                #expect(error.failure.phase == .tls)
                #expect(error.failure.reason.contains("the proxy localhost:\(proxy.port)"), "\(error)")
                let heard = try await proxy.connection(0).receivedText
                #expect(!heard.contains("canary"))
            }
        }
    }
}
