import Foundation
import Sallyport
import SallyportOAuth
import TestSupport
import Testing

extension IdentityServerSuites {
    /// Logins with the built command and Chromium at each identity server.
    @Suite(
        .concurrencyLimited,
        .enabled(
            if: RealBrowser.command != nil && CommandLine.path != nil,
            "run .ci/real-servers to have Chromium ready"
        )
    )
    struct CommandLoginTests {
        @Test(arguments: IdentityServer.started)
        func `A login is used, refreshed and revoked by commands until logout`(server: IdentityServer) async throws {
            try await CommandLine.with { command in
                let visit = RealBrowser.Visit("\(server.name)-login", user: "alice", password: "wonderland")
                let login = try await command.run(server.login, environment: visit.environment)
                let steps = await visit.log()
                #expect(login.status == 0, "\(login.errors)\(steps)")
                #expect(login.errors.contains("Signed in as "))
                #expect(steps.contains("sign in at \(server.origin)"), "\(steps)")
                #expect(steps.contains("done at http://127.0.0.1:"), "\(steps)")
                #expect(!steps.contains("code="))

                try await expectAnswer(server, command)
                let person = try await command.run(["whoami"])
                #expect(person.output.contains("\"email\" : \"alice@example.com\""), "\(person)")
                let before = try await command.run(["token"]).output
                let refresh = try await command.run(["refresh"])
                #expect(refresh.status == 0, "\(refresh)")
                let after = try await command.run(["token"]).output
                #expect(!before.isEmpty && !after.isEmpty && before != after)
                try await expectAnswer(server, command)

                let logout = try await command.run(["logout"])
                #expect(logout.status == 0, "\(logout)")
                let isRevoked = server.abilities.contains(.publicRevocation)
                let warns = logout.errors.contains("the tokens may remain valid until they expire")
                #expect(warns == !isRevoked, "\(logout)")
                try await expectNoLogin(server, command)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A confidential client signs in with DPoP-bound tokens`(server: IdentityServer) async throws {
            try await CommandLine.with { command in
                let visit = RealBrowser.Visit("\(server.name)-bound", user: "alice", password: "wonderland")
                var environment = visit.environment
                environment["SALLYPORT_CLIENT_SECRET"] = "s3cret-conf"
                let login = try await command.run(server.login(as: "conf") + ["--dpop"], environment: environment)
                let steps = await visit.log()
                #expect(login.status == 0, "\(login.errors)\(steps)")
                try await expectAnswer(server, command)
                #expect(try await command.run(["refresh"]).status == 0)
                try await expectAnswer(server, command)
                let state = try await command.run(["introspect"])
                #expect(state.output.contains("\"active\" : true"), "\(state)")
                #expect(state.output.contains("\"jkt\""), "\(state)")
                let logout = try await command.run(["logout"])
                #expect(logout.status == 0, "\(logout)")
                try await expectNoLogin(server, command)
            }
        }

        @Test(arguments: IdentityServer.started.filter { $0.abilities.contains(.endOfAccessTokens) })
        func `An expired token is refreshed during a call, and revoked tokens cannot be used`(
            server: IdentityServer
        ) async throws {
            try await CommandLine.with { command in
                // The login works without JavaScript.
                let settings = ["SCRIPTS": "off"]
                let visit = RealBrowser.Visit(
                    "\(server.name)-plain",
                    user: "alice",
                    password: "wonderland",
                    settings: settings
                )
                let login = try await command.run(server.login, environment: visit.environment)
                let steps = await visit.log()
                #expect(login.status == 0, "\(login.errors)\(steps)")
                let ended = try await command.run(["token"]).output
                let end = ["post", "\(server.issuer)/development/expire-access-tokens", "--fail"]
                #expect(try await command.run(end + ["-H", "X-Sallyport-Development: 1"] + server.trust).status == 0)
                try await expectAnswer(server, command)
                #expect(try await command.run(["token"]).output != ended)

                // A token that was copied before the logout is revoked by it.
                let kept = try await command.run(["token"]).output.trimmingCharacters(in: .newlines)
                #expect(try await command.run(["logout"]).status == 0)
                let call = ["get", server.resource, "--fail", "-H", "Authorization: Bearer \(kept)"] + server.trust
                #expect(try await command.run(call).status == 22)
            }
        }

        @Test(arguments: IdentityServer.started.filter { $0.abilities.contains(.refusals) })
        func `A denied consent is reported, and nothing is stored`(server: IdentityServer) async throws {
            try await CommandLine.with { command in
                let settings = ["DECISION": "deny"]
                let visit = RealBrowser.Visit(
                    "\(server.name)-no",
                    user: "alice",
                    password: "wonderland",
                    settings: settings
                )
                let login = try await command.run(server.login, environment: visit.environment)
                let steps = await visit.log()
                #expect(login.status == 67, "\(login.errors)\(steps)")
                #expect(login.errors.contains("access_denied"), "\(login)")
                #expect(try await command.run(["profiles"]).output.isEmpty)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A login with a wrong password does not return, and nothing is stored`(server: IdentityServer) async throws
        {
            try await CommandLine.with { command in
                let visit = RealBrowser.Visit("\(server.name)-wrong", user: "alice", password: "wrong")
                let login = try command.start(server.login, environment: visit.environment)
                _ = try await login.errors(containing: "ended with status 1")
                login.interrupt()
                let outcome = try await login.outcome()
                #expect(outcome.status == -SIGINT, "\(outcome)")
                let steps = await visit.log()
                #expect(steps.contains("password is wrong") || steps.contains("Authentication error"), "\(steps)")
                #expect(try await command.run(["profiles"]).output.isEmpty)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A device is approved with its user code`(server: IdentityServer) async throws {
            try await CommandLine.with { command in
                let login = try command.start(server.login + ["--flow", "device"])
                let shown = try await shownCode(login)
                let settings = ["CODE": shown.code]
                let visit = RealBrowser.Visit(
                    "\(server.name)-code",
                    user: "alice",
                    password: "wonderland",
                    settings: settings
                )
                let steps = try await visit.open(shown.page)
                #expect(steps.contains("done"), "\(steps)")
                let outcome = try await login.outcome()
                #expect(outcome.status == 0, "\(outcome)\(steps)")
                try await expectAnswer(server, command)
            }
        }

        @Test(arguments: IdentityServer.started.filter { $0.abilities.contains(.refusals) })
        func `A device that the user denies receives no tokens`(server: IdentityServer) async throws {
            try await CommandLine.with { command in
                let login = try command.start(server.login + ["--flow", "device"])
                let shown = try await shownCode(login)
                let settings = ["CODE": shown.code, "DECISION": "deny"]
                let visit = RealBrowser.Visit(
                    "\(server.name)-refused",
                    user: "alice",
                    password: "wonderland",
                    settings: settings
                )
                let steps = try await visit.open(shown.page)
                let outcome = try await login.outcome()
                #expect(outcome.status == 67, "\(outcome)\(steps)")
                #expect(outcome.errors.contains("access_denied"), "\(outcome)")
                #expect(try await command.run(["profiles"]).output.isEmpty)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A device is approved at the complete verification URL`(server: IdentityServer) async throws {
            let client = server.client("pub")
            let device = try await client.deviceAuthorization()
            let page = try #require(device.verificationURIComplete)
            let visit = RealBrowser.Visit("\(server.name)-device", user: "alice", password: "wonderland")
            let steps = try await visit.open(page)
            #expect(steps.contains("done"), "\(steps)")
            let tokens = try await client.tokens(for: device)
            #expect(try await client.userInfo(tokens).email == "alice@example.com")
        }

        /// Expects a call to the protected resource with the profile's tokens to succeed.
        private func expectAnswer(
            _ server: IdentityServer,
            _ command: CommandLine,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let call = try await command.run(["get", server.resource, "--auth", "--fail"] + server.trust)
            #expect(call.status == 0, "\(call)", sourceLocation: sourceLocation)
            #expect(call.output.contains("\"sub"), "\(call)", sourceLocation: sourceLocation)
        }

        /// Expects a call to the protected resource to fail because nobody is logged in.
        private func expectNoLogin(
            _ server: IdentityServer,
            _ command: CommandLine,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let call = try await command.run(["get", server.resource, "--auth"] + server.trust)
            #expect(call.status == 67, "\(call)", sourceLocation: sourceLocation)
            #expect(call.errors.contains("sallyport login"), "\(call)", sourceLocation: sourceLocation)
        }

        /// Returns the verification URL and the user code that the command shows.
        private func shownCode(_ login: CommandRun) async throws -> (page: String, code: String) {
            let text = try await login.errors(containing: "Waiting …")
            let shown = try #require(text.firstMatch(of: /open (\S+) and enter the code (\S+)\.\n/), "\(text)")
            return (String(shown.1), String(shown.2))
        }
    }
}

extension IdentityServer {
    /// The arguments of the command for a login.
    fileprivate var login: [String] { login(as: "pub") }

    fileprivate func login(as client: String) -> [String] {
        let callback = abilities.contains(.anyPort) ? [] : ["--redirect-uri", redirectURI]
        return ["login", "--issuer", issuer, "--client-id", client, "--api", resource]
            + scopes.flatMap { ["--scope", $0] } + callback + trust
    }

    /// The arguments of the command for the authority to trust.
    fileprivate var trust: [String] { authority.map { ["--cacert", $0] } ?? [] }

    /// The beginning of all its URLs.
    fileprivate var origin: String { issuer.replacing(/\/api\/oidc$/, with: "") }
}
