import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct LoginTests {
    @Test func `A login opens the browser in BROWSER, and later commands use its tokens`() async throws {
        try await SignIn.with { signIn in
            try await withTemporaryDirectory { folder in
                let pipe = folder.appendingPathComponent("url").path
                try #require(mkfifo(pipe, 0o600) == 0)
                let script = try folder.file("browser", "#!/bin/sh\nprintf '%s' \"$1\" > '\(pipe)'\n")
                try #require(chmod(script, 0o700) == 0)
                let tool = try signIn.start(signIn.login(), environment: ["BROWSER": script])
                let url = try await Reader.text(of: pipe)
                #expect(url.hasPrefix(signIn.base + "/authorize?"))
                let page = try await Visitor().visit(url)
                #expect(page.status == .ok)
                #expect(page.request.url?.hasPrefix("http://127.0.0.1:") == true)
                let outcome = try await tool.outcome()
                #expect(outcome.status == 0)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains("Signed in as alice at \(signIn.base)."))
                #expect(outcome.errors.hasSuffix("Next: sallyport get URL --auth\n"))
            }
            // The scope api is granted only if it is requested.
            #expect(try await signIn.run("whoami").text.contains("alice@example.com"))
        }
    }

    @Test func `A device login shows the URL and user code and waits for the approval`() async throws {
        try await SignIn.with { signIn in
            let tool = try signIn.start(signIn.login("pub", ["--flow", "device", "--api", signIn.base]))
            let text = try await tool.errors(containing: "Waiting")
            let code = try #require(text.firstMatch(of: /enter the code ([A-Z-]+)\./)).1
            #expect(text.contains("open \(signIn.base)/device "))
            #expect(text.contains("\nOr open \(signIn.base)/device?user_code=\(code), and compare the code.\n"))
            #expect(await signIn.identity.approveDevice(userCode: String(code), as: "alice"))
            let outcome = try await tool.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Next: sallyport get \(signIn.base) --auth"))
            #expect(try await signIn.run("whoami").text.contains("\"sub\" : \"alice\""))
        }
    }

    @Test func `On a terminal, the URL of a device login is also shown as a QR code`() async throws {
        try await SignIn.with { signIn in
            let text = try await Tool.errorsOnTerminal(
                signIn.login("pub", ["--flow", "device", "--timeout", "0.1"]),
                environment: signIn.environment(["NO_COLOR": "1"])
            )
            #expect(text.contains("█▀"))
            #expect(text.contains("enter the code"))
        }
    }

    @Test func `A device login that is not approved within --timeout ends with 28`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await Tool.run(
                signIn.login("pub", ["--flow", "device", "--timeout", "0.2"]),
                environment: signIn.environment()
            )
            #expect(outcome.status == 28)
            #expect(outcome.errors.contains("--timeout"))
            #expect(try await signIn.run("profiles").text.isEmpty)
        }
    }

    @Test func `A browser login that does not complete within --timeout ends with 28, and nothing is stored`()
        async throws
    {
        try await SignIn.with { signIn in
            let outcome = try await Tool.run(
                signIn.login("pub", ["--timeout", "0.2"]),
                environment: signIn.environment()
            )
            #expect(outcome.status == 28)
            #expect(try await signIn.run("profiles").text.isEmpty)
        }
    }

    @Test func `A callback without the state is reported at once, and the timeout does not say that none came`()
        async throws
    {
        try await SignIn.with { signIn in
            // Without a session, the server redirects to the command at once.
            let tool = try signIn.start(signIn.login("pub", ["--timeout", "3", "--parameter", "prompt=none"]))
            let page = try await tool.signInPage()
            let client = HttpClient()
            defer { client.close() }
            let redirect = try await client.request(request: HttpRequest(url: page))
            let location = try #require(redirect.getHeader(name: "Location"))
            let response = "?error=server_error&error_description=The+tenant+is+suspended"
            let callback = String(location.prefix { $0 != "?" }) + response
            let answer = try await client.request(request: HttpRequest(url: callback))
            #expect(answer.status == .badRequest)
            let words =
                "A response that does not belong to this login was ignored: server_error: The tenant is suspended"
            _ = try await tool.errors(containing: words)
            let outcome = try await tool.outcome()
            #expect(outcome.status == 28)
            let end =
                "no callback with the state of this login was received within 3 s; another one was ignored: server_error"
            #expect(outcome.errors.contains(end), "\(outcome.errors)")
        }
    }

    @Test func `The browser does not inherit the command's secrets`() async throws {
        try await SignIn.with { signIn in
            try await withTemporaryDirectory { folder in
                let pipe = folder.appendingPathComponent("environment").path
                try #require(mkfifo(pipe, 0o600) == 0)
                let script = try folder.file("browser", "#!/bin/sh\nenv > '\(pipe)'\n")
                try #require(chmod(script, 0o700) == 0)
                let names = ["PASSWORD", "KEY_PASSWORD", "STORE_PASSWORD_FILE"].map {
                    "SALLYPORT_" + $0
                }
                var environment = Dictionary(uniqueKeysWithValues: (names + ["PGPASSWORD"]).map { ($0, "canary") })
                environment["SALLYPORT_STORE_KEY"] = Data("canary-canary-canary-canary-1234".utf8).base64EncodedString()
                environment["BROWSER"] = script
                environment["OTHER"] = "passed on"
                let tool = try signIn.start(signIn.login(), environment: environment)
                let inherited = try await Reader.text(of: pipe)
                #expect(inherited.contains("OTHER=passed on"))
                #expect(!inherited.contains("SALLYPORT_") && !inherited.contains("canary"), "\(inherited)")
                tool.interrupt()
                _ = try await tool.outcome()
            }
        }
    }

    @Test func `If the user denies consent, the login ends with 67 and the previous login is unchanged`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let before = try signIn.file("tokens")
            let tool = try signIn.start(["login", "--scope", "openid email"])
            try await Visitor().visit(try await tool.signInPage(), decision: "deny")
            let outcome = try await tool.outcome()
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("access_denied"))
            #expect(try signIn.file("tokens") == before)
            #expect(try signIn.file("profile.json").contains("offline_access"))
        }
    }

    @Test func `An interrupted login stores nothing`() async throws {
        try await SignIn.with { signIn in
            let tool = try signIn.start(signIn.login())
            _ = try await tool.signInPage()
            tool.interrupt()
            #expect(try await tool.outcome().status == -SIGINT)
            #expect(try await signIn.run("profiles").text.isEmpty)
        }
    }

    @Test func `A repeated login needs no options`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base)
            let tool = try signIn.start(["login"])
            let page = try await tool.signInPage()
            try await Visitor().visit(page)
            #expect(try await tool.outcome().status == 0)
            #expect(try await signIn.run("get", signIn.protected, "--auth").status == 0)
            #expect(try signIn.file("profile.json").contains("\"\(signIn.base)\""))
        }
    }

    @Test func `The browser returns to the port and path of --redirect-uri`() async throws {
        try await SignIn.with { signIn in
            let redirect = "http://127.0.0.1:\(try unusedPort())/cb"
            let tool = try signIn.start(signIn.login("pub", ["--redirect-uri", redirect]))
            let page = try await Visitor().visit(try await tool.signInPage())
            #expect(page.request.url?.hasPrefix(redirect + "?") == true)
            #expect(try await tool.outcome().status == 0)
        }
    }

    @Test func `The option --parameter is part of the authorization request`() async throws {
        try await SignIn.with { signIn in
            let tool = try signIn.start(signIn.login("pub", ["--parameter", "prompt=none"]))
            try await Visitor().visit(try await tool.signInPage())
            let outcome = try await tool.outcome()
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("login_required"))
        }
    }

    @Test func `The authority of --cacert is stored in the profile and trusted by later commands`() async throws {
        try await SignIn.with(secure: true) { signIn in
            try await signIn.asAlice()
            let authority = try #require(signIn.authority)
            #expect(try await signIn.run("whoami").status == 0)
            #expect(try await signIn.run("get", signIn.protected, "--auth").text.contains("alice"))
            let wrong = try signIn.home.file("other.pem", try TestAuthority().certificatePEM)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--cacert", wrong).status == 60)
            #expect(try await signIn.run("get", signIn.protected).status == 60)
            await signIn.identity.expireAccessTokens()
            #expect(
                try await signIn.run("get", signIn.protected, "--auth", "--cacert", authority).text.contains("alice")
            )
            let stranger = try await signIn.run("login", "--issuer", signIn.base, "--client-id", "other")
            #expect(stranger.status == 60)
        }
    }

    @Test(arguments: [[], ["--no-revoke"], ["--client-id", "conf"]])
    func `A new login revokes the tokens that it replaces, except with --no-revoke`(words: [String]) async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let token = try await signIn.run("token").text.trimmingCharacters(in: .newlines)
            if words.contains("conf") { try await signIn.asClient() } else { try await signIn.asAlice(words) }
            let call = try await signIn.run("get", signIn.protected, "-H", "Authorization: Bearer \(token)", "--fail")
            #expect(call.status == (words == ["--no-revoke"] ? 0 : 22))
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }

    @Test(arguments: [false, true])
    func `Tokens of a login with --dpop are valid only with proofs of its key`(demandsNonces: Bool)
        async throws
    {
        try await SignIn.with({ $0.demandsProofNonces = demandsNonces }) { signIn in
            try await signIn.asAlice("--dpop", "--api", signIn.base)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            #expect(try await signIn.run("whoami").text.contains("alice@example.com") == false)
            await signIn.identity.expireAccessTokens()
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            let token = try await signIn.run("token").text.trimmingCharacters(in: .newlines)
            let stolen = try await signIn.run("get", signIn.protected, "-H", "Authorization: DPoP \(token)")
            #expect(stolen.text.contains("invalid_dpop_proof"))
        }
    }
}

/// Reads from a named pipe on a separate thread, until the other end is closed.
private enum Reader {
    static func text(of pipe: String) async throws -> String {
        let text = Watched<String?>(nil)
        Thread.detachNewThread {
            let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd()
            text.update { [data] in $0 = String(decoding: data ?? Data(), as: UTF8.self) }
        }
        try await text.wait("the browser to be opened") { $0 != nil }
        return text.value ?? ""
    }
}
