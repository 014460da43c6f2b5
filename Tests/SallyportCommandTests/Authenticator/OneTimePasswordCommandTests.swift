import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct OneTimePasswordCommandTests {
    /// The secret of the test vectors in RFC 4226, appendix D.
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    @Test func `One-time passwords are added, shown, listed and removed`() async throws {
        try await SignIn.with { signIn in
            let uri = "otpauth://hotp/Example:alice?secret=\(Self.secret)&issuer=Example"
            let added = try await signIn.run("otp", "add", "-", input: uri + "\n")
            #expect(added.errors == "Added alice at Example. Show a password with: sallyport otp\n")
            for password in ["755224", "287082"] {
                let outcome = try await signIn.run("otp")
                #expect(outcome.text == password + "\n")
                #expect(outcome.errors == "alice at Example\n")
            }
            let other = try await signIn.run("otp", "add", "-", "--profile", "other", input: uri)
            #expect(other.errors.hasSuffix("Show a password with: sallyport otp --profile other\n"), "\(other.errors)")
            let json = try await signIn.run("otp", "list", "--json")
            #expect(
                json.text.contains("\"account\" : \"alice\"") && json.text.contains("\"counter\" : 2"),
                "\(json.text)"
            )
            let list = try await signIn.run("otp", "list")
            #expect(list.text.hasSuffix("  alice at Example  6 digits by counter, next 2\n"), "\(list.text)")
            #expect(try await signIn.run("otp", "remove", "alice").errors == "Removed alice at Example.\n")
            let missing = try await signIn.run("otp")
            #expect(missing.status == 2)
            #expect(missing.errors == "sallyport: there is no account with one-time passwords\n")
        }
    }

    @Test func `Of several accounts, one is selected by its name, and its remaining time is shown`() async throws {
        try await SignIn.with { signIn in
            for name in ["alice", "bob"] {
                let uri = "otpauth://totp/Example:\(name)?secret=\(Self.secret)&issuer=Example"
                #expect(try await signIn.run("otp", "add", "-", input: uri).status == 0)
            }
            let outcome = try await signIn.run("otp", "code", "bob")
            #expect(outcome.text.wholeMatch(of: /[0-9]{6}\n/) != nil, "\(outcome.text)")
            #expect(outcome.errors.wholeMatch(of: /bob at Example, [0-9]+ s left\n/) != nil, "\(outcome.errors)")
            let several = try await signIn.run("otp")
            #expect(several.status == 2)
            #expect(several.errors.contains("alice at Example\n"), "\(several.errors)")
            #expect(several.errors.contains("bob at Example\n"))
            #expect(try await signIn.run("otp", "code", "example").errors.contains("more than one account"))
        }
    }

    @Test func `With a store key, an account that is not encrypted is refused with the way to use it`() async throws {
        try await SignIn.with { signIn in
            let uri = "otpauth://totp/Example:alice?secret=\(Self.secret)&issuer=Example"
            #expect(try await signIn.run("otp", "add", "-", input: uri).status == 0)
            let key = ["SALLYPORT_STORE_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
            let refused = try await signIn.run("otp", environment: key)
            #expect(refused.status == 26)
            let advice = "; enroll again, or use it without SALLYPORT_STORE_KEY and SALLYPORT_STORE_KEY_FILE\n"
            #expect(refused.errors.hasSuffix(advice), "\(refused.errors)")
            #expect(try await signIn.run("otp").status == 0)
            let malformed = try await signIn.run("otp", environment: ["SALLYPORT_STORE_KEY": "no key!"])
            #expect(malformed.status == 26)
            let problem =
                "sallyport: the key in SALLYPORT_STORE_KEY cannot be used: the key of a store is not in base64;"
            #expect(malformed.errors.hasPrefix(problem), "\(malformed.errors)")
            #expect(!malformed.errors.contains("logout"))
        }
    }

    @Test func `A URI that is not accepted is named without its secret`() async throws {
        try await SignIn.with { signIn in
            let outcome = try await signIn.run("otp", "add", "otpauth://totp/alice?secret=\(Self.secret)&digits=7")
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("digits"))
            #expect(!outcome.errors.contains(Self.secret))
            let other = try await signIn.run("otp", "add", "https://example.com/")
            #expect(other.status == 2)
        }
    }

    @Test func `A tree's code is shown with the command for the profile, and the URI is not part of it`() async throws {
        try await SignIn.with { signIn in
            let words = SignIn.alice + ["--profile", "other"]
            let outcome = try await signIn.run(signIn.journey("OneTimePassword", words))
            let code = outcome.errors.firstMatch(of: /\nsallyport otp add - --profile other\notpauth:\S+\n/)
            #expect(code != nil, "\(outcome.errors)")
        }
    }

    @Test func `The account of a tree is added by its code, and its password completes the login`() async throws {
        try await SignIn.with { signIn in
            let wrong = signIn.journey("OneTimePassword", SignIn.alice + ["--answer", "One Time Password=000000"])
            let first = try await signIn.run(wrong)
            // The tree asks again, and there is no other answer.
            #expect(first.status == 67)
            #expect(first.errors.contains("the server asks again for \"One Time Password\""), "\(first.errors)")
            let uri = try #require(first.errors.firstMatch(of: /sallyport otp add -\n(\S+)/), "\(first.errors)").1
            #expect(try await signIn.run("otp", "add", "-", input: String(uri)).status == 0)
            let password = try await signIn.run("otp").text.trimmingCharacters(in: .newlines)
            let outcome = try await signIn.run(
                signIn.journey("OneTimePassword", SignIn.alice + ["--answer", "One Time Password=\(password)"])
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }
}
