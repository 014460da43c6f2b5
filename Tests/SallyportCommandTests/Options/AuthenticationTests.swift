import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct AuthenticationTests {
    @Test(arguments: ["", "?algorithm=MD5"])
    func `The option --digest authenticates with the algorithm that the server offers`(query: String) async throws {
        try await withGateway { base in
            let url = base + "/digest/ada/a:b" + query
            let right = try await Tool.run("get", url, "-u", "ada:a:b", "--digest", "--fail", "-v")
            #expect(right.status == 0, "\(right.errors)")
            #expect(right.text.contains("\"authenticated\" : true"))
            #expect(right.errors.contains("> Authorization: ***"))
            #expect(!right.errors.contains("a:b\"") && !right.errors.contains("response="))
            #expect(try await Tool.run("get", url, "-u", "ada:wrong", "--digest", "--fail").status == 22)
            #expect(try await Tool.run("get", url, "-u", "ada:a:b", "--fail").status == 22)
        }
    }

    @Test func `The option --digest sends a body again and is refused with standard input`() async throws {
        try await withGateway { base in
            let call = ["post", base + "/digest/ada/secret", "-u", "ada:secret", "--digest", "--fail", "--body"]
            #expect(try await Tool.run(call + ["text"]).status == 0)
            let refused = try await Tool.run(call + ["@-"], input: Data("text".utf8))
            #expect(refused.status == 2)
            #expect(refused.errors.contains("only once"))
        }
    }

    @Test func `Basic authentication is the default for --user, and an Authorization header replaces it`() async throws
    {
        try await withGateway { base in
            for option in [["--basic"], []] {
                let arguments = ["get", base + "/basic/ada/secret", "-u", "ada:secret", "--fail"] + option
                let outcome = try await Tool.run(arguments)
                #expect(outcome.status == 0)
            }
            let own = ["get", base + "/echo", "-u", "ada:secret", "-H", "Authorization: Bearer mine"]
            let echo = try await Tool.run(own).echo
            #expect(echo.headers["authorization"] == ["Bearer mine"])
        }
    }

    @Test func `Credentials of --user are sent after a redirect within the origin but not to another origin`()
        async throws
    {
        try await withGateway { base in
            for (location, headers) in [(base, 1), (base.replacing("127.0.0.1", with: "localhost"), 0)] {
                let url = base + "/redirect-to?url=\(location)/echo"
                let outcome = try await Tool.run("get", url, "-u", "ada:secret", "--follow", "1")
                let received = try outcome.echo.headers["authorization"] ?? []
                #expect(received.count == headers, "\(location)")
            }
        }
    }

    @Test func `The options --curl --digest print curl's own options, with credentials only if secrets are shown`()
        async throws
    {
        let call = ["get", "http://example.com/", "-u", "ada:it's", "--digest", "--curl"]
        #expect(try await Tool.run(call).text == "curl \(commonHeaders)http://example.com/ --digest --user '***'\n")
        let text = try await Tool.run(call + ["--show-secrets"]).text
        #expect(text.hasSuffix(#" --digest --user 'ada:it'\''s'"# + "\n"))
    }

    private var commonHeaders: String { "--header 'User-Agent: sallyport/0.1.0' " }
}
