import ArgumentParser
import TestSupport
import Testing

@testable import SallyportCommand

private protocol AnyOptionGroup { static var content: any ParsableArguments.Type { get } }

extension OptionGroup: AnyOptionGroup { fileprivate static var content: any ParsableArguments.Type { Value.self } }

@Suite(.concurrencyLimited) struct HelpTests {
    @Test func `The option --version prints the version and the content codings`() async throws {
        let outcome = try await Tool.run("--version")
        #expect(outcome.status == 0)
        #if Compression && os(Linux)
        let codings = "gzip, deflate, br, zstd"
        #else
        let codings = "gzip, deflate (br and zstd need a build for Linux with --traits default,Compression)"
        #endif
        #expect(outcome.text == "0.1.0\nContent codings: \(codings)\n")
    }

    @Test(
        arguments: [
            ["--help"], ["get", "--help"], ["help", "serve"], [], ["download", "--help"], ["help", "upload"],
            ["cache", "--help"], ["queue", "--help"], ["queue", "add", "--help"], ["queue", "watch", "--help"],
            ["login", "--help"],
            ["session", "--help"], ["passkey", "--help"], ["push", "approve", "--help"], ["otp", "--help"],
            ["device", "--help"], ["resource", "get", "--help"],
        ]
    )
    func `Help is printed to standard output`(arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("USAGE: sallyport"))
        #expect(outcome.errors.isEmpty)
    }

    @Test func `Option groups are nested at most twice, because debug builds evaluate them exponentially`() {
        func depth(of type: any ParsableArguments.Type) -> Int {
            Mirror(reflecting: type.init()).children
                .compactMap { (Swift.type(of: $0.value) as? any AnyOptionGroup.Type).map { 1 + depth(of: $0.content) } }
                .max() ?? 0
        }
        let depths = Self.commands(of: SallyportTool.self).map { depth(of: $0) }
        #expect(depths.max() == 2)
    }

    private static func commands(of root: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [root] + root.configuration.subcommands.flatMap { commands(of: $0) }
    }

    @Test func `The texts of commands have no gaps, as after a line that was not continued`() {
        for command in Self.commands(of: SallyportTool.self) {
            let text = command.configuration.abstract + "\n" + command.configuration.discussion
            // Indented lines can be examples in columns.
            let prose = text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
            #expect(prose.allSatisfy { !$0.contains(/\S {3,}\S/) }, "\(command)")
        }
    }

    @Test func `The examples of commands fit into 80 columns, so that they can be copied`() {
        for command in Self.commands(of: SallyportTool.self) {
            for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix("  sallyport ") {
                #expect(line.count < 80, "\(line)")
            }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `Completions are printed for three shells`(shell: String) async throws {
        let outcome = try await Tool.run("completions", shell)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("cookie-jar"))
        #expect(outcome.text.contains("max-filesize") && outcome.text.contains("digest-auth"))
        // The script for bash has an addition at its end.
        let generated = try await Tool.run("--generate-completion-script", shell).output
        #expect(shell == "bash" ? outcome.output.starts(with: generated) : outcome.output == generated)
    }

    @Test(
        arguments: [
            (["frobnicate"], "frobnicate"),
            (["get"], "url"),
            (["get", "http://example.com", "--frobnicate"], "--frobnicate"),
            (["get", "http://example.com", "-u", "alice"], "no password for alice"),
            (["get", "http://example.com", "--digest"], "--user"),
            (["get", "http://example.com", "-u", "a:b", "--digest", "--basic"], "Only one"),
            (["get", "http://example.com", "-u", "a\u{7}:b"], "control character"),
            (["get", "http://example.com", "-u", "a:b\u{7}", "--digest"], "control character"),
            (["get", "http://example.com", "-H", "no-colon"], "Name: value"),
            (["get", "http://example.com", "--query", "no-equals"], "name=value"),
            (["get", "http://example.com", "--resolve", "example.com:80"], "host:port:address"),
            (["get", "http://example.com", "--resolve", "example.com:80:localhost"], "localhost"),
            (["get", "http://example.com", "--timeout", "0"], "--timeout"),
            (["get", "http://example.com", "--timeout", "nan"], "--timeout"),
            (["get", "http://example.com", "--follow", "-1"], "--follow"),
            (["get", "http://example.com", "--transport", "pigeon"], "pigeon"),
            (["get", "http://example.com", "--key", "client.key"], "--cert"),
            (["post", "http://example.com", "--body", "a", "--json", "{}"], "Only one"),
            (["post", "http://example.com", "--json", "{'a': 1}"], "JSON"),
            (["completions", "tcsh"], "tcsh"),
        ] as [([String], String)]
    )
    func `A usage error ends with 2 and names the problem`(arguments: [String], words: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words))
        #expect(outcome.output.isEmpty)
    }

    @Test func `A usage error masks secrets in the arguments, and not in the help text`() async throws {
        let outcome = try await Tool.run([
            "download", "https://ada:canary-password@example.com/", "--digest", "sha-256=00",
            "--output=x?token=canary-token",
            "https://ada:canary-password@example.com/x", "surplus",
        ])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--digest <algorithm=digest>"))
        #expect(!outcome.errors.contains("canary"))
    }
}
