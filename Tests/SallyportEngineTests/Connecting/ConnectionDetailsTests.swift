import HTTPTypes
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ConnectionDetailsTests {
    /// Sends two requests on one connection, and returns the facts of the connection for each.
    private func facts(recording: Bool, version: ServerTLS.Version) async throws -> [ConnectionFacts] {
        let root = try TestAuthority(name: "Root")
        let identity = try root.intermediate(name: "Upper").serverIdentity()
        let security = try TransportSecurity.trusting(root.certificatePEM)
        let answer: Script = [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]
        let tls = ServerTLS(identity: identity, maximumVersion: version)
        return try await withScriptedServer([answer + answer], tls: tls) { server in
            var configuration = TransportConfiguration(
                security: security,
                addressOverrides: [AddressOverride(host: "localhost", port: server.port, addresses: ["127.0.0.1"])]
            )
            configuration.recordsConnectionDetails = recording
            let engine = Engine(configuration: configuration)
            var facts: [ConnectionFacts] = []
            for _ in 0..<2 {
                let authority = "localhost:\(server.port)"
                let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
                facts.append(
                    try await engine.send(TransportRequest(head: head, timeouts: .patient)) { $0.connection }
                )
            }
            await engine.shutdown(grace: .seconds(5))
            return facts
        }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `The details are recorded on request, also for a reused connection`(version: ServerTLS.Version) async throws {
        let facts = try await facts(recording: true, version: version)
        #expect(facts.map(\.isReused) == [false, true])
        for fact in facts {
            let details = try #require(fact.details)
            #expect(details.cipherSuite?.hasPrefix("TLS_") == true)
            #expect((details.keyExchange == nil) == (version == .tls12))
            #expect(details.localAddress?.hasPrefix("127.0.0.1:") == true)
            #expect(details.proxy == nil)
            let summaries = details.certificates.compactMap { CertificateSummary(der: $0) }
            #expect(summaries.count == details.certificates.count)
            #expect(summaries.first?.names.contains("localhost") == true)
            #expect(summaries.first?.pin.hasPrefix("sha256/") == true)
            let sent = try #require(fact.requestSent)
            #expect(try sent <= #require(fact.firstByte))
        }
        #expect(facts[1].resolve == nil)
    }

    @Test func `Nothing is recorded by default`() async throws {
        for fact in try await facts(recording: false, version: .tls13) {
            #expect(fact.details == nil)
            #expect(fact.requestSent == nil)
        }
    }
}

@Suite(.concurrencyLimited) struct ServerHelloTests {
    /// Returns a record with a message that selects a cipher suite and a group.
    private func hello(suite: UInt16, group: UInt16?, random: [UInt8] = Array(repeating: 7, count: 32)) -> [UInt8] {
        var body: [UInt8] = [3, 3] + random + [2, 1, 2] + bytes(suite) + [0]
        if let group {
            // supported_versions, and key_share with a key of one byte
            let extensions: [UInt8] = [0, 43, 0, 2, 3, 4] + [0, 51, 0, 5] + bytes(group) + [0, 1, 9]
            body += bytes(UInt16(extensions.count)) + extensions
        }
        let message: [UInt8] = [2, 0] + bytes(UInt16(body.count)) + body
        return [22, 3, 3] + bytes(UInt16(message.count)) + message
    }

    private func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    @Test func `Cipher suite and group are read, whatever follows`() {
        let record = hello(suite: 0x1301, group: 29)
        let expected = ServerHello(cipherSuite: 0x1301, group: 29, isRetryRequest: false, size: record.count)
        #expect(ServerHello.parse(record + [23, 3, 3]) == .hello(expected))
        let old = hello(suite: 0xC02F, group: nil)
        #expect(
            ServerHello.parse(old)
                == .hello(ServerHello(cipherSuite: 0xC02F, group: nil, isRetryRequest: false, size: old.count))
        )
    }

    @Test func `Every beginning is incomplete, and a record of another kind is refused`() {
        let record = hello(suite: 0x1302, group: 23)
        for count in 0..<record.count { #expect(ServerHello.parse(Array(record.prefix(count))) == .incomplete) }
        #expect(ServerHello.parse([21, 3, 3, 0, 2, 2, 40]) == .invalid)
        #expect(ServerHello.parse([22, 3, 3, 0, 4, 1, 0, 0, 0]) == .invalid)
        #expect(ServerHello.parse(Array("HTTP/1.1 400 Bad Request".utf8)) == .invalid)
    }

    @Test func `The names are those of IANA`() {
        #expect(ServerHello.cipherSuiteName(0x1303) == "TLS_CHACHA20_POLY1305_SHA256")
        #expect(ServerHello.cipherSuiteName(0xABCD) == "0xABCD")
        #expect(ServerHello.groupName(0x11EC) == "X25519MLKEM768")
    }
}
