import Foundation
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TokenTests {
    @Test func `The command token prints only the access token, refreshed if it has expired`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            try signIn.endTokens()
            let outcome = try await signIn.run("token")
            #expect(outcome.status == 0)
            #expect(outcome.errors.isEmpty)
            #expect(await signIn.grants("refresh_token") == 1)
            let token = outcome.text.trimmingCharacters(in: .newlines)
            #expect(outcome.text == token + "\n")
            let call = try await signIn.run("get", signIn.protected, "-H", "Authorization: Bearer \(token)", "--fail")
            #expect(call.status == 0)
        }
    }

    @Test(arguments: [false, true])
    func `The option --decode prints header, claims and times, and verifies the signature`(idToken: Bool) async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let words = ["token", "--decode"] + (idToken ? ["--id-token"] : [])
            let outcome = try await Tool.run(words, environment: signIn.environment())
            #expect(outcome.status == 0)
            let end = try #require(outcome.text.range(of: "\n}\n")).upperBound
            let json = try JSONDecoder().decode(
                [String: [String: JsonValue]].self,
                from: Data(outcome.text[..<end].utf8)
            )
            #expect(json["header"]?["alg"]?.string == "ES256")
            #expect(json["claims"]?["sub"]?.string == "alice")
            #expect(json["claims"]?["iss"]?.string == signIn.base)
            let rest = outcome.text[end...].split(separator: "\n")
            #expect(rest.count == 2)
            #expect(rest.first?.hasPrefix("issued 2") == true)
            #expect(rest.first?.contains(", ends 2") == true)
            #expect(rest.last?.hasPrefix("signature: valid, by the server's key ") == true)
            let token = try await Tool.run(words.filter { $0 != "--decode" }, environment: signIn.environment()).text
            #expect(!outcome.text.contains(token.split(separator: ".").last ?? ""))
        }
    }

    @Test func `A signature with another server's key is reported as invalid`() async throws {
        try await SignIn.with { first in
            try await first.asAlice()
            try await SignIn.with { second in
                let folder = second.home.appendingPathComponent("default")
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
                for name in ["profile.json", "tokens"] {
                    let text = try first.file(name).replacing("\\/", with: "/").replacing(first.base, with: second.base)
                    try #require(chmod(try folder.file(name, text), 0o600) == 0)
                }
                let outcome = try await second.run("token", "--decode")
                #expect(outcome.text.hasSuffix("signature: INVALID, none of the server's keys verifies it\n"))
            }
        }
    }

    @Test func `A token that is not a JWT cannot be decoded, and an unsigned one is not reported as valid`()
        async throws
    {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let file = signIn.home.appendingPathComponent("default/tokens")
            let text = try signIn.file("tokens")
            let token = try #require(text.firstMatch(of: /"accessToken":"([^"]*)"/)).1
            func replace(with other: String) throws {
                try Data(text.replacing(token, with: other).utf8).write(to: file)
                try #require(chmod(file.path, 0o600) == 0)
            }
            try replace(with: "opaque")
            let opaque = try await signIn.run("token", "--decode")
            #expect(opaque.status == 61)
            #expect(opaque.output.isEmpty)
            #expect(opaque.errors.contains("sallyport introspect"))
            try replace(with: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJldmUifQ.")
            let unsigned = try await signIn.run("token", "--decode")
            #expect(unsigned.status == 0)
            #expect(unsigned.text.hasSuffix("\nsignature: missing or of an unknown algorithm\n"), "\(unsigned.text)")
        }
    }

    @Test func `A missing id_token or login is reported`() async throws {
        try await SignIn.with { signIn in
            for command in ["token", "refresh", "whoami", "introspect", "logout"] {
                let outcome = try await signIn.run(command)
                #expect(outcome.status == 67)
                #expect(outcome.errors.contains("sallyport login"))
            }
            try await signIn.asClient()
            let outcome = try await signIn.run("token", "--id-token")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("--scope openid"))
            #expect(try await signIn.run("logout").status == 0)
            for command in ["token", "refresh", "whoami", "introspect", "logout"] {
                let outcome = try await signIn.run(command)
                #expect(outcome.status == 67)
                #expect(
                    outcome.errors == "sallyport: nobody is logged in with the profile default: sallyport login\n"
                )
            }
        }
    }

    @Test func `The command refresh obtains new tokens even if the old ones are valid`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let before = try await signIn.run("token").text
            let outcome = try await signIn.run("refresh")
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("new tokens, valid until 2"))
            #expect(try await signIn.run("token").text != before)
            #expect(await signIn.grants("refresh_token") == 1)
        }
    }

    @Test func `The command whoami prints the user's claims`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let outcome = try await signIn.run("whoami")
            let claims = try JSONDecoder().decode([String: JsonValue].self, from: outcome.output)
            #expect(claims["sub"] == "alice")
            #expect(claims["name"] == "Alice Liddell")
        }
    }

    @Test func `The command introspect sends the profile's token, or one from a file or standard input`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let own = try JSONDecoder().decode(
                [String: JsonValue].self,
                from: try await signIn.run("introspect").output
            )
            #expect(own["active"] == true)
            #expect(own["client_id"] == "conf")
            let other = try await signIn.run("introspect", "--token", "-", input: "made-up\n")
            #expect(other.text == "{\n  \"active\" : false\n}\n")
            let file = try signIn.home.deletingLastPathComponent().file("token", try await signIn.run("token").text)
            #expect(try await signIn.run("introspect", "--token", file).text.contains("\"active\" : true"))
            let empty = try await signIn.run("introspect", "--token", "-")
            #expect(empty.status == 26)
            #expect(empty.errors == "sallyport: there is no token on standard input\n")
        }
    }

    @Test func `The command introspect ends with 67 for a client without a secret`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let outcome = try await signIn.run("introspect")
            #expect(outcome.status == 67)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("invalid_client"), "\(outcome.errors)")
            let reason = "Introspection requires the authentication of a server."
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test func `The command logout revokes the tokens at the server and removes them`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let token = try await signIn.run("token").text.trimmingCharacters(in: .newlines)
            let outcome = try await signIn.run("logout")
            #expect(outcome.status == 0)
            #expect(outcome.errors == "The profile default is logged out.\n")
            let call = try await signIn.run("get", signIn.protected, "-H", "Authorization: Bearer \(token)", "--fail")
            #expect(call.status == 22)
            #expect(try signIn.home.appendingPathComponent("default").names == ["profile.json", "tokens.lock"])
        }
    }

    @Test func `The command logout removes the tokens with a warning if the server refuses their revocation`()
        async throws
    {
        try await SignIn.with { signIn in
            let server = OAuthServer(issuer: signIn.base)
            let client = try await server.register([
                "redirect_uris": ["http://127.0.0.1/callback"], "grant_types": ["authorization_code"],
                "token_endpoint_auth_method": "none", "scope": "openid",
            ])
            let tool = try signIn.start(signIn.login(client.clientID, ["--scope", "openid"]))
            try await Visitor().visit(try await tool.signInPage())
            #expect(try await tool.outcome().status == 0)
            try await server.unregister(client)
            let outcome = try await signIn.run("logout")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                outcome.errors.hasPrefix(
                    "The profile default is logged out on this computer.\nWarning: the tokens may remain valid "
                )
            )
            #expect(outcome.errors.contains("the server refused the revocation of the token (invalid_client"))
            #expect(try signIn.home.appendingPathComponent("default").names == ["profile.json", "tokens.lock"])
        }
    }

    @Test func `The command logout --local removes the tokens, which remain valid at the server`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let token = try await signIn.run("token").text.trimmingCharacters(in: .newlines)
            for _ in 1...2 {
                let outcome = try await signIn.run("logout", "--local")
                let text = "The profile default is logged out on this computer. Nothing was sent to the server.\n"
                #expect(outcome.errors == text)
                #expect(outcome.status == 0)
            }
            let call = try await signIn.run("get", signIn.protected, "-H", "Authorization: Bearer \(token)", "--fail")
            #expect(call.status == 0)
            #expect(try await signIn.run("token").status == 67)
        }
    }
}
