import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CurlTests {
    @Test func `The option --curl prints a command with masked secrets and sends nothing`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            let outcome = try await Tool.run(
                "put",
                "http://\(server.authority)/a?token=s3cret",
                "--curl",
                "-u",
                "ada:s3cret",
                "--json",
                "{\"password\":\"s3cret\"}",
                "--compressed",
                "--follow",
                "3",
                "-i"
            )
            #expect(outcome.status == 0)
            #expect(outcome.text.hasPrefix("curl --request PUT "))
            #expect(!outcome.text.contains("s3cret"))
            for words in ["--location --max-redirs 3", "--compressed", "--include", "token=***"] {
                #expect(outcome.text.contains(words))
            }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `The options --curl --show-secrets print a complete command`() async throws {
        let outcome = try await Tool.run(
            "post",
            "http://example.com/a",
            "--curl",
            "--show-secrets",
            "-u",
            "ada:it's",
            "--form",
            "a=b c",
            "--form",
            "f=@/etc/hosts;type=text/x",
            "--resolve",
            "example.com:80:127.0.0.1",
            "--timeout",
            "5",
            "-o",
            "my file"
        )
        for words in [
            "'Authorization: Basic YWRhOml0J3M='", "--form-string 'a=b c'", "--form 'f=@/etc/hosts;type=text/x'",
            "--resolve example.com:80:127.0.0.1", "--max-time 5", "--output 'my file'", "http://example.com/a",
        ] {
            #expect(outcome.text.contains(words), "\(words) in \(outcome.text)")
        }
        #expect(
            try await Tool.run("get", "http://example.com", "-H", "a: it's", "--curl").text.contains(#"'a: it'\''s'"#)
        )
    }
}
