import Foundation
import SallyportTransport
import TestSupport
import Testing
import X509

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ValidatedChainsTests {
    private let server = TLSServerName("localhost")
    private let presented: [[UInt8]]
    private let chain: [Certificate]
    private let end = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 1000).rounded())

    init() throws {
        let end = end
        let root = try TestAuthority { $0.notAfter = end }
        let identity = try root.serverIdentity()
        presented = [try #require(PEMCertificates(identity.certificatePEM)?.der.first)]
        chain = try [identity.certificatePEM, root.certificatePEM].map { try Certificate(pemEncoded: $0) }
    }

    @Test
    func `A cached chain is found only for the same bytes of the same server`() {
        let chains = ValidatedChains()
        chains.insert(chain, for: presented, of: server)
        #expect(chains.chain(for: presented, of: server) == chain)
        #expect(chains.chain(for: presented, of: TLSServerName("other.test")) == nil)
        #expect(chains.chain(for: presented + presented, of: server) == nil)
        var changed = presented
        changed[0][changed[0].count - 1] ^= 1
        #expect(chains.chain(for: changed, of: server) == nil)
    }

    @Test
    func `A cached chain is found only while all its certificates are valid`() {
        let chains = ValidatedChains()
        chains.insert(chain, for: presented, of: server)
        #expect(chains.chain(for: presented, of: server, at: end) == chain)
        #expect(chains.chain(for: presented, of: server, at: end + 1) == nil)
        #expect(chains.chain(for: presented, of: server, at: .now - 7200) == nil)
    }

    @Test
    func `The number of cached chains is limited`() {
        let chains = ValidatedChains(limit: 3)
        for number in 0..<10 { chains.insert(chain, for: presented, of: TLSServerName("\(number).test")) }
        #expect(chains.count == 3)
        #expect(chains.chain(for: presented, of: TLSServerName("9.test")) == chain)
    }

    @Test
    func `Only chains that passed the check are cached`() async throws {
        let root = try TestAuthority()
        let roots = try TrustRoots(.pem(root.certificatePEM))
        let check = CertificateCheck(roots: roots, pins: CertificatePins(), validated: ValidatedChains())
        let good = try #require(PEMCertificates(root.serverIdentity().certificatePEM)?.der)
        let bad = try #require(PEMCertificates(TestAuthority().serverIdentity().certificatePEM)?.der)
        try await check.check(good, of: server)
        try await check.check(good, of: server)
        await expectError(\NetworkError.kind, "certificateRefused") { try await check.check(bad, of: server) }
        await expectError(\NetworkError.kind, "certificateRefused") {
            try await check.check(good, of: TLSServerName("other.test"))
        }
        #expect(check.validated.count == 1)
    }
}
