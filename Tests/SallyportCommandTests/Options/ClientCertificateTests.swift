import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ClientCertificateTests {
    private typealias Fixture = ClientCertificateFixture

    /// Runs a closure with a server that requests client certificates, and the arguments of a call to it.
    private func withServer(
        _ body: @escaping @Sendable (URL, [String], Watched<Int>) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let shown = Watched(0)
        var tls = ServerTLS(identity: try authority.serverIdentity())
        tls.onClientCertificate = { shown.update { $0 += 1 } }
        try await withTemporaryDirectory { [tls] folder in
            let trusted = try folder.file("ca.pem", authority.certificatePEM)
            let answer: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
            try await withScriptedServer([answer], tls: tls) { server in
                try await body(folder, ["get", "https://\(server.authority)/", "--cacert", trusted, "--cert"], shown)
            }
        }
    }

    @Test func `The password of a PKCS #12 file is read from a file, standard input or the environment`() async throws {
        try await withServer { folder, call, shown in
            let bundle = try folder.file("client.p12", Fixture.bundle)
            let password = try folder.file("password", Fixture.password + "\n")
            let stored = try await Tool.run(call + [bundle, "--key-password-file", password])
            #expect(stored.text == "ok", "\(stored.errors)")
            let piped = try await Tool.run(
                call + [bundle, "--key-password-file", "-"],
                input: Data(Fixture.password.utf8)
            )
            #expect(piped.text == "ok", "\(piped.errors)")
            let variable = ["SALLYPORT_KEY_PASSWORD": Fixture.password]
            #expect(try await Tool.run(call + [bundle], environment: variable).text == "ok")
            #expect(shown.value == 3)
            let wrong = try await Tool.run(call + [bundle], environment: ["SALLYPORT_KEY_PASSWORD": "canary"])
            #expect(wrong.status == 58)
            let reason = "the file \(bundle) cannot be decrypted with the password"
            #expect(wrong.errors.contains(reason), "\(wrong.errors)")
            #expect(!wrong.errors.contains("canary"))
            let missing = try await Tool.run(call + [bundle])
            #expect(missing.status == 58)
            #expect(missing.errors.contains("--key-password-file"), "\(missing.errors)")
            #expect(shown.value == 3)
        }
    }

    @Test func `The password of an encrypted key is requested at the terminal without being shown`() async throws {
        try await withServer { folder, call, shown in
            let file = try folder.file("client.pem", Fixture.certificatePEM + Fixture.encryptedKeyPEM)
            let question = "Password for \(file): "
            let (status, screen) = try await Tool.typing("\(Fixture.password)\n", after: question, call + [file])
            #expect(status == 0, "\(screen)")
            #expect(!screen.contains(Fixture.password))
            #expect(shown.value == 1)
        }
    }

    @Test func `The certificate is not presented to another server after a redirect`() async throws {
        let authority = try TestAuthority()
        let shown = (first: Watched(0), second: Watched(0))
        var tls = ServerTLS(identity: try authority.serverIdentity())
        tls.requiresClientCertificate = false
        tls.onClientCertificate = { shown.first.update { $0 += 1 } }
        let firstTLS = tls
        tls.onClientCertificate = { shown.second.update { $0 += 1 } }
        let secondTLS = tls
        let answer: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        try await withTemporaryDirectory { folder in
            let trusted = try folder.file("ca.pem", authority.certificatePEM)
            let bundle = try folder.file("client.p12", Fixture.openBundle)
            try await withScriptedServer([answer], tls: secondTLS) { second in
                let fields = "Location: https://\(second.authority)/\r\nContent-Length: 0"
                let redirect: Script = [.receiveHead, .send("HTTP/1.1 302 Found\r\n\(fields)\r\n\r\n")]
                try await withScriptedServer([redirect], tls: firstTLS) { first in
                    let url = "https://\(first.authority)/"
                    let outcome = try await Tool.run("get", url, "--cacert", trusted, "--cert", bundle, "-L")
                    #expect(outcome.text == "ok", "\(outcome.errors)")
                    #expect(shown.first.value == 1)
                    #expect(shown.second.value == 0)
                }
            }
        }
    }

    @Test func `Options that do not belong together are refused`() async throws {
        try await withTemporaryDirectory { folder in
            let bundle = try folder.file("client.p12", Fixture.openBundle)
            let key = try folder.file("client.key", Fixture.keyPEM)
            let certificate = try folder.file("client.pem", Fixture.certificatePEM)
            let alone = try await Tool.run("get", "https://a.invalid/", "--cert", certificate)
            #expect(alone.status == 58)
            #expect(alone.errors.contains("specify the file with the private key with --key"), "\(alone.errors)")
            for (options, text) in [
                (["--cert", bundle, "--key", key], "omit --key"), (["--key", key], "--key needs --cert"),
                (["--key-password-file", key], "--key-password-file needs --cert"),
            ] {
                let outcome = try await Tool.run(["get", "https://a.invalid/"] + options)
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains(text), "\(outcome.errors)")
            }
        }
    }

    @Test func `The option --curl prints the certificate without asking for its password`() async throws {
        try await withTemporaryDirectory { folder in
            let bundle = try folder.file("client.p12", Fixture.bundle)
            let outcome = try await Tool.run("get", "https://a.invalid/", "--cert", bundle, "--curl")
            #expect(outcome.text.contains("--cert \(bundle) --cert-type P12"), "\(outcome.text)\(outcome.errors)")
        }
    }
}
