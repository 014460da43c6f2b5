import Foundation
import NIOSSL
import Sallyport
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct GatewayTLSTests {
    private let authority: DevelopmentAuthority

    init() throws {
        authority = try DevelopmentAuthority()
    }

    /// Returns the status of `/health` for a client that trusts an authority and may present a certificate.
    private func status(
        of address: GatewayAddress,
        trusting authority: DevelopmentAuthority,
        certificate: IssuedCertificate? = nil
    ) async throws -> Int {
        try await withTemporaryDirectory { directory in
            var security = TransportSecurity(trustRoots: .pem(authority.certificatePEM))
            if let certificate {
                let identity = TransportSecurity.ClientIdentity(
                    certificateFile: directory.appendingPathComponent("client.pem"),
                    keyFile: directory.appendingPathComponent("client.key")
                )
                try Data(certificate.chainPEM.utf8).write(to: identity.certificateFile)
                try Data(certificate.privateKeyPEM.utf8).write(to: identity.keyFile)
                security.clientIdentity = identity
            }
            let client = HttpClient.createClient { [security] config in
                config.transportConfiguration.security = security
            }
            defer { client.close() }
            return try await client.request { $0.url = address.baseURL + "/health" }.status.code
        }
    }

    @Test func `A client that trusts the authority can call the gateway`() async throws {
        try await Gateway.withRunning(GatewayConfiguration(tls: .developmentAuthority(authority))) { address in
            #expect(address.baseURL == "https://127.0.0.1:\(address.port)")
            let status = try await self.status(of: address, trusting: authority)
            #expect(status == 200)
        }
    }

    @Test func `A client that trusts another authority refuses the gateway`() async throws {
        let another = try DevelopmentAuthority()
        try await Gateway.withRunning(GatewayConfiguration(tls: .developmentAuthority(authority))) { address in
            await expectCertificateRefused(by: another, of: address)
        }
    }

    @Test func `A client refuses the gateway's certificate if it is expired or for another host`() async throws {
        let refused = [try authority.issue(validity: .expired), try authority.issue(hosts: ["wrong.example"])]
        for certificate in refused {
            try await Gateway.withRunning(GatewayConfiguration(tls: .certificate(certificate))) { address in
                await expectCertificateRefused(by: authority, of: address)
            }
        }
    }

    /// Expects a client that trusts an authority to refuse the certificate of a gateway.
    private func expectCertificateRefused(
        by authority: DevelopmentAuthority,
        of address: GatewayAddress,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let client = HttpClient.createClient { config in
            config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
        }
        defer { client.close() }
        do throws(NetworkError) {
            let response = try await client.request { $0.url = address.baseURL + "/health" }
            Issue.record("not refused but \(response.status)", sourceLocation: sourceLocation)
        } catch {
            guard case .certificateRefused = error else {
                Issue.record("not refused for its certificate but \(error)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    @Test func `With a client authority, only clients with a valid certificate of it are accepted`() async throws {
        let clients = try DevelopmentAuthority()
        let security = GatewaySecurity.certificate(try authority.issue(), clientAuthority: clients)
        let good = try clients.issueClient(name: "phone")
        let foreign = try authority.issueClient(name: "phone")
        let expired = try clients.issueClient(name: "phone", validity: .expired)
        try await Gateway.withRunning(GatewayConfiguration(tls: security)) { address in
            let status = try await self.status(of: address, trusting: authority, certificate: good)
            #expect(status == 200)
            for certificate in [nil, foreign, expired] {
                // With TLS 1.3, the client learns of the refusal after its handshake: by an alert, a reset or the close.
                let error = await #expect(throws: NetworkError.self) {
                    try await self.status(of: address, trusting: authority, certificate: certificate)
                }
                switch error {
                case .tlsFailed, .connectionLost: break
                default: Issue.record("not refused by the gateway but \(String(describing: error))")
                }
            }
            let again = try await self.status(of: address, trusting: authority, certificate: good)
            #expect(again == 200)
        }
    }

    @Test func `An invalid certificate is refused before the gateway listens`() async throws {
        let nonsense = IssuedCertificate(chainPEM: "nonsense", privateKeyPEM: "nonsense")
        await #expect(throws: NIOSSLError.failedToLoadCertificate) {
            try await Gateway.withRunning(GatewayConfiguration(tls: .certificate(nonsense))) { _ in }
        }
    }
}
