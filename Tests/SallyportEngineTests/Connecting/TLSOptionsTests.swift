import Foundation
import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct TLSOptionsTests {
    private func write(_ identity: TestAuthority.Identity, _ name: String, in directory: URL) throws
        -> TransportSecurity.ClientIdentity
    {
        let files = TransportSecurity.ClientIdentity(
            certificateFile: directory.appendingPathComponent("\(name).pem"),
            keyFile: directory.appendingPathComponent("\(name).key")
        )
        try Data(identity.certificatePEM.utf8).write(to: files.certificateFile)
        try Data(identity.keyPEM.utf8).write(to: files.keyFile)
        return files
    }

    @Test
    func `Hosts receive the client certificate of their pattern, and other hosts the default one`() async throws {
        let root = try TestAuthority()
        let (partners, everyone) = (try TestAuthority(name: "Partners"), try TestAuthority(name: "Everyone"))
        let server = try root.serverIdentity(hosts: ["api.partner.test", "www.example.test"])
        try await withTemporaryDirectory { directory in
            var security = try TransportSecurity.trusting(root.certificatePEM)
            security.clientIdentity = try write(everyone.clientIdentity(), "everyone", in: directory)
            let pattern = try HostPattern("*.partner.test")
            security.clientIdentities[pattern] = try write(partners.clientIdentity(), "partner", in: directory)
            for (host, authority) in [("api.partner.test", partners), ("www.example.test", everyone)] {
                let good = ServerTLS(identity: server, clientAuthority: authority)
                #expect(try await TLSCall.make(to: host, tls: good, security: security).error == nil)
                let other = ServerTLS(
                    identity: server,
                    clientAuthority: host == "api.partner.test" ? everyone : partners
                )
                let error = try await TLSCall.make(to: host, tls: other, security: security).error
                #expect(["tlsFailed", "connectionLost"].contains(error?.kind))
            }
        }
    }

    @Test(arguments: [false, true])
    func `A client certificate is sent only to a verified server`(oldTLS: Bool) async throws {
        let root = try TestAuthority()
        let shown = Watched(0)
        var tls = ServerTLS(identity: try root.serverIdentity(), maximumVersion: oldTLS ? .tls12 : .tls13)
        tls.onClientCertificate = { shown.update { $0 += 1 } }
        let stranger = try CertificatePin(certificatePEM: TestAuthority().certificatePEM)
        try await withTemporaryDirectory { [tls] directory in
            var security = try TransportSecurity.trusting(root.certificatePEM, pinning: [stranger])
            security.clientIdentity = try write(root.clientIdentity(), "client", in: directory)
            guard case .pinMismatch? = try await TLSCall.make(tls: tls, security: security).error else {
                Issue.record("no mismatch")
                return
            }
            #expect(shown.value == 0)
            security.pins = CertificatePins()
            #expect(try await TLSCall.make(tls: tls, security: security).error == nil)
            #expect(shown.value == 1)
        }
    }

    @Test(arguments: [false, true])
    func `The key log file is private to its owner and is appended to`(exists: Bool) async throws {
        let root = try TestAuthority()
        try await withTemporaryDirectory { directory in
            var security = try TransportSecurity.trusting(root.certificatePEM)
            let file = directory.appendingPathComponent("keys.log")
            security.keyLogFile = file
            if exists {
                try Data("# before\n".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            }
            for _ in 0..<2 {
                #expect(try await TLSCall.make(showing: root.serverIdentity(), security: security).error == nil)
            }
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
            #expect((permissions as? NSNumber)?.intValue == 0o600)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.first?.hasPrefix("# before") == exists)
            #expect(lines.count { $0.hasPrefix("CLIENT_HANDSHAKE_TRAFFIC_SECRET ") } == 2)
            #expect(lines.count { $0.hasPrefix("SERVER_TRAFFIC_SECRET_0 ") } == 2)
        }
    }

    @Test
    func `A key log that cannot be written is refused before a connection is opened`() async throws {
        let root = try TestAuthority()
        var security = try TransportSecurity.trusting(root.certificatePEM)
        security.keyLogFile = URL(fileURLWithPath: "/nowhere/keys.log")
        let call = try await TLSCall.make(showing: root.serverIdentity(), security: security)
        guard case .invalidRequest(let failure)? = call.error else {
            Issue.record("not refused but \(String(describing: call.error))")
            return
        }
        #expect(failure.reason.contains("/nowhere/keys.log"))
        #expect(call.connections == 0)
    }

    @Test
    func `A key log that is a symbolic link or belongs to another user is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let target = directory.appendingPathComponent("target")
            let link = directory.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            expectError(\NetworkError.kind, "invalidRequest") { try KeyLog(link) }
            #expect(!FileManager.default.fileExists(atPath: target.path))

            try Data("before".utf8).write(to: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
            expectError(\NetworkError.kind, "invalidRequest") { try KeyLog(link) }
            let permissions = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions]
            #expect((permissions as? NSNumber)?.intValue == 0o644)

            // Only root can create a file of another user.
            if geteuid() == 0 {
                #expect(chown(target.path, 1, 1) == 0)
                expectError(\NetworkError.kind, "invalidRequest") { try KeyLog(target) }
            }
        }
    }

    @Test
    func `A key log can be a pipe, such as a shell's process substitution, if the pipe has a reader`() async throws {
        let pipe = Pipe()
        let log = try KeyLog(URL(fileURLWithPath: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)"))
        log.add(ByteBuffer(string: "line\n"))
        #expect(pipe.fileHandleForReading.availableData == Data("line\n".utf8))

        try await withTemporaryDirectory { directory in
            let unread = directory.appendingPathComponent("pipe")
            #expect(mkfifo(unread.path, 0o600) == 0)
            expectError(\NetworkError.kind, "invalidRequest") { try KeyLog(unread) }
        }
    }

    @Test
    func `The system's trust roots are loaded and do not trust a test authority`() async throws {
        let call = try await TLSCall.make(showing: TestAuthority().serverIdentity(), security: TransportSecurity())
        guard case .certificateRefused? = call.error else {
            Issue.record("not refused but \(String(describing: call.error))")
            return
        }
    }
}
