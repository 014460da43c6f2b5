import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ContentTests {
    @Test func `A pipe that is named as a file is read while it is sent`() async throws {
        try await withGateway { base in
            let call = ["post", base + "/echo", "--body", "@/dev/stdin"]
            let echo = try await Tool.run(call, input: Data("from a pipe".utf8)).echo
            #expect(echo.body == "from a pipe")
        }
    }

    @Test func `Header options are sent as given, also repeatedly, and replace default fields`()
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

    @Test func `Query parameters are escaped and appended to those of the URL`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("get", base + "/echo?a=1", "--query", "b=2 & 3", "--query", "c=é=").echo
            #expect(echo.target == "/echo?a=1&b=2%20%26%203&c=%C3%A9%3D")
        }
    }

    @Test func `JSON is sent unchanged from an argument, a file or standard input`() async throws {
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

    @Test func `The pieces of --json are joined, and JSON is accepted`() async throws {
        try await withGateway { base in
            let pieces = ["--json", "{\"a\":", "--json", "@-", "--json", "}"]
            let echo = try await Tool.run(["\(base)/echo"] + pieces, input: Data("1".utf8)).echo
            #expect(echo.body == "{\"a\":1}")
            #expect(echo.headers["accept"] == ["application/json"])
            let own = try await Tool.run("\(base)/echo", "--json", "{}", "-H", "Accept: a/b").echo
            #expect(own.headers["accept"] == ["a/b"])
        }
    }

    @Test func `Form fields are escaped and sent in order with the verb's method`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("patch", base + "/echo", "--field", "b=1 + 1", "--field", "a=@x=y").echo
            #expect(echo.method == "PATCH")
            #expect(echo.body == "b=1+%2B+1&a=%40x%3Dy")
            #expect(echo.headers["content-type"] == ["application/x-www-form-urlencoded"])
        }
    }

    @Test func `A part of a multipart form is read from standard input while it is sent`() async throws {
        try await withGateway { base in
            for (part, head) in [
                ("log=@-", "name=\"log\"; filename=\"-\"\r\nContent-Type: application/octet-stream"),
                ("log=@-;type=text/x;filename=a.txt", "name=\"log\"; filename=\"a.txt\"\r\nContent-Type: text/x"),
            ] {
                let arguments = ["post", base + "/echo", "--form", "a=1", "--form", part]
                let outcome = try await Tool.run(arguments, input: Data("piped".utf8))
                #expect(try outcome.echo.body.contains("\(head)\r\n\r\npiped\r\n"), "\(outcome.text)")
                #expect(try outcome.echo.headers["content-length"] == nil)
            }
            let twice = try await Tool.run("post", base + "/echo", "--form", "a=@-", "--form", "b=@-")
            #expect(twice.status == 2)
            #expect(
                twice.errors.contains("Only one --form can read standard input; use a file for the other."),
                "\(twice.errors)"
            )
        }
    }

    @Test func `Multipart parts are values or files with optional types and file names`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("note.txt", "from a file")
            try await withGateway { base in
                let echo = try await Tool.run(
                    "post",
                    base + "/echo",
                    "--form",
                    "plain=\"a;b\"",
                    "--form",
                    "typed={};type=application/json",
                    "--form",
                    "file=@\(file)",
                    "--form",
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

    @Test func `A body is text, a file or standard input, each with its own content type`() async throws {
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

    @Test func `Standard input is streamed, so that a response can be received before it ends`() async throws {
        try await withScriptedServer([
            [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), .close]
        ]) { server in
            let run = try Tool.start(["post", "http://\(server.authority)/", "--body", "@-"], input: nil)
            let outcome = try await run.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text == "ok")
        }
    }

    @Test func `User name and password are sent with Basic authentication`() async throws {
        try await withGateway { base in
            let right = try await Tool.run("get", base + "/basic/ada/a:b", "-u", "ada:a:b", "--fail")
            #expect(right.status == 0)
            let wrong = try await Tool.run("get", base + "/basic/ada/a:b", "--user", "ada:c", "--fail")
            #expect(wrong.status == 22)
        }
    }
}
