import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct BadInputTests {
    @Test(
        arguments: [
            (["get", "http://a.test/", "--user", ""], "--user needs a name"),
            (["get", "http://a.test/", "--cookie-jar", ""], "--cookie-jar needs the name of a file"),
            (["get", "http://a.test/", "--auth="], "write --auth=<profile>, or --auth alone"),
            (["login", "--issuer", "https://a.test", "--client-id", ""], "--client-id needs the identifier"),
            (["token", "--profile", "../x"], "it must be a name of letters, digits, hyphens, underscores and dots"),
        ]
    )
    func `An empty or invalid value of an option is a usage error`(arguments: [String], words: String) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: ["--cacert", "--bearer-file"])
    func `A file without a name is refused`(option: String) async throws {
        let outcome = try await Tool.run("get", "http://a.test/", option, "")
        #expect(outcome.errors.contains("a file without a name cannot be read"), "\(outcome.errors)")
    }

    @Test func `A device without an end is not read as a secret`() async throws {
        let outcome = try await Tool.run("get", "https://a.test/", "--bearer-file", "/dev/zero")
        #expect(outcome.status == 26)
        #expect(
            outcome.errors.contains("the file /dev/zero cannot be read: it is longer than the limit of 1.0 MiB"),
            "\(outcome.errors)"
        )
    }

    @Test(
        arguments: [
            ("http://exa mple.com/", "exa mple"),
            ("ftp://example.com/", "ftp"),
            ("example.com/x", "https://example.com/x"),
            ("id.example.com:8080/x", "https://id.example.com:8080/x"),
            ("http://", "http://"),
            ("http://example.com:99999/", "99999"),
            ("https://ada:s3cret%FF@example.com/", "--user"),
            ("", "URL"),
        ]
    )
    func `An invalid URL ends with 3 and an error that names the problem`(_ url: String, words: String)
        async throws
    {
        let outcome = try await Tool.run("get", url)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(!outcome.errors.contains("s3cret"))
        #expect(outcome.output.isEmpty)
    }

    @Test(
        arguments: [
            ("https://localhost:1/", "other.example=", "no --pin applies to localhost"),
            ("http://localhost:1/", "localhost=", "https"),
            ("https://localhost:1/", "", "api.example.com=sha256"),
        ]
    )
    func `A pin that does not apply to the URL is refused before a request is sent`(
        _ url: String,
        host: String,
        words: String
    ) async throws {
        let pin = "sha256/" + Data(count: 32).base64EncodedString()
        let outcome = try await Tool.run("get", url, "--pin", host + pin)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `With --follow, a pin for another host is accepted`() async throws {
        try await withSilentPort { port in
            let pin = "other.example=sha256/" + Data(count: 32).base64EncodedString()
            let outcome = try await Tool.run("get", "https://127.0.0.1:\(port)/", "--follow", "1", "--pin", pin)
            #expect(outcome.status == 7, "\(outcome.errors)")
        }
    }

    @Test func `An invalid header is refused before a request is sent`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            for header in ["X-A: a\r\nX-B: b", "X-A: a\u{7}", "X A: a"] {
                let outcome = try await Tool.run("get", "http://\(server.authority)/", "-H", header)
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains("X"))
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: [("--body", "@"), ("--json", "@"), ("--form", "a=@")])
    func `An input file that cannot be read is refused before a request is sent`(option: String, prefix: String)
        async throws
    {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([[.stall]]) { server in
                for path in [folder.appendingPathComponent("missing").path, folder.path] {
                    let outcome = try await Tool.run("post", "http://\(server.authority)/", option, prefix + path)
                    #expect(outcome.status == 26, "\(outcome.errors)")
                    #expect(outcome.errors.contains(path))
                }
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test(arguments: ["a.test?b", "a.test#b", "a.test/b", "", "a b"])
    func `The command pins accepts only a host with an optional port`(server: String) async throws {
        #expect(try await Tool.run("pins", server).status == 3)
    }
}
