import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct SecureTransportTests {
    private static func status(of host: String, _ configuration: TransportConfiguration) async throws -> Int {
        let engine = Engine(configuration: configuration)
        defer { engine.close() }
        let head = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/")
        let request = TransportRequest(head: head, timeouts: .patient, requiresSecureTransport: true)
        return try await engine.send(request) { $0.head.status.code }
    }

    private static func refusal(_ host: String, _ configuration: TransportConfiguration) async -> String {
        do {
            return "status \(try await status(of: host, configuration))"
        } catch NetworkError.invalidRequest(let failure) {
            return failure.reason
        } catch {
            return "unexpected error: \(error)"
        }
    }

    @Test(arguments: ["http", "https", "socks5", "socks5h"])
    func `A request that requires a secure transport is not sent over plain HTTP through a proxy`(scheme: String)
        async throws
    {
        try await withScriptedServer([[.receiveHead, .send(ProxyBench.ok)]]) { proxy in
            for host in ["127.0.0.1:9", "[::1]:9", "localhost:9", "id.localhost:9"] {
                let policy = ProxyPolicy.proxy(try Proxy("\(scheme)://\(proxy.authority)"), except: [])
                let refusal = await Self.refusal(host, TransportConfiguration(proxy: policy))
                #expect(refusal.hasSuffix("would be sent through the proxy \(proxy.authority) over plain HTTP"))
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["192.0.2.1:9", "id.example.invalid:9", "[::2]:9"]
    )
    func `A request that requires a secure transport is not sent over plain HTTP to another computer`(host: String)
        async
    {
        let refusal = await Self.refusal(host, TransportConfiguration(proxy: .direct))
        #expect(refusal.hasSuffix("would be sent to another computer over plain HTTP"))
    }

    @Test(arguments: [true, false])
    func `A request that requires a secure transport is not sent to an override's address outside loopback`(
        isMixed: Bool
    ) async {
        let addresses = ["192.0.2.1"] + (isMixed ? ["127.0.0.1"] : [])
        let override = AddressOverride(host: "localhost", port: 9, addresses: addresses)
        let configuration = TransportConfiguration(addressOverrides: [override], proxy: .direct)
        #expect(await Self.refusal("localhost:9", configuration).hasSuffix("to another computer over plain HTTP"))
    }

    @Test(arguments: ["127.0.0.1", "localhost", "api.example.invalid"]
    )
    func `A request that requires a secure transport is sent over plain HTTP to a loopback address`(host: String)
        async throws
    {
        try await withScriptedServer([[.receiveHead, .send(ProxyBench.ok)]]) { server in
            let override = AddressOverride(host: "api.example.invalid", port: server.port, addresses: ["127.0.0.1"])
            let configuration = TransportConfiguration(
                addressOverrides: [override],
                proxy: .proxy(try Proxy("http://127.0.0.1:9"), except: [host])
            )
            #expect(try await Self.status(of: "\(host):\(server.port)", configuration) == 200)
        }
    }
}
