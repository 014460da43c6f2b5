import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct LoginUsageTests {
    private static let server = ["--issuer", "https://id.example.com", "--client-id", "cli"]
    private static let tree = ["--journey", "Login", "--server", "https://am.example.com/am", "--client-id", "cli"]

    @Test(
        arguments: [
            ([], "--issuer and --client-id"),
            (["--issuer", "https://id.example.com"], "--issuer and --client-id"),
            (server + ["--flow", "pigeon"], "client-credentials"),
            (server + ["--profile", "../other"], "--profile"),
            (server + ["--timeout", "0"], "--timeout"),
            (server + ["--timeout", "nan"], "--timeout"),
            (server + ["--api", "example"], "--api"),
            (server + ["--api", "http://api.example.com"], "https"),
            (server + ["--redirect-uri", "https://example.com/cb"], "http://127.0.0.1"),
            (server + ["--flow", "exchange"], "--subject-token"),
            (server + ["--subject-token", "file"], "--flow exchange"),
            (server + ["--flow", "client-credentials"], "--client-secret-file"),
            (server + ["--client-secret-file", "a", "--private-key", "b"], "Only one"),
            (server + ["--client-secret-post"], "--client-secret-file"),
            (server + ["--key-id", "a"], "--private-key"),
            (server + ["--key-algorithm", "ES256"], "--private-key"),
            (server + ["--flow", "exchange", "--subject-token", "-", "--client-secret-file", "-"], "standard input"),
            (server + ["--private-key", "file", "--key-algorithm", "HS256"], "ES256"),
            (server + ["--parameter", "prompt"], "name=value"),
            (server + ["--clock-skew", "-1"], "--clock-skew"),
            (server + ["--clock-skew", "nan"], "--clock-skew"),
            (server + ["--clock-skew", "86401"], "--clock-skew"),
            (server + ["--issuer-template", "https://id.example.com/v2.0"], "{tenantid}"),
            (["--issuer", "id.example.com", "--client-id", "cli"], "https://id.example.com"),
            (["--issuer", "http://id.example.com", "--client-id", "cli"], "https"),
            (["--journey", "Login"], "--server"),
            (["--journey", "Login", "--server", "https://am.example.com/am"], "--client-id"),
            (["--journey", "Login", "--server", "http://am.example.com/am"], "https"),
            (tree + ["--resume", "https://am.example.com/"], "Only one of --journey and --resume"),
            (tree + ["--flow", "device"], "--flow device"),
            (tree + ["--answer", "alice"], "name=value"),
            (tree + ["--realm", "../alpha"], "realmPath"),
            (tree + ["--no-revoke"], "--no-revoke"),
            (tree + ["--answers", "-", "--client-secret-file", "-"], "standard input"),
            (["--flow", "journey", "--server", "https://am.example.com/am", "--client-id", "cli"], "--journey"),
            (server + ["--answer", "name=alice"], "--answer needs --journey"),
            (server + ["--realm", "alpha"], "--realm needs --journey"),
        ] as [([String], String)]
    )
    func `A login with invalid options ends with 2 and names the problem`(arguments: [String], words: String)
        async throws
    {
        try await withTemporaryDirectory { home in
            let environment = Tool.environment(home: home)
            let outcome = try await Tool.run(["login"] + arguments, environment: environment)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(try home.names.isEmpty)
        }
    }

    @Test func `Identifiers can begin with a hyphen`() throws {
        let login = try LoginOptions.parse([
            "--client-id", "-abc", "--private-key", "file", "--key-id", "-s", "--audience", "--dpop",
        ])
        #expect([login.clientID, login.keyID, login.audience] == ["-abc", "-s", "--dpop"])
        #expect(login.scope.isEmpty && login.dpop == nil)
    }

    @Test(arguments: ["", "none"])
    func `A missing or empty file ends the login with 26 and is named`(content: String) async throws {
        try await withTemporaryDirectory { home in
            let file = home.appendingPathComponent("file").path
            if content.isEmpty { _ = try home.file("file", "\n") }
            for words in [
                ["--client-secret-file", file], ["--private-key", file],
                ["--flow", "exchange", "--subject-token", file],
            ] {
                let outcome = try await Tool.run(
                    ["login"] + Self.server + words,
                    environment: ["SALLYPORT_HOME": home.appendingPathComponent("home").path]
                )
                #expect(outcome.status == 26, "\(outcome.errors)")
                #expect(outcome.errors.contains(file))
            }
        }
    }
}
