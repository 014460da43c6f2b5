import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct SuspendedLoginTests {
    /// Begins the tree that sends a link, and returns the link.
    private func link(_ signIn: SignIn, _ more: [String] = []) async throws -> String {
        let outcome = try await signIn.run(signIn.journey("MagicLink", ["--answer", "name=alice"] + more))
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("An email has been sent to your address."), "\(outcome.errors)")
        #expect(outcome.errors.contains("sallyport login --resume 'LINK'"), "\(outcome.errors)")
        return try #require(await signIn.identity.inbox.first?.link)
    }

    @Test func `A suspended login continues with its link in a later process, without other options`() async throws {
        try await SignIn.with { signIn in
            let link = try await link(signIn, ["--scope", "openid api"])
            #expect(try await signIn.run("profiles").text.isEmpty)
            let outcome = try await signIn.run("login", "--resume", link)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Signed in as alice"))
            #expect(try await signIn.run("get", signIn.protected, "--auth", "--fail").status == 0)
            #expect(try signIn.home.appendingPathComponent("default").names.contains("suspended.json") == false)
            let again = try await signIn.run("login", "--resume", link)
            #expect(again.status == 67)
            #expect(again.errors.contains("the link has expired or was used before"), "\(again.errors)")
        }
    }

    @Test func `A suspended first login is named by other commands, and discarded by logout --local`() async throws {
        try await SignIn.with { signIn in
            let link = try await link(signIn)
            for words in [["session"], ["logout"], ["login"]] {
                let outcome = try await signIn.run(words)
                #expect(outcome.status == 67)
                let problem = "the first login of the profile default is suspended"
                #expect(outcome.errors.contains(problem), "\(outcome.errors)")
            }
            let other = try await signIn.run("login", "--resume", link, "--profile", "other")
            #expect(other.status == 2)
            #expect(other.errors.contains("no login of the profile other is suspended"), "\(other.errors)")
            let discarded = try await signIn.run("logout", "--local")
            #expect(discarded.status == 0)
            #expect(discarded.errors == "The suspended login of the profile default was discarded.\n")
            #expect(try await signIn.run("login", "--resume", link).status == 2)
        }
    }

    @Test func `The previous login is unchanged until the suspended one is complete`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice()
            let (profile, tokens) = (try signIn.file("profile.json"), try signIn.file("tokens"))
            let link = try await link(signIn)
            #expect(try signIn.file("profile.json") == profile)
            #expect(try signIn.file("tokens") == tokens)
            let token = try await signIn.accessToken()
            #expect(try await signIn.run("login", "--resume", link).status == 0)
            #expect(try await signIn.accepts(accessToken: token) == false)
        }
    }

    @Test func `A link to another server is refused, and nothing is sent`() async throws {
        try await SignIn.with { signIn in
            let link = try await link(signIn)
            try await withScriptedServer([]) { server in
                let forged = link.replacing(signIn.base, with: "http://\(server.authority)")
                let outcome = try await signIn.run("login", "--resume", forged)
                #expect(outcome.status == 67)
                #expect(outcome.errors.contains("nothing was sent"), "\(outcome.errors)")
                #expect(server.acceptedConnections == 0)
            }
            #expect(try await signIn.run("login", "--resume", "\(signIn.base)/journeys/resume").status == 2)
            #expect(try await signIn.run("login", "--resume", link).status == 0)
        }
    }
}
