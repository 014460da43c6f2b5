import TestSupport
import Testing

@Suite(.concurrencyLimited) struct VerboseTests {
    @Test func `The option -v shows both heads, the connection and the times on standard error, with secrets masked`()
        async throws
    {
        try await withSecureGateway { base, authority in
            let outcome = try await Tool.run(
                "post",
                base + "/cookies/set?token=s3cret&plain=1",
                "-v",
                "--cacert",
                authority,
                "-u",
                "ada:s3cret",
                "--cookie",
                "sid=s3cret",
                "--json",
                "{\"password\": \"s3cret\"}"
            )
            #expect(!outcome.errors.contains("s3cret"))
            #expect(!outcome.errors.contains("YWRhOnMzY3JldA"))
            for line in [
                "> POST /cookies/set?token=***&plain=1\n", "> Host: 127.0.0.1:", "> Authorization: ***",
                "> Cookie: ***", "> Content-Type: application/json", "> Content-Length: 22",
                "* new connection, 127.0.0.1:", "TLSv1.3", "connect ", "first byte ", "< HTTP/1.1 ", "* body: ",
            ] {
                #expect(outcome.errors.contains(line), "\(line) in \(outcome.errors)")
            }
        }
    }

    @Test func `The option -v shows each redirect and trailers`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/redirect/2", "--follow", "2", "-v")
            #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("> GET /") } == 3)
            #expect(outcome.errors.contains("* reused connection"))
            let stream = try await Tool.run("get", base + "/stream/2", "-v")
            #expect(stream.errors.contains("< Repr-Digest: "))
            #expect(stream.text == "{\"line\":0}\n{\"line\":1}\n")
            #expect(stream.errors.contains("* body: 22 bytes in "))
        }
    }

    @Test func `The option -v shows informational responses and that a body of unknown length is sent in chunks`()
        async throws
    {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
        let final = "HTTP/1.1 204 No Content\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(hints + final)]]) { server in
            let arguments = ["post", "http://\(server.authority)/", "-v", "--body", "@-"]
            let outcome = try await Tool.run(arguments)
            #expect(outcome.errors.contains("> Transfer-Encoding: chunked"))
            #expect(outcome.errors.contains("\n< HTTP/1.1 103"))
            #expect(outcome.errors.contains("\n< Link: </style.css>\n<\n"))
            #expect(outcome.errors.contains("< HTTP/1.1 204 No Content\n<\n"))
        }
    }
}
