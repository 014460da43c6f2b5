import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TraceTests {
    @Test func `The option --stages shows each stage's changes as a diff, for each redirect, with secrets masked`()
        async throws
    {
        let redirect =
            "HTTP/1.1 302 Found\r\nLocation: /b?token=s3cret\r\nSet-Cookie: sid=s3cret\r\nContent-Length: 0\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
        try await withScriptedServer([[.receiveRequest, .send(redirect), .receiveRequest, .send(final)]]) { server in
            let base = "http://\(server.authority)"
            let outcome = try await Tool.run("get", base + "/a", "--stages", "--follow", "1", "-u", "ada:s3cret")
            #expect(outcome.status == 0)
            #expect(outcome.text == "body")
            #expect(
                outcome.errors == """
                    GET \(base)/a
                    @ BasicAuthentication
                    + header Authorization: ***
                    > GET \(base)/a
                    < 302
                    @ redirects
                    ~ url \(base)/a -> \(base)/b
                    + query token=***
                    @ BasicAuthentication
                    + header Authorization: ***
                    @ cookies
                    + cookie sid=***
                    > GET \(base)/b?token=***
                    < 200

                    """
            )
        }
    }

    @Test func `No trace is shown without --stages`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/")
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `The option --stages shows the stages before a network failure and before a status that --fail refuses`()
        async throws
    {
        try await withScriptedServer([[.receiveRequest, .close]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--stages")
            #expect(outcome.status == 52)
            #expect(outcome.errors.contains("\n> GET http://\(server.authority)/\nsallyport: "))
        }
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/status/404", "--stages", "--fail")
            #expect(outcome.status == 22)
            #expect(outcome.errors.contains("\n< 404\nsallyport: "))
        }
    }

    @Test func `The option --stages is colored on a terminal, except with NO_COLOR or a dumb terminal`() async throws {
        try await withGateway { base in
            let colored = try await Tool.errorsOnTerminal(
                ["get", base + "/", "--stages", "-u", "ada:s3cret"],
                environment: ["TERM": "xterm", "NO_COLOR": ""]
            )
            #expect(colored.contains("\u{1B}[36m@ BasicAuthentication\u{1B}[0m"))
            #expect(colored.contains("\u{1B}[32m+ header Authorization: ***\u{1B}[0m"))
            #expect(colored.contains("\n> GET "))
            for environment in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb", "NO_COLOR": ""]] {
                let plain = try await Tool.errorsOnTerminal(
                    ["get", base + "/", "--stages", "-u", "ada:s3cret"],
                    environment: environment
                )
                #expect(plain.contains("+ header Authorization: ***"))
                #expect(!plain.contains("\u{1B}"))
            }
        }
    }
}
