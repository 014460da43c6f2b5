import Foundation
import SallyportGateway
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JourneyLoginTests {
    @Test func `A tree signs the user in without a browser, and later commands use the tokens`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.byTree()
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("Signed in as alice at \(signIn.base)/oauth2/realms/root."))
            #expect(!outcome.errors.contains("wonderland"))
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").text.contains("alice"))
            #expect(try await signIn.run("whoami").text.contains("\"sub\" : \"alice\""))
            #expect(
                try await signIn.run("profiles").text.contains("pub at \(signIn.base)/oauth2/realms/root  logged in")
            )
            let names = try signIn.home.appendingPathComponent("default").names
            #expect(names == ["profile.json", "session", "session.lock", "tokens", "tokens.lock"])
            #expect(try signIn.file("profile.json").contains("wonderland") == false)
        }
    }

    @Test func `On a terminal, Control-D ends the login with an error on a line of its own`() async throws {
        try await SignIn.with { signIn in
            let (status, screen) = try await Tool.typing(
                [("User Name: ", "\u{4}")],
                signIn.journey("Login"),
                environment: signIn.environment()
            )
            #expect(status == 2)
            #expect(screen.contains("\nsallyport: standard input ended before the answer"), "\(screen)")
        }
    }

    @Test func `A repeated login needs no options, and asks nothing while there is a session`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let first = try signIn.sessionToken()
            #expect(try await signIn.run("login").status == 0)
            #expect(try signIn.sessionToken() == first)
            let forced = try await signIn.run("login", "--force-auth")
            #expect(forced.status == 2)
            #expect(forced.errors.contains("\"User Name\""), "\(forced.errors)")
            let again = try await signIn.run(["login", "--force-auth"] + SignIn.alice)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }

    @Test func `Without tokens, the session provides new ones`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let before = try await signIn.accessToken()
            try FileManager.default.removeItem(at: signIn.home.appendingPathComponent("default/tokens"))
            #expect(try await signIn.run("profiles").text.hasSuffix("logged in, without tokens\n"))
            #expect(try await signIn.accessToken() != before)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }

    @Test func `A wrong password ends the login with 67 and the server's message, and nothing is stored`() async throws
    {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(
                signIn.journey("Login", ["--answer", "name=alice", "--answer", "password=wr0ng"])
            )
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("the sign-in failed (\"Login failure\", code 401)"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("wr0ng"))
            #expect(try await signIn.run("profiles").text.isEmpty)
            let closed = try await signIn.run(signIn.journey("Failing"))
            #expect(closed.status == 67)
            #expect(closed.errors.contains("This account is closed."), "\(closed.errors)")
        }
    }

    @Test(arguments: [["--client-id", "nope"], ["--redirect-uri", "https://cli.example.com/"]])
    func `If the server refuses the client after the tree, the new session is ended and not stored`(
        words: [String]
    ) async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(signIn.journey("Login", SignIn.alice + words))
            #expect(outcome.status == 67)
            #expect(!outcome.errors.contains("Warning"), "\(outcome.errors)")
            #expect(try signIn.home.appendingPathComponent("default").names.contains("session") == false)
            // The next login asks for the password.
            let next = try await signIn.run(signIn.journey("Login"))
            #expect(next.status == 2)
            #expect(next.errors.contains("\"User Name\""), "\(next.errors)")
        }
    }

    @Test func `If the server refuses another client, the session of the profile remains`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let session = try signIn.sessionToken()
            #expect(try await signIn.run("login", "--client-id", "nope").status == 67)
            #expect(try signIn.sessionToken() == session)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
        }
    }

    @Test(arguments: [
        ([], "\"User Name\"", "--answer name=…"), (["--answer", "name=alice"], "\"Password\"", "the line password=…"),
    ])
    func `Without a terminal, a missing answer ends the login with 2 and is named`(
        answers: [String],
        question: String,
        advice: String
    ) async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(signIn.journey("Login", answers))
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("there is no answer to \(question)"), "\(outcome.errors)")
            #expect(outcome.errors.contains(advice), "\(outcome.errors)")
        }
    }

    @Test func `A warning names answers that no question has used`() async throws {
        try await SignIn.with { signIn in
            let words = SignIn.alice + ["--answer", "Passwort=s3cret"]
            let outcome = try await signIn.run(signIn.journey("Login", words))
            #expect(outcome.status == 0)
            let warning = "Warning: no question of the tree used these answers: Passwort\n"
            #expect(outcome.errors.contains(warning), "\(outcome.errors)")
            #expect(!outcome.errors.contains("s3cret"))
            // While there is a session, the tree asks nothing.
            let again = try await signIn.run(signIn.journey("Login", words))
            #expect(!again.errors.contains("Warning"), "\(again.errors)")
        }
    }

    @Test(arguments: ["file", "-"])
    func `Answers are read from a file or standard input, by their prompts or kinds`(place: String) async throws {
        try await SignIn.with { signIn in
            let answers = "# of alice\nUser Name=alice\n\nPASSWORD=wonderland\n"
            let file = try signIn.home.deletingLastPathComponent().file("answers", answers)
            let words = ["--answers", place == "-" ? "-" : file]
            let outcome = try await signIn.run(signIn.journey("Login", words), input: place == "-" ? answers : "")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func `A line that is not an answer is named by its number and not quoted`() async throws {
        try await SignIn.with { signIn in
            let file = try signIn.home.deletingLastPathComponent().file("answers", "name=alice\nwonderland\n")
            let outcome = try await signIn.run(signIn.journey("Login", ["--answers", file]))
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("line 2 of \(file) is not an answer"))
            #expect(!outcome.errors.contains("wonderland"))
        }
    }

    @Test func `On a terminal, the command asks for each answer and does not show the password`() async throws {
        try await SignIn.with { signIn in
            let (status, screen) = try await Tool.typing(
                [("User Name: ", "alice\n"), ("Password: ", "wonderland\n")],
                signIn.journey("Login"),
                environment: signIn.environment()
            )
            #expect(status == 0, "\(screen)")
            #expect(screen.hasPrefix("Sign in\nUser Name: alice\n"), "\(screen)")
            #expect(!screen.contains("wonderland"))
            #expect(screen.contains("Signed in as alice"))
        }
    }

    @Test func `A registration is completed with answers for attributes, a security question and terms`() async throws {
        let answers = """
            name=walrus
            password=carpenter1
            givenName=Walter
            mail=walrus@example.com
            age=40
            newsletter=yes
            question=2
            answer=Oxford
            terms=yes
            """
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(signIn.journey("Registration", ["--answers", "-"]), input: answers)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Signed in as walrus"))
            #expect(outcome.errors.contains("Be kind."))
            let declined = try await signIn.run(
                signIn.journey("Registration", ["--answers", "-", "--force-auth"]),
                input: answers.replacing("name=walrus", with: "name=oyster").replacing("terms=yes", with: "terms=no")
            )
            #expect(declined.status == 67)
        }
    }

    @Test(arguments: [
        ("password=short1", "the password must have at least 8 characters", 2), ("age=7", "must be at least 13", 2),
        ("age=old", "the attribute age is not a number", 2), ("newsletter=perhaps", "is not yes or no", 2),
        ("terms=perhaps", "is not yes or no", 2),
        // This policy is checked by the server, which then asks again.
        ("mail=walrus", "Email address: must be an email address", 67),
    ])
    func `A value that violates a policy ends a login without a terminal with the message`(
        answer: String,
        message: String,
        status: Int32
    ) async throws {
        let answers = [
            "name=walrus", "password=carpenter1", "givenName=Walter", "mail=walrus@example.com", "age=40",
            "newsletter=yes", "question=2", "answer=Oxford", "terms=yes",
        ].map { $0.split(separator: "=")[0] == answer.split(separator: "=")[0] ? answer : $0 }
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(
                signIn.journey("Registration", ["--answers", "-"]),
                input: answers.joined(separator: "\n")
            )
            #expect(outcome.status == status)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test func `On a terminal, a value that violates a policy is explained and asked for again`() async throws {
        try await SignIn.with { signIn in
            let (status, screen) = try await Tool.typing(
                [
                    ("Username: ", "ox\n"), ("must have at least 3 characters", ""), ("Username: ", "oxen\n"),
                    ("Password: ", "carpenter1\n"), ("First name: ", "Ox\n"), ("Email address: ", "ox\n"),
                    ("Age: ", "\n"), ("Send me news [y/N] ", "\n"),
                    ("Error: Email address: must be an email address\nUsername: ", "oxen\n"),
                    ("Password: ", "carpenter1\n"), ("First name [Ox]: ", "\n"),
                    ("Email address: ", "ox@example.com\n"), ("Age: ", "\n"), ("Send me news [y/N] ", "\n"),
                    ("your own question: ", "1\n"),
                    ("Answer to What was the name of your first pet?: ", "Flea\n"),
                    ("Do you accept these terms (version 1.0)? [y/N] ", "y\n"),
                ],
                signIn.journey("Registration"),
                environment: signIn.environment()
            )
            #expect(status == 0, "\(screen)")
            #expect(screen.contains("Signed in as oxen"))
        }
    }

    @Test func `A choice is made by its text or number, and another answer is refused with the choices`() async throws {
        let trees = """
            {"Choice": {"start": "name", "nodes": {
              "name": {"type": "username", "next": "choose"},
              "choose": {"type": "choice", "prompt": "Tea?", "choices": ["Green", "Black", "None"], "default": "Black",
                "next": {"Green": "success", "Black": "success", "None": "failure"}}
            }}}
            """
        try await SignIn.with({ $0.useTrees(trees) }) { signIn in
            for (choice, status) in [("green", 0), ("2", 0), ("None", 67), ("3", 67)] as [(String, Int32)] {
                let words = ["--answer", "name=alice", "--answer", "choice=\(choice)", "--force-auth"]
                let outcome = try await signIn.run(signIn.journey("Choice", words))
                #expect(outcome.status == status, "\(outcome.errors)")
            }
            let wrong = try await signIn.run(
                signIn.journey("Choice", ["--answer", "name=alice", "--answer", "Tea?=Mint", "--force-auth"])
            )
            #expect(wrong.status == 2)
            #expect(
                wrong.errors.contains(#""Mint" is not a choice for "Tea?"; the choices are "Green", "Black", "None""#)
            )
            let (status, screen) = try await Tool.typing(
                [("User Name: ", "alice\n"), ("Number [2]: ", "7\n"), ("from 1 to 3.", ""), ("Number [2]: ", "\n")],
                signIn.journey("Choice", ["--force-auth"]),
                environment: signIn.environment()
            )
            #expect(status == 0, "\(screen)")
            #expect(screen.contains("Tea?\n  1  Green\n  2  Black\n  3  None\n"))
        }
    }

    @Test func `The command waits while the server demands it, and shows the server's text`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(signIn.journey("Waiting", SignIn.alice))
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("Please wait. …\n"), "\(outcome.errors)")
        }
    }

    @Test func `A wait that exceeds --timeout ends with 28`() async throws {
        let trees = """
            {"Endless": {"start": "wait", "nodes": {"wait": {"type": "polling", "wait": 100, "polls": 100, "next": "success"}}}}
            """
        try await SignIn.with({ $0.useTrees(trees) }) { signIn in
            let outcome = try await signIn.run(signIn.journey("Endless", ["--timeout", "0.5"]))
            #expect(outcome.status == 28)
            #expect(outcome.errors.contains("--timeout"), "\(outcome.errors)")
        }
    }

    @Test func `Callbacks of unknown types, and hidden values, are answered by the names of their inputs`() async throws
    {
        let trees = """
            {"Odd": {"start": "odd", "nodes": {
              "odd": {"type": "callbacks", "callbacks": [
                {"type": "RiddleCallback", "output": {"prompt": "Why?"}, "input": {"": "", "depth": 1}},
                {"type": "HiddenValueCallback", "output": {"id": "colour", "value": ""}, "input": {"": ""}}
              ], "next": "name"},
              "name": {"type": "username", "next": "success"}
            }}}
            """
        try await SignIn.with({ $0.useTrees(trees) }) { signIn in
            let words = ["IDToken1=a raven", "IDToken1depth=2", "colour=red", "name=alice"].flatMap {
                ["--answer", $0]
            }
            let outcome = try await signIn.run(signIn.journey("Odd", words))
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func `A device profile is collected, with the same identifier each time`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run(signIn.journey("DeviceProfile", SignIn.alice))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let device = try signIn.file("device")
            #expect(try await signIn.run(signIn.journey("DeviceProfile", SignIn.alice + ["--force-auth"])).status == 0)
            #expect(try signIn.file("device") == device)
        }
    }

    @Test func `A realm has its own sessions, and the name localhost is replaced by that of the server`() async throws {
        try await SignIn.with { signIn in
            let words = ["--realm", "alpha", "--profile", "alpha"] + SignIn.alice
            let alpha = try await signIn.run(signIn.journey("Login", words))
            #expect(alpha.status == 0, "\(alpha.errors)")
            #expect(alpha.errors.contains("\(signIn.base)/oauth2/realms/root/realms/alpha"))
            #expect(try await signIn.run("session", "--profile", "alpha").text.contains("realm   /alpha\n"))
            let local = signIn.base.replacing("127.0.0.1", with: "localhost")
            let named = try await signIn.run(["login", "--journey", "Login", "--server", local] + SignIn.alice)
            #expect(named.status == 0, "\(named.errors)")
            #expect(named.errors.contains("at \(signIn.base)/oauth2/realms/root."))
        }
    }

    @Test func `A login of another client ends the previous session and its tokens`() async throws {
        try await SignIn.with { signIn in
            try await signIn.byTree()
            let (session, token) = (try signIn.sessionToken(), try await signIn.accessToken())
            try await signIn.asAlice()
            #expect(try await signIn.accepts(session: session) == false)
            #expect(try await signIn.accepts(accessToken: token) == false)
            #expect(try signIn.home.appendingPathComponent("default").names.contains("session") == false)
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            let browser = try await signIn.accessToken()
            try await signIn.byTree()
            #expect(try await signIn.accepts(accessToken: browser) == false)
        }
    }

    #if os(Linux)
    @Test func `The process list does not show the answers of a running login`() async throws {
        let trees = """
            {"Slow": {"start": "ask", "nodes": {
              "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "wait"},
              "wait": {"type": "polling", "wait": 60000, "next": "success"}
            }}}
            """
        try await SignIn.with({ $0.useTrees(trees) }) { signIn in
            let tool = try signIn.start(signIn.journey("Slow", SignIn.alice))
            _ = try await tool.errors(containing: "Please wait.")
            let line = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(tool.identifier)/cmdline"))
            let shown = String(decoding: line, as: UTF8.self)
            #expect(shown.contains("--answer\0password=**********\0") || shown.hasSuffix("password=**********\0"))
            #expect(!shown.contains("wonderland"))
            tool.interrupt()
            #expect(try await tool.outcome().status == -SIGINT)
        }
    }
    #endif
}
