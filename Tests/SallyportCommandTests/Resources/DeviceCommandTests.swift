import Foundation
import SallyportGateway
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DeviceCommandTests {
    /// Writes settings that pin the key of an authority to a file.
    private static func write(_ file: URL, base: String, certificate: String, statement: String) throws {
        let settings: [String: Any] = [
            "appIdentifier": "com.example.app", "appVersion": "1.0", "appPlatform": "linux",
            "baseURL": base, "resourceBaseURL": base + "/resources/",
            "certificates": [certificate],
            "softwareStatement": statement, "integrityChecks": [String](),
        ]
        try JSONSerialization.data(withJSONObject: settings).write(to: file)
    }

    /// Runs a test with a gateway over TLS, and a file with settings that pin the key of its authority.
    private func withSettings(_ body: (_ signIn: SignIn, _ file: String) async throws -> Void) async throws {
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await SignIn.with(secure: true) { signIn in
            let authority = try #require(signIn.authority)
            let certificate = try String(contentsOfFile: authority, encoding: .utf8)
            let file = URL(fileURLWithPath: authority).deletingLastPathComponent().appendingPathComponent("app.json")
            try Self.write(file, base: signIn.base, certificate: certificate, statement: statement)
            try await body(signIn, file.path)
        }
    }

    /// Registers the device, and stores the settings.
    private func register(_ signIn: SignIn, _ file: String) async throws {
        let arguments = [
            "device", "register", "--config", file, "--cacert", signIn.authority ?? "", "--scope", "assets",
        ]
        let outcome = try await signIn.run(arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("Registered at \(signIn.base) as "), "\(outcome.errors)")
    }

    /// Signs alice in, and registers her on the device.
    private func registerAlice(_ signIn: SignIn) async throws {
        let tool = try signIn.start(["device", "register", "--sign-in", "--scope", "accounts"])
        try await Visitor(signIn.authority).visit(try await tool.signInPage())
        let outcome = try await tool.outcome()
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Registered the user "), "\(outcome.errors)")
    }

    @Test func `A device is registered, shown, used and reset`() async throws {
        try await withSettings { signIn, file in
            try await register(signIn, file)
            let shown = try await signIn.run("device", "show")
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.text.contains("app     com.example.app 1.0 (linux)\n"), "\(shown.text)")
            #expect(shown.text.contains("users   none\n"), "\(shown.text)")
            #expect(shown.text.contains("device  authenticated, token until "), "\(shown.text)")
            let called = try await signIn.run("resource", "get", "/assets", "--as", "device")
            #expect(called.status == 0, "\(called.errors)")
            #expect(!called.output.isEmpty)
            #expect(await signIn.grants("client_credentials") == 1)

            let reset = try await signIn.run("device", "reset")
            #expect(reset.status == 0, "\(reset.errors)")
            #expect(await signIn.identity.devices.isEmpty)
            let missing = try await signIn.run("device", "show")
            #expect(missing.status == 67)
            #expect(missing.errors.contains("sallyport device register"), "\(missing.errors)")
        }
    }

    @Test func `A user is registered with a browser, and calls resources as user and implicitly`() async throws {
        try await withSettings { signIn, file in
            try await register(signIn, file)
            let missing = try await signIn.run("resource", "get", "/accounts", "--as", "user")
            #expect(missing.status == 67)
            #expect(missing.errors.contains("sallyport device register --sign-in"), "\(missing.errors)")
            try await registerAlice(signIn)
            let user = try await signIn.run("resource", "get", "/accounts", "--as", "user", "--fail")
            #expect(user.status == 0, "\(user.errors)")
            let implicit = try await signIn.run(
                "resource",
                "get",
                "/greeting",
                "--as",
                "implicit",
                "--scope",
                "greeting",
                "--fail"
            )
            #expect(implicit.status == 0, "\(implicit.errors)")
            #expect(await signIn.identity.devices.map(\.users.count) == [1])
        }
    }

    @Test func `A resource without a token, an error status, and a token without the scope`() async throws {
        try await withSettings { signIn, file in
            try await register(signIn, file)
            #expect(try await signIn.run("resource", "get", "/public", "--as", "none", "--fail").status == 0)
            let refused = try await signIn.run("resource", "get", "/assets", "--as", "none")
            #expect(refused.status == 0, "\(refused.errors)")
            #expect(refused.text.contains("invalid_token"), "\(refused.text)")
            let failed = try await signIn.run("resource", "get", "/assets", "--as", "none", "--fail")
            #expect(failed.status == 22)
            #expect(failed.output.isEmpty)
            let forbidden = try await signIn.run("resource", "get", "/accounts", "--as", "device")
            #expect(forbidden.status == 0, "\(forbidden.errors)")
            #expect(forbidden.text.contains("insufficient_scope"), "\(forbidden.text)")
            #expect(try await signIn.run("resource", "get", "/accounts", "--as", "device", "--fail").status == 22)
        }
    }

    @Test func `The files of a device are encrypted with the key in the environment`() async throws {
        try await withSettings { signIn, file in
            let key = Data((0..<32).map { UInt8($0) }).base64EncodedString()
            let environment = ["SALLYPORT_STORE_KEY": key]
            let arguments = ["device", "register", "--config", file, "--cacert", signIn.authority ?? ""]
            let outcome = try await signIn.run(arguments, environment: environment)
            try #require(outcome.status == 0, "\(outcome.errors)")
            #expect(!(try signIn.file("resource/device-identity.json")).contains("registration_access_token"))
            #expect(try await signIn.run(["device", "show"], environment: environment).status == 0)
            #expect(try await signIn.run(["device", "show"]).status == 26)
        }
    }

    @Test func `A pin mismatch ends the registration with 90, and nothing is sent`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        try await withTemporaryDirectory { folder in
            let roots = folder.appendingPathComponent("authority.pem")
            try authority.certificatePEM.write(to: roots, atomically: true, encoding: .utf8)
            try await withScriptedServer([[.stall]], tls: tls) { server in
                let file = folder.appendingPathComponent("app.json")
                let certificate = try TestAuthority().certificatePEM
                let base = "https://\(server.authority)"
                try Self.write(file, base: base, certificate: certificate, statement: "e30.e30.AAAA")
                let outcome = try await Tool.run(
                    ["device", "register", "--config", file.path, "--cacert", roots.path],
                    environment: ["SALLYPORT_HOME": folder.path, "SALLYPORT_PROFILE": "", "SALLYPORT_STORE_KEY": ""]
                )
                #expect(outcome.status == 90, "\(outcome.errors)")
                let connection = try await server.connection(0)
                try await connection.waitUntilClosedByClient()
                #expect(server.connections.allSatisfy { $0.received.isEmpty })
            }
        }
    }

    @Test(
        arguments: [
            (["resource", "get", "/a"], "--as"),
            (["resource", "get", "/a", "--as", "nobody"], "nobody"),
            (["resource", "get", "/a", "--as", "none"], "sallyport device register --config FILE"),
            (["resource", "get", "/a", "--as", "user", "--scope", "a"], "--scope"),
            (["resource", "get", "/a", "--as", "device", "--subject", "alice"], "--subject"),
            (["resource", "post", "/a", "--as", "none", "--body", "x", "-q", "a=b"], "--body"),
            (["resource", "post", "/a", "--as", "none", "--form-url"], "--form-url"),
            (["resource", "post", "/a", "--as", "none", "--body", "@-", "-H", "@-"], "standard input"),
            (["resource", "post", "/a", "--as", "none", "-q", "a=b", "-q", "a=c"], "--parameter"),
            (["device", "register"], "--config FILE"),
            (["device", "register", "--config", "/nonexistent.json"], "/nonexistent.json"),
        ] as [([String], String)]
    )
    func `A usage error ends with 2 and names the problem`(arguments: [String], words: String) async throws {
        try await withTemporaryDirectory { folder in
            let outcome = try await Tool.run(
                arguments,
                environment: ["SALLYPORT_HOME": folder.path, "SALLYPORT_PROFILE": ""]
            )
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }
}
