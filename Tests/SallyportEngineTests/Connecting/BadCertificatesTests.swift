import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BadCertificatesTests {
    @Test(
        arguments: BadCertificate.all,
        [false, true]
    )
    func `A bad certificate is refused for its specific reason, also if its pin matches, and nothing is sent`(
        _ bad: BadCertificate,
        withPins: Bool
    ) async throws {
        let made = try bad.make()
        let pins = withPins ? [try CertificatePin(certificatePEM: made.identity.certificatePEM)] : []
        for version in [ServerTLS.Version.tls12, .tls13] {
            let call = try await TLSCall.make(
                showing: made.identity,
                version: version,
                security: try .trusting(made.trusted, pinning: pins)
            )
            guard case .certificateRefused(let failure)? = call.error else {
                Issue.record("not refused for its certificate but \(String(describing: call.error))")
                return
            }
            #expect(failure.reason.contains(bad.reason))
            #expect(failure.phase == .tls)
            #expect("\(failure)\(String(describing: failure.underlying))".count < 2_000)
            #expect(call.received.isEmpty)
        }
    }

    @Test
    func `A server is accepted unverified only if the settings say so, and never with pins`() async throws {
        let identity = try TestAuthority().serverIdentity(hosts: ["other.test"])
        var security = TransportSecurity()
        security.acceptsUnverifiedServers = true
        let accepted = try await TLSCall.make(showing: identity, security: security)
        #expect(accepted.error == nil)
        #expect(!accepted.received.isEmpty)
        try security.pins.pin(HostPattern("localhost"), to: [CertificatePin(certificatePEM: identity.certificatePEM)])
        let pinned = try await TLSCall.make(showing: identity, security: security)
        guard case .invalidRequest(let failure)? = pinned.error else {
            Issue.record("not refused but \(String(describing: pinned.error))")
            return
        }
        #expect(failure.reason == "pins cannot be checked for servers whose certificates are not verified")
        #expect(pinned.received.isEmpty)
    }

    @Test
    func `Each bad certificate has a different expected reason`() {
        #expect(Set(BadCertificate.all.map(\.reason)).count == BadCertificate.all.count)
    }

    @Test
    func `Control characters in a certificate's issuer name are not shown in the error`() async throws {
        let identity = try TestAuthority(name: "\u{1B}[2Jhello\r\n").serverIdentity()
        let security = try TransportSecurity.trusting(TestAuthority().certificatePEM)
        let call = try await TLSCall.make(showing: identity, security: security)
        let reason = try #require(call.error?.failure.reason)
        #expect(reason.contains("[2Jhello"))
        #expect(!reason.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test
    func `The search for a chain among cross-signing certificates is limited`() async throws {
        let root = try TestAuthority()
        let inner = try TestAuthority(name: "Maze")
        var identity = try inner.serverIdentity()
        // Different certificates with the same name and key: without a limit there are 15! possible chains.
        identity.othersPEM = try (0..<15).map { number in
            try inner.again { certificate in certificate.hosts = ["\(number).test"] }
        }
        let call = try await TLSCall.make(showing: identity, security: try .trusting(root.certificatePEM))
        // The call must not fail by a timeout.
        guard case .certificateRefused? = call.error else {
            Issue.record("not refused for its certificate but \(String(describing: call.error))")
            return
        }
        #expect(call.received.isEmpty)
    }

    @Test
    func `A server certificate with more than 15 others is refused`() async throws {
        let root = try TestAuthority()
        var identity = try root.serverIdentity()
        identity.othersPEM = try (0..<16).map { try TestAuthority(name: "Other \($0)").certificatePEM }
        let call = try await TLSCall.make(showing: identity, security: try .trusting(root.certificatePEM))
        #expect(call.error?.failure.reason == "the certificate of localhost came with more than 15 others")
    }
}
