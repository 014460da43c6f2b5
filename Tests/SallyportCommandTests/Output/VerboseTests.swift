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
                "* new connection, 127.0.0.1:", "TLSv1.3", "connect ", "sent ", "first byte ", "< HTTP/1.1 ",
                "* body: ",
            ] {
                #expect(outcome.errors.contains(line), "\(line) in \(outcome.errors)")
            }
        }
    }

    @Test func `The option -v shows the cipher suite and the certificates of new connections only`() async throws {
        try await withSecureGateway { base, authority in
            let url = base + "/redirect/1"
            let outcome = try await Tool.run("get", url, "--follow", "1", "-v", "--cacert", authority)
            let lines = outcome.errors.split(separator: "\n")
            #expect(
                lines.count { $0.hasPrefix("* cipher TLS_") && $0.contains(", key exchange ") } == 1,
                "\(outcome.errors)"
            )
            #expect(lines.contains { $0.hasPrefix("* certificate 1 of ") })
            #expect(lines.contains { $0.hasPrefix("*   names: ") && $0.contains("127.0.0.1") })
            #expect(lines.contains { $0.wholeMatch(of: /\*   valid: \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/) != nil })
            #expect(lines.contains { $0.hasPrefix("*   pin: sha256/") })
        }
    }

    @Test func `The option -v masks a secret that the server repeats`() async throws {
        let response =
            "HTTP/1.1 302 Found\r\nX-Echo: horsestaple 1 pass%2Fword\r\nLocation: /next?x=pass/word\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            let url = "http://\(server.authority)/?token=horsestaple"
            let outcome = try await Tool.run("post", url, "-v", "--json", #"{"password": "pass/word"}"#)
            #expect(outcome.errors.contains("< X-Echo: *** 1 ***\n< Location: /next?x=***\n"), "\(outcome.errors)")
        }
    }

    @Test(arguments: [["-H", "Authorization s3cret"], ["-HX-Api-Key s3cret"]])
    func `The error for a header without a colon does not quote it`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["get", "https://example.com"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("it must have the form 'Name: value'"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("s3cret"))
    }

    @Test func `The error for a header that is no value of an option does not quote its secret`() async throws {
        let outcome = try await Tool.run("get", "https://example.com", "X-Api-Key s3cret")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("unexpected argument \"X-Api-Key ***\""), "\(outcome.errors)")
    }

    @Test func `The option -v names the proxy, without its password`() async throws {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(response)]]) { proxy in
            let url = "http://ada:s3cret@\(proxy.authority)"
            let outcome = try await Tool.run("get", "http://example.invalid/", "-v", "--proxy", url)
            #expect(outcome.errors.contains(", proxy http://***@\(proxy.authority)\n"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("s3cret"))
        }
    }

    @Test func `The option -v shows a flag of CORS whose name resembles that of a secret`() async throws {
        let response =
            "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Credentials: true\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(response)]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "-v")
            #expect(outcome.errors.contains("< Access-Control-Allow-Credentials: true\n"))
            #expect(outcome.errors.contains("< Set-Cookie: ***\n"))
        }
    }

    @Test func `The option -v shows each redirect and trailers`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/redirect/2", "--follow", "2", "-v")
            #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("> GET /") } == 3)
            #expect(outcome.errors.split(separator: "\n").count { $0.hasPrefix("* redirected to ") } == 2)
            #expect(outcome.errors.contains("* reused connection"))
            let stream = try await Tool.run("get", base + "/stream/2", "-v")
            #expect(stream.errors.contains("< Repr-Digest: "))
            #expect(stream.text == "{\"line\":0}\n{\"line\":1}\n")
            #expect(stream.errors.contains("* body: 22 B in "))
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
