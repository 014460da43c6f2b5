import Foundation
import SallyportGateway
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DeviceCommandTests {
    /// Runs a test with a gateway over TLS, and a file with settings that pin the key of its authority.
    private func withSettings(_ body: (_ signIn: SignIn, _ file: String) async throws -> Void) async throws {
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await SignIn.with(secure: true) { signIn in
            let authority = try #require(signIn.authority)
            let settings: [String: Any] = [
                "appIdentifier": "com.example.app", "appVersion": "1.0", "appPlatform": "linux",
                "baseURL": signIn.base, "resourceBaseURL": signIn.base + "/resources/",
                "certificates": [try String(contentsOfFile: authority, encoding: .utf8)],
                "softwareStatement": statement, "integrityChecks": [String](),
            ]
            let file = URL(fileURLWithPath: authority).deletingLastPathComponent().appendingPathComponent("app.json")
            try JSONSerialization.data(withJSONObject: settings).write(to: file)
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
        try await withSettings { signIn, file in
            let authority = try DevelopmentAuthority()
            let other = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("other.pem").path
            try authority.write(certificateTo: other)
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
            var settings = try #require(json as? [String: Any])
            settings["certificates"] = [try String(contentsOfFile: other, encoding: .utf8)]
            try JSONSerialization.data(withJSONObject: settings).write(to: URL(fileURLWithPath: file))
            let arguments = ["device", "register", "--config", file, "--cacert", signIn.authority ?? ""]
            let outcome = try await signIn.run(arguments)
            #expect(outcome.status == 90, "\(outcome.errors)")
            #expect(await signIn.identity.devices.isEmpty)
            // Refused requests are counted too.
            #expect(await signIn.identity.statistics.refusals.isEmpty)
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
