import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DoctorTests {
    @Test func `A valid login has no problems, and no secrets are shown`() async throws {
        try await SignIn.with(secure: true) { signIn in
            try await signIn.asAlice("--dpop")
            let outcome = try await signIn.run("doctor")
            #expect(outcome.status == 0, "\(outcome.text)")
            let lines = outcome.text.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("✓ ") }, "\(outcome.text)")
            for words in ["metadata", "clock", "endpoints", "PKCE", "key", "valid until", "Only you"] {
                #expect(lines.contains { $0.contains(words) }, "\(words) in \(outcome.text)")
            }
            for secret in Secrets.all(in: try signIn.file("tokens")) { #expect(!outcome.text.contains(secret)) }
            let audience = try await signIn.run("doctor", "--audience", "another")
            #expect(audience.status == 1)
            #expect(audience.text.contains("not for another"))
            #expect(audience.errors == "sallyport: 1 problem\n")
        }
    }

    @Test func `A server can be checked without a profile`() async throws {
        try await SignIn.with(secure: true) { signIn in
            let authority = try #require(signIn.authority)
            let outcome = try await signIn.run("doctor", "--issuer", signIn.base, "--cacert", authority)
            #expect(outcome.status == 0, "\(outcome.text)")
            let untrusted = try await signIn.run("doctor", "--issuer", signIn.base)
            #expect(untrusted.status == 1)
            #expect(untrusted.text.hasPrefix("✗ \(signIn.base) cannot be reached: the certificate"))
            let advice = "\n    If the authority is yours, pass its certificate with --cacert.\n"
            #expect(untrusted.text.hasSuffix(advice), "\(untrusted.text)")
            let other = try await signIn.run("doctor", "--issuer", signIn.base + "/", "--cacert", authority)
            #expect(other.status == 1)
            #expect(other.text.hasPrefix("✗ "))
            #expect(other.text.contains("issuer"))
        }
    }

    @Test func `The published metadata is also checked if a login with a tree does not need it`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let outcome = try await signIn.run("doctor")
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(outcome.text.contains("✓ The server supports PKCE with S256."), "\(outcome.text)")
            #expect(!outcome.text.contains("! "), "\(outcome.text)")
        }
    }

    @Test func `A server that cannot be reached or has another issuer is the only reported problem`() async throws {
        let outcome = try await Tool.run("doctor", "--issuer", "http://127.0.0.1:9")
        #expect(outcome.status == 1)
        #expect(
            outcome.text == """
                ✗ http://127.0.0.1:9 cannot be reached: no connection to 127.0.0.1 on port 9: Connection refused.
                    Check that the server is running and the port is right.

                """
        )
        let json = try await Tool.run("doctor", "--issuer", "http://127.0.0.1:9", "--json")
        #expect(json.status == 1)
        let findings = try JSONDecoder().decode([[String: String]].self, from: json.output)
        #expect(findings.map { $0["level"] } == ["problem"])
        #expect(findings.first?["advice"] == "Check that the server is running and the port is right.")
        try await SignIn.with({ $0.issuer = "https://id.example.com" }) { signIn in
            let outcome = try await signIn.run("doctor", "--issuer", signIn.base)
            #expect(outcome.status == 1)
            #expect(outcome.text.hasPrefix("✗ "))
            #expect(outcome.text.contains("https://id.example.com"))
            #expect(outcome.errors == "sallyport: 1 problem\n")
        }
    }

    @Test func `A profile or key file that others can read or change is reported as a problem`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            try #require(chmod(signIn.home.appendingPathComponent("default/profile.json").path, 0o666) == 0)
            let outcome = try await signIn.run("doctor")
            #expect(outcome.status == 1)
            #expect(outcome.text.hasPrefix("✗ The profile default cannot be used: "))
            #expect(outcome.text.contains("can be read or changed by others") && outcome.text.contains("chmod 600"))
            #expect(outcome.errors == "sallyport: 1 problem\n")
            let key = try signIn.home.file("key", String(repeating: "A", count: 43) + "=")
            try #require(chmod(signIn.home.appendingPathComponent("default/profile.json").path, 0o600) == 0)
            try #require(chmod(key, 0o644) == 0)
            let open = try await signIn.run("doctor", environment: ["SALLYPORT_STORE_KEY_FILE": key])
            #expect(open.status == 1)
            #expect(open.text.hasPrefix("✗ The profile default cannot be used: \(key) can be read"))
        }
    }

    @Test func `Missing tokens and tokens that others can read are reported`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let file = signIn.home.appendingPathComponent("default/tokens").path
            try #require(chmod(file, 0o644) == 0)
            let open = try await signIn.run("doctor")
            #expect(open.status == 1)
            #expect(open.text.contains("✗ The tokens cannot be read: "))
            #expect(try await signIn.run("logout", "--local").status == 0)
            let missing = try await signIn.run("doctor")
            #expect(missing.status == 0)
            #expect(missing.text.contains("! Nobody is logged in with the profile default."))
        }
    }

    @Test(
        arguments: [
            ([], 67, "sallyport login --issuer"), (["--issuer", "id.example.com"], 2, "https"),
            (["--cacert", "file"], 2, "--issuer"),
            (["--issuer", "https://id.example.com", "--profile", "a"], 2, "Only one"),
        ] as [([String], Int32, String)]
    )
    func `Invalid options are refused`(words: [String], status: Int32, message: String) async throws {
        try await withTemporaryDirectory { home in
            let environment = Tool.environment(home: home)
            let outcome = try await Tool.run(["doctor"] + words, environment: environment)
            #expect(outcome.status == status, "\(outcome.text)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }
}
