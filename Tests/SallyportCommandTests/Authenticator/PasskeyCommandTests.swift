import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PasskeyCommandTests {
    private static let pin = ["--answer", "pin=2580"]

    @Test func `A passkey that a tree registers signs the user in without a name and a password`() async throws {
        try await SignIn.with { signIn in
            let registered = try await signIn.run(signIn.journey("RegisterPasskey", SignIn.alice + Self.pin))
            #expect(registered.status == 0, "\(registered.errors)")
            #expect(try await signIn.run("logout").status == 0)
            let used = try await signIn.run(signIn.journey("Passkey", Self.pin))
            #expect(used.status == 0, "\(used.errors)")
            #expect(used.errors.contains("Signed in as alice"))
            let json = try await signIn.run("passkey", "list", "--json")
            #expect(
                json.text.contains("\"kind\" : \"passkey\"") && json.text.contains("\"signatures\" : 1"),
                "\(json.text)"
            )
            let list = try await signIn.run("passkey", "list")
            #expect(list.text.contains("  alice at 127.0.0.1  created 2"), "\(list.text)")
            #expect(list.text.hasSuffix(", 1 signature\n"))
            let id = String(try #require(list.text.split(separator: " ").first))
            let removed = try await signIn.run("passkey", "remove", id)
            #expect(removed.errors == "Removed the passkey of alice at 127.0.0.1.\n")
            #expect(try await signIn.run("passkey", "list").text.isEmpty)
            let missing = try await signIn.run("passkey", "remove", id)
            #expect(missing.status == 2)
            #expect(missing.errors.contains("there is no passkey \"\(id)\""))
        }
    }

    @Test
    func `Without a terminal, a missing PIN ends the login with 2, and a wrong one with 67 and the attempts left`()
        async throws
    {
        try await SignIn.with { signIn in
            let missing = try await signIn.run(signIn.journey("RegisterPasskey", SignIn.alice))
            #expect(missing.status == 2)
            #expect(missing.errors.contains("New PIN for your passkeys"), "\(missing.errors)")
            #expect(missing.errors.contains("the line pin=…"))
            #expect(try await signIn.run(signIn.journey("RegisterPasskey", SignIn.alice + Self.pin)).status == 0)
            #expect(try await signIn.run("logout").status == 0)
            let wrong = try await signIn.run(signIn.journey("Passkey", ["--answer", "pin=0000"]))
            #expect(wrong.status == 67)
            #expect(wrong.errors.contains("the PIN is wrong; attempts left: 7"), "\(wrong.errors)")
            let declined = try await signIn.run(signIn.journey("Passkey", ["--answer", "passkey=no"]))
            #expect(declined.status == 67)
            #expect(try await signIn.run(signIn.journey("Passkey", Self.pin)).status == 0)
        }
    }

    @Test func `On a terminal, the user chooses a PIN, and enters it again after a wrong one`() async throws {
        try await SignIn.with { signIn in
            let first = try await Tool.typing(
                [
                    ("User Name: ", "alice\n"), ("Password: ", "wonderland\n"),
                    ("New PIN for your passkeys, at least 4 characters: ", "2580\n"),
                    ("The same PIN again: ", "2580\n"),
                ],
                signIn.journey("RegisterPasskey"),
                environment: signIn.environment()
            )
            #expect(first.status == 0, "\(first.screen)")
            let second = try await Tool.typing(
                [
                    ("Sign in to 127.0.0.1 as alice? [Y/n] ", "\n"), ("PIN of your passkeys: ", "1111\n"),
                    ("sallyport: the PIN is wrong; attempts left: 7\nPIN of your passkeys: ", "2580\n"),
                ],
                signIn.journey("Passkey", ["--force-auth"]),
                environment: signIn.environment()
            )
            #expect(second.status == 0, "\(second.screen)")
            #expect(!(first.screen + second.screen).contains("2580"))
            // An answer is used for the operation once, and a wrong PIN does not use it up.
            let third = try await Tool.typing(
                [("PIN of your passkeys: ", "1111\n"), ("attempts left: 7\nPIN of your passkeys: ", "2580\n")],
                signIn.journey("Passkey", ["--force-auth", "--answer", "passkey=yes"]),
                environment: signIn.environment()
            )
            #expect(third.status == 0, "\(third.screen)")
        }
    }

    @Test func `After eight wrong PINs, the error names the command that removes the passkeys`() async throws {
        try await SignIn.with { signIn in
            let profile = ["--profile", "pk", "--force-auth"]
            let words = signIn.journey("RegisterPasskey", SignIn.alice + Self.pin + profile)
            #expect(try await signIn.run(words).status == 0)
            let wrong = signIn.journey("Passkey", ["--answer", "pin=0000"] + profile)
            for attemptsLeft in (1...7).reversed() {
                let outcome = try await signIn.run(wrong)
                #expect(outcome.errors.contains("attempts left: \(attemptsLeft)"), "\(outcome.errors)")
            }
            let blocked = try await signIn.run(wrong)
            #expect(blocked.status == 67)
            #expect(blocked.errors.contains("sallyport passkey remove --all --profile pk"), "\(blocked.errors)")
            #expect(try await signIn.run("passkey", "remove", "--all", "--profile", "pk").status == 0)
            #expect(try await signIn.run(words).status == 0)
        }
    }

    @Test func `A second passkey for an account is refused with the reason`() async throws {
        try await SignIn.with { signIn in
            let words = signIn.journey("RegisterPasskey", SignIn.alice + Self.pin + ["--force-auth"])
            #expect(try await signIn.run(words).status == 0)
            let again = try await signIn.run(words)
            #expect(again.status == 67)
            let problem = "sallyport: the profile default already has a passkey of alice at 127.0.0.1; to replace it, "
            let advice = "remove it first: sallyport passkey remove alice\n"
            #expect(again.errors.contains(problem + advice), "\(again.errors)")
        }
    }

    @Test func `The option --all removes all keys and the PIN`() async throws {
        try await SignIn.with { signIn in
            #expect(try await signIn.run(signIn.journey("RegisterPasskey", SignIn.alice + Self.pin)).status == 0)
            #expect(try await signIn.run("passkey", "remove").status == 2)
            #expect(try await signIn.run("passkey", "remove", "--all").status == 0)
            let list = try await signIn.run("passkey", "list")
            #expect(list.text.isEmpty)
            #expect(list.errors.contains("has no passkeys"))
        }
    }

    @Test func `With SALLYPORT_STORE_KEY, the passkeys are encrypted`() async throws {
        let key = ["SALLYPORT_STORE_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        try await SignIn.with { signIn in
            let words = signIn.journey("RegisterPasskey", SignIn.alice + Self.pin)
            let outcome = try await signIn.run(words, environment: key)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try signIn.file("passkeys").contains("A256GCM"))
            #expect(try signIn.file("session").contains("A256GCM"))
            let missing = try await signIn.run("passkey", "list")
            #expect(missing.status == 26)
            let advice = "give the store its key: set SALLYPORT_STORE_KEY or SALLYPORT_STORE_KEY_FILE to the key\n"
            #expect(missing.errors.hasSuffix(advice), "\(missing.errors)")
            #expect(try await signIn.run("passkey", "list", environment: key).status == 0)
        }
    }
}
