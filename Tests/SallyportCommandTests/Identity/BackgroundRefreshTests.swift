import Foundation
import TestSupport
import Testing

/// Tokens that are still valid when the command starts, but expire soon.
@Suite(.concurrencyLimited) struct BackgroundRefreshTests {
    @Test func `A request uses valid tokens, and the tokens that replace them are stored before the command ends`()
        async throws
    {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base)
            try signIn.setTokens(expiringIn: 30)
            let before = try signIn.file("tokens")
            let outcome = try await signIn.run("get", signIn.protected, "--auth", "--stages")
            #expect(outcome.text.contains("\"alice\""), "\(outcome.errors)")
            #expect(await signIn.grants("refresh_token") == 1)
            #expect(try signIn.file("tokens") != before)
            #expect(try await signIn.run("get", signIn.protected, "--auth").status == 0)
            #expect(await signIn.grants("refresh_token") == 1)
        }
    }

    @Test func `If the server refuses the refresh, a request with valid tokens succeeds`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base)
            try signIn.setTokens(expiringIn: 30)
            await signIn.identity.revokeEverything()
            let outcome = try await signIn.run("get", signIn.base + "/echo", "--auth")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `The command token prints the new token if it arrives in time`() async throws {
        try await SignIn.with { signIn in
            try await signIn.asAlice("--api", signIn.base)
            let old = try await signIn.run("token").text
            try signIn.setTokens(expiringIn: 30)
            let new = try await signIn.run("token").text
            #expect(new.count > 20 && new != old)
            #expect(await signIn.grants("refresh_token") == 1)
        }
    }
}
