import Foundation
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TokenTests {
    @Test("token prints only the access token, refreshed if it has expired")
    func token() async throws {
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

    @Test(
        "--decode prints header, claims, times, and the result of verifying the signature",
        arguments: [false, true]
    )
    func decode(idToken: Bool) async throws {
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

    @Test("a signature by another server's key is reported")
    func wrongSignature() async throws {
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

    @Test("a token that is not a JWT cannot be decoded, and an unsigned one is reported")
    func notSigned() async throws {
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
            #expect(!unsigned.text.contains("signature: valid"))
            #expect(unsigned.status == 61 || unsigned.text.contains("signature: missing"), "\(unsigned.text)")
        }
    }

    @Test("a missing id_token or login is reported")
    func missing() async throws {
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

    @Test("refresh obtains new tokens even if the old ones are valid")
    func refresh() async throws {
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

    @Test("whoami prints the server's information about the user")
    func whoami() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let outcome = try await signIn.run("whoami")
            let claims = try JSONDecoder().decode([String: JsonValue].self, from: outcome.output)
            #expect(claims["sub"] == "alice")
            #expect(claims["name"] == "Alice Liddell")
        }
    }

    @Test("introspect sends the profile's token, or one from a file or standard input")
    func introspect() async throws {
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

    @Test("introspection by a client without a secret is refused with 67")
    func refusedIntrospection() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let outcome = try await signIn.run("introspect")
            #expect(outcome.status == 67)
        }
    }

    @Test("logout revokes the tokens at the server, and removes them")
    func logout() async throws {
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

    @Test func `a logout whose revocation the server refuses removes the tokens, and warns`() async throws {
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

    @Test("logout --local removes the tokens, which stay valid at the server")
    func localLogout() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let token = try await signIn.run("token").text.trimmingCharacters(in: .newlines)
            #expect(try await signIn.run("logout", "--local").status == 0)
            let call = try await signIn.run("get", signIn.protected, "-H", "Authorization: Bearer \(token)", "--fail")
            #expect(call.status == 0)
            #expect(try await signIn.run("token").status == 67)
        }
    }
}
