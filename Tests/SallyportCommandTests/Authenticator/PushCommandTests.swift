import Foundation
import SallyportGateway
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PushCommandTests {
    /// A tree that registers a device if necessary, and then sends a push message of a kind.
    private static func tree(_ kind: String = "default") -> String {
        """
        {"Push": {"start": "name", "nodes": {
          "name": {"type": "username", "next": "push"},
          "push": {"type": "push", "kind": "\(kind)", "message": "Open the garden?", "wait": 50, "next": {
            "approved": "success", "denied": "failure", "timeout": "failure", "not-registered": "register"
          }},
          "register": {"type": "register-push", "wait": 50, "next": {"success": "push", "timeout": "failure"}}
        }}}
        """
    }

    /// Starts a login with the tree.
    private func login(_ signIn: SignIn) throws -> RunningTool {
        try signIn.start(signIn.journey("Push", ["--answer", "name=alice", "--force-auth"]))
    }

    /// Enrols this computer with the URI that a login shows.
    private func enrol(_ signIn: SignIn, by login: RunningTool) async throws {
        let text = try await login.errors(containing: "Waiting for the app")
        let uri = String(try #require(text.firstMatch(of: /sallyport push enrol -\n(\S+)/), "\(text)").1)
        let outcome = try await signIn.run("push", "enrol", "-", input: uri + "\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors == "Enrolled for push messages of alice at Sallyport. Next: sallyport push watch\n")
    }

    @Test func `A login enrols this computer, and is approved by its message`() async throws {
        try await SignIn.with({ $0.useTrees(Self.tree()) }) { signIn in
            let login = try login(signIn)
            try await enrol(signIn, by: login)
            let approved = try await signIn.run("push", "approve", "--wait", "300")
            #expect(approved.status == 0, "\(approved.errors)")
            #expect(approved.errors.hasPrefix("Approved: Open the garden?, sent 2"), "\(approved.errors)")
            let outcome = try await login.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Signed in as alice"))
            #expect(try await signIn.run("push", "list").text.hasSuffix("  alice at Sallyport\n"))
        }
    }

    @Test func `A denied message ends the login with 67, and cannot be answered again`() async throws {
        try await SignIn.with({ $0.useTrees(Self.tree()) }) { signIn in
            let login = try login(signIn)
            try await enrol(signIn, by: login)
            #expect(try await signIn.run("push", "deny", "--wait", "300").status == 0)
            #expect(try await login.outcome().status == 67)
            let again = try await signIn.run("push", "approve")
            #expect(again.status == 2)
            #expect(again.errors == "sallyport: there is no push message\n")
        }
    }

    @Test func `A number challenge is approved only with the number that the login shows`() async throws {
        try await SignIn.with({ $0.useTrees(Self.tree("challenge")) }) { signIn in
            let login = try login(signIn)
            try await enrol(signIn, by: login)
            let text = try await login.errors(containing: "Select the number ")
            let shown = try await login.errors(containing: " in the authenticator app.")
            let number = String(
                try #require(shown.firstMatch(of: /Select the number (\d+) in/), "\(text)").1
            )
            let missing = try await signIn.run("push", "approve", "--wait", "300")
            #expect(missing.status == 2)
            #expect(missing.errors.contains("--number, one of "), "\(missing.errors)")
            #expect(try await signIn.run("push", "approve", "--number", "9999").status == 2)
            let right = try await signIn.run("push", "approve", "--number", number)
            #expect(right.status == 0, "\(right.errors)")
            #expect(try await login.outcome().status == 0)
        }
    }

    @Test func `The command push watch prints each message once, and asks on a terminal`() async throws {
        try await SignIn.with({ $0.useTrees(Self.tree()) }) { signIn in
            let first = try login(signIn)
            try await enrol(signIn, by: first)
            let watch = try await signIn.run("push", "watch", "--count", "1")
            #expect(watch.text.contains("  Open the garden?, sent 2"), "\(watch.text)")
            let id = String(try #require(watch.text.split(separator: " ").first))
            #expect(try await signIn.run("push", "approve", id).status == 0)
            #expect(try await first.outcome().status == 0)

            let second = try login(signIn)
            let (status, screen) = try await Tool.typing(
                [("Approve the sign-in?\n  1  Approve\n  2  Deny\n  3  Decide later\nNumber: ", "approve\n")],
                ["push", "watch", "--count", "1"],
                environment: signIn.environment()
            )
            #expect(status == 0, "\(screen)")
            #expect(screen.hasSuffix("The answer was sent.\n"))
            #expect(try await second.outcome().status == 0)
        }
    }

    @Test func `The command push list shows when each message was sent, and which is the newest`() async throws {
        try await SignIn.with({ $0.useTrees(Self.tree()) }) { signIn in
            let empty = try await signIn.run("push", "list")
            #expect(empty.text.isEmpty)
            #expect(empty.errors == "There is no account. Enrol one with: sallyport push enrol -\n")
            let first = try login(signIn)
            try await enrol(signIn, by: first)
            #expect(try await signIn.run("push", "watch", "--count", "1").status == 0)
            let json = try await signIn.run("push", "list", "--json")
            #expect(json.text.contains("\"accounts\" : [") && json.text.contains("\"account_id\" : "), "\(json.text)")
            let single = try await signIn.run("push", "list").text.split(separator: "\n")
            #expect(single.last?.contains("  Open the garden?, sent 2") == true, "\(single)")
            #expect(single.last?.hasSuffix("Z") == true, "\(single)")
            let second = try login(signIn)
            // Both messages are shown, because the first has not been answered.
            #expect(try await signIn.run("push", "watch", "--count", "2").status == 0)
            let lines = try await signIn.run("push", "list").text.split(separator: "\n")
            try #require(lines.count == 3, "\(lines)")
            #expect(!lines[1].hasSuffix(", the newest"), "\(lines)")
            #expect(lines[2].hasSuffix("Z, the newest"), "\(lines)")
            for line in lines.dropFirst() {
                let id = String(try #require(line.split(separator: " ").first))
                #expect(try await signIn.run("push", "deny", id).status == 0)
            }
            #expect(try await first.outcome().status == 67)
            #expect(try await second.outcome().status == 67)
        }
    }

    @Test func `A server learns only the address of this computer at itself`() async throws {
        let addresses = Watched<[String: Set<String>]>([:])
        let answer: AnsweringServer.Answer = { request, base in
            let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
            let claims = body?["jwt"].flatMap { try? JsonWebSignature(parsing: $0).claims() }
            if let address = body?["deviceId"] ?? claims?["deviceId"]?.string {
                addresses.update { _ = $0[base, default: []].insert(address) }
            }
            return AnsweringServer.response(200, #"{"messages": []}"#)
        }
        try await withTemporaryDirectory { home in
            try await AnsweringServer.run(answering: answer) { honest in
                try await AnsweringServer.run(answering: answer) { other in
                    // The last URI names the endpoint of another server for answers.
                    for (register, answers) in [(honest, honest), (other, other), (other, honest)] {
                        let outcome = try await Tool.run(
                            ["push", "enrol", "-"],
                            input: Data(Self.uri(register.baseURL, answers.baseURL).utf8),
                            environment: Tool.environment(home: home)
                        )
                        #expect(outcome.status == 0, "\(outcome.errors)")
                    }
                    let outcome = try await Tool.run(["push", "approve"], environment: Tool.environment(home: home))
                    #expect(outcome.errors == "sallyport: there is no push message\n")
                    let (first, second) = (addresses.value[honest.baseURL], addresses.value[other.baseURL])
                    #expect(first?.count == 1 && second?.count == 1, "\(addresses.value)")
                    #expect(first != second)
                }
            }
        }
    }

    /// Returns a URI with a new secret.
    private static func uri(_ register: String, _ answers: String) -> String {
        func encoded(_ text: String) -> String { Base64Url.encode(Data(text.utf8)) }
        let path = "/json/push/sns/message?_action="
        return "pushauth://push/Example:ada?s=\(encoded(UUID().uuidString))&c=\(encoded("challenge"))&m=REGISTER:1"
            + "&r=\(encoded("\(register)\(path)register"))&a=\(encoded("\(answers)\(path)authenticate"))"
    }

    @Test func `A short secret is refused with 2`() async throws {
        try await withTemporaryDirectory { home in
            for (command, uri) in [
                ("push", "pushauth://push/a:b?s=c2VjcmV0&c=AAAA&m=1&r=AAAA&a=AAAA"),
                ("otp", "otpauth://totp/alice?secret=JBSWY3DPEHPK3PXP"),
            ] {
                let words = [command, command == "push" ? "enrol" : "add", "-"]
                let outcome = try await Tool.run(
                    words,
                    input: Data(uri.utf8),
                    environment: Tool.environment(home: home)
                )
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains("and the minimum is 128"), "\(outcome.errors)")
            }
        }
    }

    @Test func `Without an enrolment, and with an invalid URI, the problem is named`() async throws {
        try await SignIn.with { signIn in
            for words in [["push", "watch"], ["push", "approve"], ["push", "deny"]] {
                let outcome = try await signIn.run(words)
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains("sallyport push enrol"), "\(outcome.errors)")
            }
            let other = try await signIn.run("push", "watch", "--profile", "other")
            #expect(other.errors.contains("sallyport push enrol - --profile other"), "\(other.errors)")
            let outcome = try await signIn.run("push", "enrol", "pushauth://push/a:b?s=c2VjcmV0")
            #expect(outcome.status == 2)
            #expect(!outcome.errors.contains("c2VjcmV0"))
            #expect(try await signIn.run("push", "enrol", "-").status == 26)
        }
    }
}
