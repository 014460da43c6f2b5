import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SessionCommandTests {
    @Test func `The command session shows the server, the realm and the user, but not the token`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let outcome = try await signIn.run("session")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let lines = outcome.text.split(separator: "\n").map(String.init)
            #expect(lines.dropLast() == ["server  \(signIn.base)", "realm   /", "tree    Login", "user    alice"])
            #expect(lines.last?.hasPrefix("tokens  valid until 2") == true)
            #expect(!outcome.text.contains(try signIn.sessionToken()))
            let json = try await signIn.run("session", "show", "--json")
            let state = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
            #expect(state["server"] as? String == signIn.base)
            #expect(state["realm"] as? String == "/")
            #expect(state["tree"] as? String == "Login")
            #expect(state["user"] as? String == "alice")
            #expect(state["has_tokens"] as? Bool == true)
            #expect((state["tokens_expire"] as? String)?.hasPrefix("2") == true)
            #expect(state.count == 6)
        }
    }

    @Test func `The command session logout ends the session, but not its tokens`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let (session, token) = (try signIn.sessionToken(), try await signIn.accessToken())
            let outcome = try await signIn.run("session", "logout")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Its tokens remain valid: sallyport logout ends them."))
            #expect(try await signIn.accepts(session: session) == false)
            #expect(try await signIn.accepts(accessToken: token))
            #expect(try signIn.home.appendingPathComponent("default").names.contains("session") == false)
            for words in [["session"], ["session", "logout"]] {
                let missing = try await signIn.run(words)
                #expect(missing.status == 67)
                #expect(missing.errors.contains("the profile default has no session"), "\(missing.errors)")
            }
            #expect(try await signIn.run("logout").status == 0)
            #expect(try await signIn.accepts(accessToken: token) == false)
        }
    }

    @Test func `The command logout ends the session and its tokens`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let (session, token) = (try signIn.sessionToken(), try await signIn.accessToken())
            let outcome = try await signIn.run("logout")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors == "The profile default is logged out.\n")
            #expect(try await signIn.accepts(session: session) == false)
            #expect(try await signIn.accepts(accessToken: token) == false)
            let names = try signIn.home.appendingPathComponent("default").names
            #expect(names == ["profile.json", "session.lock", "tokens.lock"])
            #expect(try await signIn.run("logout").status == 67)
            #expect(try await signIn.run("token").status == 67)
        }
    }

    @Test func `The command logout --local removes session and tokens, which remain valid at the server`() async throws
    {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let (session, token) = (try signIn.sessionToken(), try await signIn.accessToken())
            #expect(try await signIn.run("logout", "--local").status == 0)
            #expect(try await signIn.accepts(session: session))
            #expect(try await signIn.accepts(accessToken: token))
            #expect(try await signIn.run("token").status == 67)
        }
    }

    @Test func `Without a login by a tree, there is no session`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asClient()
            let outcome = try await signIn.run("session")
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("sallyport login --journey"))
        }
    }

    @Test func `On a terminal, a call that demands a confirmation asks for it and continues`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let call = ["get", signIn.base + "/protected/transaction", "--auth", "--fail"]
            let (status, screen) = try await Tool.typing(
                [("Confirm that it is you\nPassword: ", "wonderland\n")],
                call,
                environment: signIn.environment()
            )
            #expect(status == 0, "\(screen)")
            #expect(screen.contains("Access granted."))
        }
    }

    @Test func `If the profile's tree does not meet the demand of a server, the error names the command that can`()
        async throws
    {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let call = ["get", signIn.base + "/protected/step-up", "--auth", "--fail"]
            let refused = try await Tool.typing(
                [("User Name: ", "alice\n"), ("Password: ", "wonderland\n")],
                call,
                environment: signIn.environment()
            )
            #expect(refused.status == 67, "\(refused.screen)")
            #expect(refused.screen.contains("sallyport login --journey TREE"), "\(refused.screen)")
            let login = try await Tool.typing(
                [("Password: ", "wonderland\n")],
                ["login", "--journey", "StepUp"],
                environment: signIn.environment()
            )
            #expect(login.status == 0, "\(login.screen)")
            #expect(try await signIn.run(call).status == 0)
        }
    }

    @Test(arguments: ["transaction", "tree", "step-up"])
    func `Without a terminal, a call that demands a further authentication ends with 67`(resource: String) async throws
    {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let outcome = try await signIn.run("get", signIn.base + "/protected/" + resource, "--auth")
            #expect(outcome.status == 67)
            #expect(outcome.text.isEmpty)
            #expect(outcome.errors.contains("run the command in a terminal"), "\(outcome.errors)")
        }
    }
}
