import Foundation
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ClientCertificateTests {
    private typealias Fixture = ClientCertificateFixture

    /// Writes a bundle to a file, and returns its identity.
    private func identity(_ bundle: Data, _ password: String?, in folder: URL) throws
        -> TransportSecurity.ClientIdentity
    {
        let file = folder.appendingPathComponent("client.p12")
        try bundle.write(to: file)
        return TransportSecurity.ClientIdentity(pkcs12File: file, password: password)
    }

    /// Writes a certificate and its key to one file, and returns its identity.
    private func identity(_ key: String, _ password: String?, in folder: URL) throws
        -> TransportSecurity.ClientIdentity
    {
        let file = folder.appendingPathComponent("client.pem")
        try Data((Fixture.certificatePEM + key).utf8).write(to: file)
        return TransportSecurity.ClientIdentity(certificateFile: file, keyFile: file, password: password)
    }

    private func problem(_ identity: TransportSecurity.ClientIdentity) -> ClientCertificate.Problem? {
        do throws(ClientCertificate.Problem) {
            _ = try ClientCertificate(identity)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (Fixture.bundle, Fixture.password), (Fixture.legacyBundle, Fixture.password),
            (Fixture.nonASCIIBundle, "pässword"), (Fixture.openBundle, nil),
        ] as [(Data, String?)]
    )
    func `PKCS #12 files are read with their password`(bundle: Data, password: String?) async throws {
        try await withTemporaryDirectory { folder in
            let certificate = try ClientCertificate(identity(bundle, password, in: folder))
            #expect(certificate.chain.count == 1)
        }
    }

    @Test(
        arguments: [
            (Fixture.keyPEM, nil), (Fixture.encryptedKeyPEM, Fixture.password),
            (Fixture.traditionalKeyPEM, Fixture.password),
        ] as [(String, String?)]
    )
    func `PEM keys are read with their password, also from the file of the certificate`(key: String, password: String?)
        async throws
    {
        try await withTemporaryDirectory { folder in
            let certificate = try ClientCertificate(identity(key, password, in: folder))
            #expect(certificate.chain.count == 1)
        }
    }

    @Test func `A missing password and a wrong one are different problems`() async throws {
        try await withTemporaryDirectory { folder throws in
            for bundle in [Fixture.bundle, Fixture.legacyBundle] {
                #expect(try problem(identity(bundle, nil, in: folder))?.kind == .passwordMissing)
                #expect(try problem(identity(bundle, "canary", in: folder))?.kind == .passwordRefused)
            }
            for key in [Fixture.encryptedKeyPEM, Fixture.traditionalKeyPEM] {
                #expect(try problem(identity(key, nil, in: folder))?.kind == .passwordMissing)
                for password in ["canary", "", "pässword"] {
                    #expect(try problem(identity(key, password, in: folder))?.kind == .passwordRefused)
                }
            }
        }
    }

    @Test func `Files without a key or a certificate, and truncated ones, are refused`() async throws {
        try await withTemporaryDirectory { folder throws in
            for bundle in [Fixture.bundleWithoutKey, Fixture.bundleWithoutCertificate] {
                let found = try problem(identity(bundle, Fixture.password, in: folder))
                #expect(found?.reason == "is not a PKCS #12 file with a private key and its certificate")
            }
            for count in [0, 1, 100, 700, Fixture.bundle.count - 1] {
                let found = try problem(identity(Fixture.bundle.prefix(count), Fixture.password, in: folder))
                #expect(found?.kind == .unreadable, "\(count) bytes")
            }
            #expect(try problem(identity("", nil, in: folder))?.reason == "has no PEM private key that can be read")
        }
    }

    @Test func `A file that is missing or longer than 1 MiB is refused`() async throws {
        try await withTemporaryDirectory { folder throws in
            let (long, pem) = (folder.appendingPathComponent("long"), folder.appendingPathComponent("client.pem"))
            let missing = folder.appendingPathComponent("missing")
            // It begins as a PKCS #12 file does.
            try Data(repeating: 0x30, count: ClientCertificate.maximumFileSize + 1).write(to: long)
            try Data(Fixture.certificatePEM.utf8).write(to: pem)
            let reasons = [
                long: "is longer than 1.0 MiB, the maximum for certificates and keys",
                missing: "cannot be opened: it, or its folder, does not exist",
            ]
            for (file, reason) in reasons {
                let identities: [TransportSecurity.ClientIdentity] = [
                    .init(pkcs12File: file), .init(certificateFile: file, keyFile: pem),
                    .init(certificateFile: pem, keyFile: file),
                ]
                for identity in identities {
                    let found = problem(identity)
                    #expect(found?.kind == .unreadable)
                    #expect(found?.file == file.path)
                    #expect(found?.reason == reason)
                }
            }
        }
    }

    @Test func `The certificate in a PKCS #12 file is sent to a server that requests one`() async throws {
        let root = try TestAuthority()
        let shown = Watched(0)
        var tls = ServerTLS(identity: try root.serverIdentity())
        tls.onClientCertificate = { shown.update { $0 += 1 } }
        try await withTemporaryDirectory { [tls] folder in
            var security = try TransportSecurity.trusting(root.certificatePEM)
            security.clientIdentity = try identity(Fixture.bundle, Fixture.password, in: folder)
            #expect(try await TLSCall.make(tls: tls, security: security).error == nil)
            #expect(shown.value == 1)
            security.clientIdentity?.password = "canary"
            let refused = try await TLSCall.make(tls: tls, security: security)
            #expect(refused.error?.kind == "invalidRequest")
            #expect(refused.connections == 0)
            let text = "\(String(describing: refused.error)) \(security) \(String(reflecting: security.clientIdentity))"
            #expect(text.contains("client.p12") && !text.contains("canary"))
            var dumped = ""
            dump(security.clientIdentity, to: &dumped)
            #expect(!dumped.contains("canary"))
        }
    }
}
