import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DevelopmentAuthorityTests {
    private let authority: DevelopmentAuthority

    init() throws {
        authority = try DevelopmentAuthority()
    }

    private func certificates(_ issued: IssuedCertificate) throws -> [Certificate] {
        try PEMDocument.parseMultiple(pemString: issued.chainPEM).map { try Certificate(pemDocument: $0) }
    }

    /// Returns true if a client that trusts the authority accepts the certificate for a host.
    private func isAccepted(
        _ issued: IssuedCertificate,
        host: String? = nil,
        address: String? = nil,
        trusting root: DevelopmentAuthority? = nil
    ) async throws -> Bool {
        let root = try Certificate(pemEncoded: (root ?? authority).certificatePEM)
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy()
            ServerIdentityPolicy(serverHostname: host, serverIP: address)
        }
        let result = await verifier.validate(
            leaf: try certificates(issued)[0],
            intermediates: CertificateStore()
        )
        if case .validCertificate = result { return true }
        return false
    }

    @Test func `A certificate issued by default is valid only for loopback names and addresses`() async throws {
        let issued = try authority.issue()
        #expect(try await isAccepted(issued, host: "localhost"))
        #expect(try await isAccepted(issued, address: "127.0.0.1"))
        #expect(try await isAccepted(issued, address: "::1"))
        #expect(try await !isAccepted(issued, host: "example.com"))
        #expect(try await !isAccepted(issued, address: "127.0.0.2"))
    }

    @Test func `A certificate issued for given hosts is valid for these instead of localhost`() async throws {
        let issued = try authority.issue(hosts: ["api.example.com", "10.1.2.3"])
        #expect(try await isAccepted(issued, host: "api.example.com"))
        #expect(try await isAccepted(issued, address: "10.1.2.3"))
        #expect(try await !isAccepted(issued, host: "localhost"))
    }

    @Test(arguments: [CertificateValidity.expired, .future])
    func `A certificate issued with an expired or future validity is refused`(validity: CertificateValidity)
        async throws
    {
        let issued = try authority.issue(validity: validity)
        #expect(try await !isAccepted(issued, host: "localhost"))
    }

    @Test func `A certificate is not trusted by a client that trusts another authority of the same name`() async throws
    {
        let issued = try authority.issue()
        let another = try DevelopmentAuthority()
        #expect(try await !isAccepted(issued, host: "localhost", trusting: another))
    }

    @Test func `Leaf certificates are valid for 7 days and the authority's for 30, both backdated by an hour`() throws {
        let chain = try certificates(authority.issue())
        #expect(chain.count == 2)
        let now = Date()
        let expected: [(Certificate, TimeInterval)] = [(chain[0], 7 * .day), (chain[1], 30 * .day)]
        for (certificate, length) in expected {
            #expect(abs(certificate.notValidBefore.timeIntervalSince(now) + .hour) < .minute)
            #expect(abs(certificate.notValidAfter.timeIntervalSince(now) - length) < .minute)
        }
    }

    @Test func `A leaf certificate does not outlive its authority`() {
        let now = Date()
        let interval = CertificateValidity.current.interval(from: now, until: now + .hour)
        #expect(interval.end == now + .hour)
    }

    @Test func `The certificates' extensions state their key usage and identify the authority`() throws {
        let chain = try certificates(authority.issue())
        let (leaf, root) = (chain[0], chain[1])
        #expect(try root.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
        #expect(try root.extensions.keyUsage == KeyUsage(keyCertSign: true, cRLSign: true))
        #expect(try leaf.extensions.basicConstraints == .notCertificateAuthority)
        #expect(try leaf.extensions.keyUsage == KeyUsage(digitalSignature: true))
        #expect(try leaf.extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth]))
        let issuerIdentifier = try leaf.extensions.authorityKeyIdentifier?.keyIdentifier
        let rootIdentifier = try root.extensions.subjectKeyIdentifier?.keyIdentifier
        #expect(issuerIdentifier == rootIdentifier)
        #expect(root.extensions[oid: .X509ExtensionID.basicConstraints]?.critical == true)
        #expect(root.extensions[oid: .X509ExtensionID.keyUsage]?.critical == true)
    }

    @Test func `A client certificate is issued for client authentication only`() throws {
        let leaf = try certificates(authority.issueClient(name: "phone"))[0]
        #expect(try leaf.extensions.extendedKeyUsage == ExtendedKeyUsage([.clientAuth]))
        #expect(try leaf.extensions.subjectAlternativeNames == nil)
        #expect(leaf.subject.description.contains("phone"))
    }

    @Test(arguments: [[], [""], ["bücher.example"], ["a b"]])
    func `Host names that a certificate cannot contain are refused`(hosts: [String]) {
        #expect(throws: GatewayError.invalidCertificateName(hosts.first ?? "")) {
            try authority.issue(hosts: hosts)
        }
    }

    @Test func `The authority's certificate is written without its private key, and a write error names the path`()
        throws
    {
        let path = NSTemporaryDirectory() + "authority-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try authority.write(certificateTo: path)
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(written == authority.certificatePEM)
        #expect(!written.contains("PRIVATE"))
        let error = #expect(throws: CocoaError.self) {
            try authority.write(certificateTo: "/nowhere/authority.pem")
        }
        #expect(error?.code == .fileNoSuchFile)
        #expect("\(String(describing: error))".contains("/nowhere/authority.pem"))
    }
}
