import ArgumentParser
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ScopeArgumentTests {
    @Test func `An argument has one scope, or several that are separated by spaces`() throws {
        #expect(try ScopeArgument("openid").scopes == ["openid"])
        #expect(try ScopeArgument(" openid  api:read ").scopes == ["openid", "api:read"])
    }

    @Test(arguments: [
        ("", "must be a scope"), (" ", "must be a scope"), ("a b\"", "\"b\"\""), ("é", "\"é\""), ("a\tb", "a\\u{9}b"),
    ])
    func `An argument without a scope, or with invalid characters, is a usage error that names it`(
        argument: String,
        words: String
    ) throws {
        let error = #expect(throws: ValidationError.self) { try ScopeArgument(argument) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ["login", "--issuer", "https://id.example.com"], ["device", "register"],
        ["resource", "get", "/a", "--as", "device"],
    ])
    func `Each command with scopes refuses an empty one`(_ command: [String]) async throws {
        let outcome = try await Tool.run(command + ["--scope", ""])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("must be a scope"), "\(outcome.errors)")
    }
}
