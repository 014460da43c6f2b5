import Foundation
import SallyportGateway
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SecurityTests {
    @Test func `A server is trusted with its CA file and refused without it`() async throws {
        try await withSecureGateway { base, authority in
            #expect(try await Tool.run("get", base + "/echo", "--cacert", authority).echo.method == "GET")
            let refused = try await Tool.run("get", base + "/echo")
            #expect(refused.status == 60)
            #expect(refused.errors.contains("certificate"))
            #expect(refused.output.isEmpty)
        }
    }

    @Test func `Without --cacert, the authorities are those of CURL_CA_BUNDLE or else SSL_CERT_FILE`() async throws {
        let other = try DevelopmentAuthority()
        try await withTemporaryDirectory { folder in
            let others = try folder.file("other.pem", other.certificatePEM)
            let missing = folder.appendingPathComponent("missing.pem").path
            try await withSecureGateway { base, authority in
                func status(_ options: [String], _ variables: [String: String]) async throws -> Int32 {
                    try await Tool.run(["get", base + "/echo"] + options, environment: variables).status
                }
                #expect(try await status([], ["SSL_CERT_FILE": authority]) == 0)
                #expect(try await status([], ["CURL_CA_BUNDLE": authority, "SSL_CERT_FILE": others]) == 0)
                #expect(try await status([], ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": authority]) == 0)
                #expect(try await status([], ["CURL_CA_BUNDLE": others, "SSL_CERT_FILE": authority]) == 60)
                #expect(try await status(["--cacert", authority], ["SSL_CERT_FILE": missing]) == 0)
                #expect(try await status(["--insecure"], ["SSL_CERT_FILE": missing]) == 0)
                let unreadable = try await Tool.run(["get", base + "/echo"], environment: ["SSL_CERT_FILE": missing])
                #expect(unreadable.status == 77)
                let advice = "SSL_CERT_FILE names it; correct or unset the variable, or use --cacert FILE"
                #expect(unreadable.errors.contains(missing))
                #expect(unreadable.errors.contains(advice), "\(unreadable.errors)")
            }
        }
    }

    @Test func `The authorities of a login precede those of the environment`() async throws {
        let other = try DevelopmentAuthority()
        try await SignIn.with(secure: true) { signIn in
            try await signIn.asClient()
            try await withTemporaryDirectory { folder in
                let variables = ["SSL_CERT_FILE": try folder.file("other.pem", other.certificatePEM)]
                let call = try await signIn.run("get", signIn.protected, "--auth", "--fail", environment: variables)
                #expect(call.status == 0, "\(call.errors)")
                #expect(try await signIn.run("refresh", environment: variables).status == 0)
                #expect(try await signIn.run("get", signIn.protected, environment: variables).status == 60)
            }
        }
    }

    @Test func `A certificate for an address is not valid for a name that resolves to it`() async throws {
        try await withSecureGateway { base, authority in
            let port = base.split(separator: ":").last ?? ""
            let outcome = try await Tool.run(
                "get",
                "https://other.example:\(port)/echo",
                "--resolve",
                "other.example:\(port):127.0.0.1",
                "--cacert",
                authority
            )
            #expect(outcome.status == 60)
        }
    }

    @Test func `An invalid or missing CA file is refused before a request is sent, for any scheme`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("ca.pem", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
            let missing = folder.appendingPathComponent("missing.pem").path
            try await withScriptedServer([[.stall]]) { server in
                for path in [file, missing, folder.path] {
                    let outcome = try await Tool.run("get", "http://\(server.authority)/", "--cacert", path)
                    #expect(outcome.status == 77)
                    #expect(outcome.errors.contains(path))
                }
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test func `A client certificate is sent to a server that requests one`() async throws {
        let authority = try DevelopmentAuthority()
        let client = try authority.issueClient(name: "ada")
        let tls = GatewaySecurity.certificate(try authority.issue(), clientAuthority: authority)
        try await withTemporaryDirectory { folder in
            let trusted = try folder.file("ca.pem", authority.certificatePEM)
            let certificate = try folder.file("client.pem", client.chainPEM)
            let key = try folder.file("client.key", client.privateKeyPEM)
            try await Gateway.withRunning(GatewayConfiguration(tls: tls)) { address in
                let call = ["get", address.baseURL + "/echo", "--cacert", trusted]
                #expect(try await Tool.run(call + ["--cert", certificate, "--key", key]).echo.method == "GET")
                // With TLS 1.3, the refusal arrives after the client's handshake: as an alert (35), a reset (56), or only as
                // the end of the connection (52).
                let anonymous = try await Tool.run(call)
                #expect([35, 52, 56].contains(anonymous.status), "\(anonymous.errors)")
                #expect(anonymous.output.isEmpty)
                let swapped = try await Tool.run(call + ["--cert", certificate, "--key", certificate])
                #expect(swapped.status == 58)
                #expect(swapped.errors.contains(certificate))
                let missing = try await Tool.run(call + ["--cert", folder.path + "/none", "--key", key])
                #expect(missing.status == 58)
            }
        }
    }
}
