import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ContentTests {
    @Test func `headers are sent as they are given, twice if given twice, in place of those that would be made`()
        async throws
    {
        try await withGateway { base in
            let echo = try await Tool.run(
                "post",
                base + "/echo",
                "-H",
                "X-One: 1",
                "--header",
                "X-One:2",
                "-H",
                "content-type: text/x",
                "-H",
                "User-Agent: me",
                "--json",
                "{}"
            ).echo
            #expect(echo.headers["x-one"]?.joined(separator: ", ") == "1, 2")
            #expect(echo.headers["content-type"] == ["text/x"])
            #expect(echo.headers["user-agent"] == ["me"])
        }
    }

    @Test func `query parameters are escaped and follow those of the URL`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("get", base + "/echo?a=1", "-q", "b=2 & 3", "--query", "c=é=").echo
            #expect(echo.target == "/echo?a=1&b=2%20%26%203&c=%C3%A9%3D")
        }
    }

    @Test func `JSON is sent as it was written, from the command line, a file or standard input`() async throws {
        let text = "{\"b\": 1.0,\n \"a\": \"é\"}"
        try await withTemporaryDirectory { folder in
            let file = try folder.file("body.json", text)
            try await withGateway { base in
                for source in [text, "@" + file, "@-"] {
                    let outcome = try await Tool.run(["put", base + "/echo", "--json", source], input: Data(text.utf8))
                    #expect(try outcome.echo.body == text)
                    #expect(try outcome.echo.headers["content-type"] == ["application/json"])
                }
            }
        }
    }

    @Test func `form fields are escaped, in order, with the method of the verb`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("patch", base + "/echo", "--form", "b=1 + 1", "--form", "a=@x=y").echo
            #expect(echo.method == "PATCH")
            #expect(echo.body == "b=1+%2B+1&a=%40x%3Dy")
            #expect(echo.headers["content-type"] == ["application/x-www-form-urlencoded"])
        }
    }

    @Test func `parts are values and files, with types and file names`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("note.txt", "from a file")
            try await withGateway { base in
                let echo = try await Tool.run(
                    "post",
                    base + "/echo",
                    "--part",
                    "plain=a;b",
                    "--part",
                    "typed={};type=application/json",
                    "--part",
                    "file=@\(file)",
                    "--part",
                    "other=@\(file);filename=x.bin;type=image/x"
                ).echo
                #expect(echo.headers["content-type"]?.first?.hasPrefix("multipart/form-data; boundary=") == true)
                for text in [
                    "name=\"plain\"\r\n\r\na;b\r\n",
                    "name=\"typed\"\r\nContent-Type: application/json\r\n\r\n{}\r\n",
                    "name=\"file\"; filename=\"note.txt\"\r\nContent-Type: text/plain\r\n\r\nfrom a file\r\n",
                    "name=\"other\"; filename=\"x.bin\"\r\nContent-Type: image/x\r\n\r\nfrom a file\r\n",
                ] {
                    #expect(echo.body.contains(text), "\(text) in \(echo.body)")
                }
            }
        }
    }

    @Test func `a body is a text, a file or standard input, each with a type of its own`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("page.html", "<p>")
            try await withGateway { base in
                for (source, type, body) in [
                    ("-text", "text/plain; charset=utf-8", "-text"),
                    ("@" + file, "text/html", "<p>"),
                    ("@-", "application/octet-stream", "from standard input"),
                ] {
                    let arguments = ["post", base + "/echo", "--body", source]
                    let echo = try await Tool.run(arguments, input: Data("from standard input".utf8)).echo
                    #expect(echo.headers["content-type"] == [type])
                    #expect(echo.body == body)
                    let typed = try await Tool.run(arguments + ["--content-type", "a/b"]).echo
                    #expect(typed.headers["content-type"] == ["a/b"])
                }
            }
        }
    }

    @Test func `standard input is sent while it comes: the server answers before its end`() async throws {
        try await withScriptedServer([
            [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), .close]
        ]) { server in
            let run = try Tool.start(["post", "http://\(server.authority)/", "--body", "@-"], input: nil)
            let outcome = try await run.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text == "ok")
        }
    }

    @Test func `a user's name and password are sent by Basic authentication`() async throws {
        try await withGateway { base in
            let right = try await Tool.run("get", base + "/basic/ada/a:b", "-u", "ada:a:b", "--fail")
            #expect(right.status == 0)
            let wrong = try await Tool.run("get", base + "/basic/ada/a:b", "--user", "ada:c", "--fail")
            #expect(wrong.status == 22)
        }
    }
}
