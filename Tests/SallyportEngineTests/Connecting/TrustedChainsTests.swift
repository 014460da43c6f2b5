import Foundation
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct TrustedChainsTests {
    private let root: TestAuthority
    private let upper: TestAuthority
    private let lower: TestAuthority

    init() throws {
        root = try TestAuthority(name: "Root")
        upper = try root.intermediate(name: "Upper")
        lower = try upper.intermediate(name: "Lower")
    }

    private func accepts(_ identity: TestAuthority.Identity, trusting pem: String? = nil) async throws {
        for version in [ServerTLS.Version.tls12, .tls13] {
            let call = try await TLSCall.make(
                showing: identity,
                version: version,
                security: try .trusting(pem ?? root.certificatePEM)
            )
            #expect(call.error == nil)
            #expect(call.received.starts(with: "GET /secret HTTP/1.1\r\n".utf8))
        }
    }

    @Test
    func `A chain of two intermediates is accepted`() async throws {
        try await accepts(lower.serverIdentity())
    }

    @Test
    func `The order of the intermediates does not matter`() async throws {
        var identity = try lower.serverIdentity()
        identity.othersPEM.reverse()
        try await accepts(identity)
    }

    @Test
    func `Superfluous certificates are accepted: the root, unrelated, expired and repeated ones`() async throws {
        var identity = try lower.serverIdentity()
        let old = try upper.again { certificate in
            certificate.notBefore = .now - 2000
            certificate.notAfter = .now - 1000
        }
        let strangers = [try TestAuthority(name: "Stranger").certificatePEM, old, root.certificatePEM]
        identity.othersPEM = strangers + identity.othersPEM + identity.othersPEM
        try await accepts(identity)
    }

    @Test
    func `An intermediate certificate that an unknown authority also cross-signed is accepted`() async throws {
        var identity = try lower.serverIdentity()
        identity.othersPEM.insert(try upper.crossSigned(by: TestAuthority(name: "Elsewhere")), at: 1)
        try await accepts(identity)
    }

    @Test
    func `A self-signed certificate that is a trust root is accepted, whether or not it is an authority`() async throws
    {
        for isAuthority in [false, true] {
            let identity = try TestAuthority.selfSignedIdentity { $0.isAuthority = isAuthority }
            try await accepts(identity, trusting: identity.certificatePEM)
        }
    }

    @Test
    func `A certificate without extended key usages is accepted`() async throws {
        try await accepts(root.serverIdentity { $0.usages = [] })
    }

    @Test
    func `A file of trust roots can contain several roots`() async throws {
        let others = try (0..<20).map { try TestAuthority(name: "Other \($0)").certificatePEM }
        let pem = "# A bundle\n" + (others + [root.certificatePEM]).joined(separator: "\n\n")
        try await accepts(lower.serverIdentity(), trusting: pem.replacing("\n", with: "\r\n"))
    }

    @Test
    func `A trust root with a weak key is ignored`() async throws {
        let weak = try TestAuthority.selfSignedIdentity { $0.rsaKeyPEM = BadCertificate.weakKey }
        let pem = weak.certificatePEM + "\n" + root.certificatePEM
        try await accepts(lower.serverIdentity(), trusting: pem)
        let call = try await TLSCall.make(showing: weak, security: try .trusting(pem))
        #expect(call.error?.failure.reason.contains("has an RSA key of 1024 bits, which is too weak") == true)
        #expect(call.received.isEmpty)
    }

    @Test
    func `A file of trust roots with a block that is not a certificate is refused`() async throws {
        let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let security = try TransportSecurity.trusting(root.certificatePEM + "\n" + block)
        let call = try await TLSCall.make(showing: lower.serverIdentity(), security: security)
        guard case .invalidRequest(let failure)? = call.error else {
            Issue.record("not refused but \(String(describing: call.error))")
            return
        }
        #expect(failure.reason == "the certificate file given as text has a block that is not a certificate")
        #expect(call.connections == 0)
    }

    @Test
    func `A file of trust roots that is missing or longer than 16 MiB is refused`() async throws {
        try await withTemporaryDirectory { folder throws in
            let (long, missing) = (folder.appendingPathComponent("long"), folder.appendingPathComponent("missing"))
            try Data().write(to: long)
            let file = try FileHandle(forWritingTo: long)
            try file.truncate(atOffset: UInt64(TrustRoots.maximumFileSize + 1))
            try file.close()
            let reasons = [
                long: "is longer than 16.0 MiB, the maximum for authorities",
                missing: "cannot be opened: it, or its folder, does not exist",
            ]
            for (file, reason) in reasons {
                let error = #expect(throws: NetworkError.self) { try TrustRoots(.file(file)) }
                #expect(error?.kind == "invalidRequest")
                #expect(error?.failure.reason == "the certificate file \(file.path) \(reason)")
            }
        }
    }

    @Test
    func `Names within an authority's constraints are accepted`() async throws {
        let authority = try root.intermediate { $0.permittedHosts = ["localhost"] }
        try await accepts(authority.serverIdentity(addresses: []))
    }

    @Test
    func `IP addresses are verified against the address entries of a certificate`() async throws {
        let security = try TransportSecurity.trusting(root.certificatePEM)
        let good = try await TLSCall.make(to: "127.0.0.1", showing: root.serverIdentity(), security: security)
        #expect(good.error == nil)
        let bad = try await TLSCall.make(
            to: "127.0.0.1",
            showing: root.serverIdentity { $0.addresses = [] },
            security: security
        )
        #expect(bad.error?.failure.reason == "the certificate of 127.0.0.1 is for other names: localhost")
        #expect(bad.received.isEmpty)
    }

    @Test
    func `A wildcard matches exactly one label and must be the complete first label`() async throws {
        let identity = try root.serverIdentity { $0.hosts = ["*", "*.example.test", "w*.part.test"] }
        let security = try TransportSecurity.trusting(root.certificatePEM)
        for (host, isNamed) in [
            ("api.example.test", true), ("API.Example.TEST", true), ("example.test", false),
            ("a.b.example.test", false),
            ("www.part.test", false), ("localhost", false),
        ] {
            let call = try await TLSCall.make(to: host, showing: identity, security: security)
            #expect(call.error?.kind == (isNamed ? nil : "certificateRefused"), "\(host)")
        }
    }
}
