import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct AuthTests {
    @Test func `The option --auth may be before or after the URL, with a profile in the same argument`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient("--profile", "work")
            try await signIn.asAlice()
            let url = signIn.protected
            for words in [["--auth", url], [url, "--auth"], [url, "--auth=default"]] {
                let outcome = try await Tool.run(["get"] + words, environment: signIn.environment())
                #expect(outcome.text.contains("\"alice\""), "\(outcome.errors)")
            }
            for words in [["--auth=work", url], [url, "--auth=work"]] {
                let outcome = try await Tool.run(["get"] + words, environment: signIn.environment())
                #expect(outcome.text.contains("\"conf\""), "\(outcome.errors)")
            }
            let named = try await signIn.run("get", url, "--auth", environment: ["SALLYPORT_PROFILE": "work"])
            #expect(named.text.contains("\"conf\""), "\(named.errors)")
            let misread = try await signIn.run("get", "--auth", "work", url)
            #expect(misread.status == 2)
            #expect(misread.errors.contains("--auth=work"))
        }
    }

    @Test func `The value of another option is not parsed as --auth`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run("post", signIn.base + "/echo", "--body=--auth")
            #expect(try outcome.echo.body == "--auth")
        }
    }

    @Test func `A call to an origin outside the profile ends with 2 before a request is sent`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient("--api", signIn.base)
            try await withScriptedServer([]) { server in
                let outcome = try await signIn.run("get", "http://\(server.authority)/", "--auth")
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains("are for \(signIn.base), not for \(server.authority)"))
                #expect(outcome.errors.contains("--api"))
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test func `Tokens are not sent over plain HTTP`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let outcome = try await signIn.run("get", "http://api.example.com/", "--auth")
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("https"))
        }
    }

    @Test func `A redirect to another origin carries no token`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient("--api", signIn.base)
            try await withScriptedServer([[.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n")]]) { server in
                let url = "\(signIn.base)/redirect-to?url=http://\(server.authority)/"
                let outcome = try await signIn.run("get", url, "--auth", "--follow", "2")
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(server.requests.count == 1)
                #expect(server.requests.first?["Authorization"].isEmpty == true)
            }
        }
    }

    @Test func `Four concurrent commands refresh expired tokens once, without a message`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base)
            await signIn.identity.expireAccessTokens()
            let tools = try (0..<4).map { _ in try signIn.start(["get", signIn.protected, "--auth", "--fail"]) }
            for tool in tools {
                let outcome = try await tool.outcome()
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.errors.isEmpty)
            }
            #expect(await signIn.grants("refresh_token") == 1)
        }
    }

    @Test func `Expired tokens are refreshed before the call, which receives no 401`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            try signIn.endTokens()
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            #expect(await signIn.grants("refresh_token") == 1)
            #expect(await signIn.identity.statistics.protectedCalls == 1)
            #expect(await signIn.identity.statistics.refusals.isEmpty)
        }
    }

    @Test func `A session that the server has ended is reported with 67 and advice, and its tokens are removed`()
        async throws
    {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--profile", "work")
            await signIn.identity.revokeEverything()
            let outcome = try await signIn.run("get", signIn.protected, "--auth=work")
            #expect(outcome.status == 67)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors == """
                    sallyport: the server has ended the session (invalid_grant): sallyport login --profile work

                    """
            )
            let after = try await signIn.run("get", signIn.protected, "--auth=work")
            #expect(after.status == 67)
            #expect(
                after.errors
                    == "sallyport: nobody is logged in with the profile work: sallyport login --profile work\n"
            )
        }
    }

    @Test
    func
        `If the server cannot be reached, commands end with 7 and the login remains, except with logout --local`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            var home: URL?
            try await SignIn.with { signIn in
                try await signIn.asAlice("--api", "http://127.0.0.1:9")
                let copy = folder.appendingPathComponent("home")
                try FileManager.default.copyItem(at: signIn.home, to: copy)
                home = copy
            }
            let environment = Tool.environment(home: try #require(home))
            let outcome = try await Tool.run(["refresh"], environment: environment)
            #expect(outcome.status == 7)
            let state = try await Tool.run(["profiles"], environment: environment)
            #expect(state.text.hasSuffix("logged in\n"))
            let logout = try await Tool.run(["logout"], environment: environment)
            #expect(logout.status == 7)
            #expect(logout.errors.contains("the tokens were neither revoked nor removed: "))
            #expect(logout.errors.contains("; try again, or remove them with --local"))
            #expect(try await Tool.run(["profiles"], environment: environment).text.hasSuffix("logged in\n"))
            let local = try await Tool.run(["logout", "--local"], environment: environment)
            #expect(local.status == 0)
            #expect(local.errors.contains("Nothing was sent to the server"))
            #expect(try await Tool.run(["profiles"], environment: environment).text.hasSuffix("logged out\n"))
        }
    }

    /// - Parameter isDue: `true` if the tokens of the other issuer must be refreshed before their use.
    @Test(arguments: [false, true])
    func `If another issuer's login replaces the tokens, events --auth ends with 67 and sends none of them`(
        isDue: Bool
    ) async throws {
        let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 1\n"
        let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        try await SignIn.with { first in
            try await SignIn.with { second in
                let isLoggedIn = Signal()
                let scripts: [Script] = [
                    [.receiveHead, .send(stream + "data: a\n\n"), .waitFor(isLoggedIn), .close],
                    [.receiveHead, .send(refusal), .close],
                ]
                try await withScriptedServer(scripts) { api in
                    try await first.asAlice("--api", "http://\(api.authority)")
                    let before = await first.identity.statistics
                    let tool = try first.start(["events", "http://\(api.authority)/", "--auth"])
                    _ = try await tool.output(containing: "message: a")
                    try await second.asAlice(environment: ["SALLYPORT_HOME": first.home.path])
                    if isDue { try first.endTokens() }
                    let secrets = Secrets.all(in: try first.file("tokens"))
                    isLoggedIn.fire()
                    let outcome = try await tool.outcome()
                    #expect(outcome.status == 67)
                    #expect(
                        outcome.errors.contains(
                            "the tokens of the profile default belong to the client pub at \(second.base)"
                        )
                    )
                    #expect(outcome.errors.contains("uses the client pub at \(first.base); nothing was sent"))
                    #expect(outcome.errors.contains("sallyport login"))
                    #expect(secrets.count > 3 && api.requests.count == 2)
                    let received = api.connections.map(\.receivedText).joined()
                    for secret in secrets { #expect(!received.contains(secret)) }
                    #expect(await first.identity.statistics == before)
                }
            }
        }
    }

    @Test func `The error for a call without a login states how to log in`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run("get", signIn.protected, "--auth")
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("sallyport login --issuer"))
            try await signIn.asClient("--profile", "work")
            let other = try await signIn.run("get", signIn.protected, "--auth=wrok")
            #expect(other.status == 67)
            #expect(other.errors.contains("no profile wrok"))
            #expect(other.errors.contains("or --journey … --server … for an authentication tree"), "\(other.errors)")
            #expect(other.errors.contains("existing profiles: work"))
        }
    }

    @Test(
        arguments: [
            (["--auth", "-u", "a:b"], "--user"),
            (["--auth", "--curl"], "sallyport token"),
            (["--auth=../a"], "--auth"),
            (["--auth="], "--auth"),
        ]
    )
    func `Options that exclude --auth are refused with 2`(words: [String], message: String) async throws {
        let outcome = try await Tool.run(
            ["get", "http://127.0.0.1:9/"] + words,
            environment: ["SALLYPORT_PROFILE": ""]
        )
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `The error for an invalid profile name in SALLYPORT_PROFILE names the variable`() async throws {
        for words in [["get", "http://127.0.0.1:9/", "--auth"], ["token"], ["login"]] {
            let outcome = try await Tool.run(words, environment: ["SALLYPORT_PROFILE": "a/b"])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("SALLYPORT_PROFILE"))
        }
    }

    @Test(arguments: [false, true])
    func `The options --verbose and --stages show no secret, also during a refresh`(usesProofs: Bool) async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base, usesProofs ? "--dpop" : "--no-dpop")
            let before = try signIn.file("tokens")
            await signIn.identity.expireAccessTokens()
            let outcome = try await signIn.run("get", signIn.protected, "--auth", "--verbose", "--stages")
            #expect(outcome.status == 0)
            #expect(await signIn.grants("refresh_token") == 1)
            #expect(outcome.errors.contains("> POST /token"))
            #expect(outcome.errors.contains("@ OAuthAuthentication"))
            let secrets = Secrets.all(in: before) + Secrets.all(in: try signIn.file("tokens"))
            #expect(secrets.count > 10)
            for secret in secrets { #expect(!outcome.errors.contains(secret)) }
        }
    }

    @Test func `The options --verbose and --stages show no secret of a client that requests new tokens`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            await signIn.identity.expireAccessTokens()
            let outcome = try await signIn.run("get", signIn.protected, "--auth", "--verbose", "--stages")
            #expect(outcome.status == 0)
            #expect(await signIn.grants("client_credentials") == 2)
            let secrets = ["s3cret-conf", Data("conf:s3cret-conf".utf8).base64EncodedString()]
            for secret in secrets + Secrets.all(in: try signIn.file("tokens")) {
                #expect(!outcome.errors.contains(secret))
            }
        }
    }
}

/// Helpers for the contents of a token file.
enum Secrets {
    /// The strings that are long enough to be a secret.
    static func all(in file: String) -> [String] {
        let texts = file.matches(of: /"([A-Za-z0-9_.\/+=~-]{20,})"/).map { String($0.1).replacing("\\/", with: "/") }
        return texts.flatMap { [$0] + $0.split(separator: ".").filter { $0.count > 30 }.map(String.init) }
    }
}

extension SignIn {
    /// Sets the expiration time of a profile's access token to the past. The server still accepts the token.
    func endTokens(of profile: String = "default") throws { try setTokens(expiringIn: -1000, of: profile) }

    /// Sets the expiration time of a profile's access token, which was obtained an hour earlier.
    func setTokens(expiringIn seconds: TimeInterval, of profile: String = "default") throws {
        var text = try file("tokens", of: profile)
        let end = Date().addingTimeInterval(seconds).timeIntervalSinceReferenceDate
        for (name, time) in [("expiresAt", end), ("obtainedAt", end - 3600)] {
            let member = try #require(try text.firstMatch(of: Regex("\"\(name)\":[0-9.]+"))).range
            text.replaceSubrange(member, with: "\"\(name)\":\(time)")
        }
        let path = home.appendingPathComponent("\(profile)/tokens")
        try Data(text.utf8).write(to: path)
        try #require(chmod(path.path, 0o600) == 0)
    }
}
