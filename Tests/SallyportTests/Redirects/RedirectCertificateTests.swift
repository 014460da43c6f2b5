import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RedirectCertificateTests {
    private typealias Fixture = ClientCertificateFixture

    /// Two servers that request client certificates, and a client with one; the first server redirects to the second one.
    private struct Servers: Sendable {
        let first: ScriptedServer
        let second: ScriptedServer
        /// The numbers of certificates that were presented to each server.
        let shown: (first: Watched<Int>, second: Watched<Int>)
        let client: HttpClient

        func get(_ name: String) async throws {
            let port = name == "first" ? first.port : second.port
            let response = try await client.request { request in request.url = "https://\(name).test:\(port)/" }
            #expect(response.status == .ok)
        }
    }

    private func withServers(
        _ change: @escaping @Sendable (inout TransportSecurity) throws -> Void = { _ in },
        _ body: @escaping @Sendable (Servers) async throws -> Void
    ) async throws {
        let root = try TestAuthority()
        let shown = (first: Watched(0), second: Watched(0))
        var tls = ServerTLS(identity: try root.serverIdentity(hosts: ["first.test", "second.test"]))
        tls.requiresClientCertificate = false
        tls.onClientCertificate = { shown.first.update { $0 += 1 } }
        let firstTLS = tls
        tls.onClientCertificate = { shown.second.update { $0 += 1 } }
        let secondTLS = tls
        let ok: Script = [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("client.pem")
            try Data((Fixture.certificatePEM + Fixture.keyPEM).utf8).write(to: file)
            let identity = TransportSecurity.ClientIdentity(certificateFile: file, keyFile: file)
            try await withScriptedServer([ok + ok], tls: secondTLS) { second in
                let target = "Location: https://second.test:\(second.port)/"
                let redirect: Script = [
                    .receiveHead, .send("HTTP/1.1 302 Found\r\n\(target)\r\nContent-Length: 0\r\n\r\n"),
                ]
                try await withScriptedServer([redirect], tls: firstTLS) { first in
                    var security = TransportSecurity(trustRoots: .pem(root.certificatePEM), clientIdentity: identity)
                    try change(&security)
                    let client = HttpClient.createClient { [security] config in
                        config.redirects = .follow(limit: 3)
                        config.transportConfiguration.security = security
                        config.transportConfiguration.addressOverrides = [
                            AddressOverride(host: "first.test", port: first.port, addresses: ["127.0.0.1"]),
                            AddressOverride(host: "second.test", port: second.port, addresses: ["127.0.0.1"]),
                        ]
                    }
                    defer { client.close() }
                    try await body(Servers(first: first, second: second, shown: shown, client: client))
                }
            }
        }
    }

    @Test func `The client certificate is not presented to another origin after a redirect`() async throws {
        try await withServers { servers in
            try await servers.get("first")
            #expect(servers.shown.first.value == 1)
            #expect(servers.shown.second.value == 0)
            // A call of the app itself presents it, on another connection.
            try await servers.get("second")
            #expect(servers.shown.second.value == 1)
            #expect(servers.second.acceptedConnections == 2)
        }
    }

    @Test func `A redirected request does not use a connection on which the certificate was presented`() async throws {
        try await withServers { servers in
            try await servers.get("second")
            try await servers.get("first")
            #expect(servers.shown.second.value == 1)
            #expect(servers.second.acceptedConnections == 2)
        }
    }

    @Test func `A certificate for the host of the redirect's target is presented`() async throws {
        try await withServers { security in
            security.clientIdentities[try HostPattern("second.test")] = security.clientIdentity
        } _: { servers in
            try await servers.get("first")
            #expect(servers.shown.first.value == 1)
            #expect(servers.shown.second.value == 1)
        }
    }
}
