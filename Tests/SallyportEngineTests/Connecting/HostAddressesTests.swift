import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct HostAddressesTests {
    private func origin(_ host: String) -> Origin { Origin(scheme: .http, host: host, port: 80) }

    @Test(arguments: ["localhost", "localhost.", "id.localhost", "a.b.localhost"])
    func `Localhost and names below it resolve to both loopback addresses without a query`(host: String) throws {
        let known = try HostAddresses(overrides: []).knownAddresses(for: origin(host))
        #expect(known?.ipv6.map(\.ipAddress) == ["::1"])
        #expect(known?.ipv4.map(\.ipAddress) == ["127.0.0.1"])
    }

    @Test(arguments: ["localhost.example.com", "notlocalhost", "example.com", "127.1"])
    func `Other names are left to the system's resolver`(host: String) throws {
        #expect(try HostAddresses(overrides: []).knownAddresses(for: origin(host)).map(\.ipv4) == nil)
    }

    @Test func `An override takes precedence over the loopback addresses`() throws {
        let override = AddressOverride(host: "id.localhost", port: 80, addresses: ["192.0.2.1"])
        let known = try HostAddresses(overrides: [override]).knownAddresses(for: origin("id.localhost"))
        #expect(known?.only?.ipAddress == "192.0.2.1")
    }

    @Test func `Only the addresses of the chosen family are used`() throws {
        let host = try ResolvedHost(literals: ["::1", "127.0.0.1"], port: 80)
        #expect(try host.addresses(of: .ipv4, for: "a.test").only?.ipAddress == "127.0.0.1")
        #expect(try host.addresses(of: .ipv6, for: "a.test").only?.ipAddress == "::1")
        #expect(try host.addresses(of: nil, for: "a.test").only == nil)
        let old = try ResolvedHost(literals: ["192.0.2.1"], port: 80)
        #expect {
            try old.addresses(of: .ipv6, for: "a.test")
        } throws: { error in
            guard case .hostNotFound(let failure) = error as? NetworkError else { return false }
            return failure.reason == "the host a.test has no IPv6 address"
        }
    }

    @Test func `A server on one loopback address is reached by a name below localhost`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(ProxyBench.ok)]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let answer = try await ProxyBench.get("http://sallyport.test.localhost:\(server.port)/", by: engine)
            #expect(answer.text == "ok")
            #expect(answer.connection.remoteAddress == server.authority)
        }
    }
}
