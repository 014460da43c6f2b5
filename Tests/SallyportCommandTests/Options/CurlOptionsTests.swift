import ArgumentParser
import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct CurlOptionsTests {
    @Test(
        arguments: [
            (["request", "DELETE"], [], "DELETE"), (["request", "put"], [], "PUT"), (["request"], [], "GET"),
            (["request"], ["-d", "a=b"], "POST"), (["request"], ["-XDELETE"], "DELETE"), ([], [], "GET"),
            ([], ["-X", "PUT", "-d", "a=b"], "PUT"), (["-d", "a=b"], [], "POST"), (["PATCH"], [], "PATCH"),
            (["get"], ["-d", "a=b"], "GET"),
        ] as [([String], [String], String)]
    )
    func `The method is the one of the command or of -X, or depends on the body`(
        before: [String],
        after: [String],
        method: String
    ) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run(before + [base + "/echo"] + after)
            #expect(try outcome.echo.method == method, "\(outcome.errors)")
        }
    }

    @Test func `Any method can be sent`() async throws {
        try await withScriptedServer([[.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .close]]) { server in
            _ = try await Tool.run("request", "PROPFIND", "http://127.0.0.1:\(server.port)/")
            #expect(server.requests.map(\.method) == ["PROPFIND"])
        }
    }

    @Test func `A URL on this computer may omit the scheme`() async throws {
        try await withGateway { base in
            let port = try #require(base.split(separator: ":").last)
            for address in ["127.0.0.1:\(port)/echo?a=b", "localhost:\(port)/echo?a=b"] {
                #expect(try await Tool.run(address).echo.target == "/echo?a=b")
                #expect(try await Tool.run("get", address).echo.target == "/echo?a=b")
            }
        }
    }

    @Test func `Pieces of form data are joined, and read from files in curl's manner`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("lines", "b=2\r\nc\n")
            try await withGateway { base in
                let echo = try await Tool.run(
                    "post",
                    base + "/echo",
                    "-da=1",
                    "--data",
                    "@\(file)",
                    "--data-raw",
                    "@raw",
                    "--data-binary",
                    "@\(file)",
                    "--data-urlencode",
                    "d=é &",
                    "--data-urlencode",
                    "e@\(file)",
                    "--data-urlencode",
                    "=f=g"
                ).echo
                #expect(echo.body == "a=1&b=2c&@raw&b=2\r\nc\n&d=%C3%A9%20%26&e=b%3D2%0D%0Ac%0A&f%3Dg")
                #expect(echo.headers["content-type"] == ["application/x-www-form-urlencoded"])
                let input = try await Tool.run(
                    ["post", base + "/echo", "-d", "@-", "-H", "Content-Type: text/x"],
                    input: Data("from\ninput".utf8)
                ).echo
                #expect(input.body == "frominput")
                #expect(input.headers["content-type"] == ["text/x"])
            }
        }
    }

    @Test func `A part of -F is a value, a file, or the text in a file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("note.txt", "from a file")
            try await withGateway { base in
                let echo = try await Tool.run("\(base)/echo", "-F", "a=<\(file)", "-Fb=@\(file)")
                    .echo
                #expect(echo.method == "POST")
                #expect(echo.body.contains("name=\"a\"\r\n\r\nfrom a file\r\n"), "\(echo.body)")
                #expect(echo.body.contains("name=\"b\"; filename=\"note.txt\"\r\n"), "\(echo.body)")
            }
        }
    }

    @Test(
        arguments: [
            (["-d", "------WebKitFormBoundary"], "------WebKitFormBoundary"), (["--data-raw", "---a"], "---a"),
            (["--body", "-----BEGIN CERTIFICATE-----"], "-----BEGIN CERTIFICATE-----"), (["--data", "--"], "--"),
            (["-d", "--auth"], "--auth"), (["--data-urlencode", "---="], "---="), (["-4d", "---a"], "---a"),
            (["--data-binary", "--insecure"], "--insecure"), (["-d", "-"], "-"), (["-d=1"], "=1"), (["-d---x"], "---x"),
            (["--json", "-1"], "-1"), (["--field", "---a=b"], "---a=b"),
        ] as [([String], String)]
    )
    func `A value that begins with dashes is a value`(arguments: [String], body: String) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run(["post", base + "/echo"] + arguments + ["-H", "X-After: 1"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.echo.body == body)
            #expect(try outcome.echo.headers["x-after"] == ["1"])
        }
    }

    @Test(
        arguments: [
            (["-A", "---agent"], "user-agent", "---agent"), (["-e", "---r"], "referer", "---r"),
            (["-b", "---a=b"], "cookie", "---a=b"), (["-H", "---x: 1"], "---x", "1"),
            (["-u", "---:b"], "authorization", "Basic LS0tOmI="),
        ] as [([String], String, String)]
    )
    func `A header that begins with dashes is a value`(arguments: [String], name: String, value: String) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run([base + "/echo"] + arguments)
            #expect(try outcome.echo.headers[name] == [value], "\(outcome.errors)")
        }
    }

    @Test(arguments: ["-o", "--output", "-m", "--max-time", "--cacert", "--resolve", "-F", "-c", "--proxy", "-X", "-w"])
    func `The value of every option with a value may begin with three dashes`(name: String) throws {
        let arguments = try CommandArguments(["request", "https://a.test", name, "---x"]).all
        #expect(arguments.last?.hasPrefix("--") == true && arguments.last?.hasSuffix("=---x") == true, "\(arguments)")
    }

    @Test func `--raw writes a compressed body as it was sent`() async throws {
        let encoded = "\u{1F}\u{8B} not decoded"
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(encoded.utf8.count)\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(head + encoded)]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--compressed", "--raw")
            #expect(outcome.text == encoded, "\(outcome.errors)")
            #expect(server.requests.first?["Accept-Encoding"] == ["gzip, deflate"])
        }
    }

    @Test func `--http2 uses HTTP/1.1 if the server does not select HTTP/2, as curl does`() async throws {
        try await withGateway { base in
            let echo = try await Tool.run("get", base + "/echo", "--http2").echo
            #expect(echo.method == "GET")
        }
    }

    @Test func `Headers are set by -A and -e, removed by a name with a colon, and empty with a semicolon`() async throws
    {
        try await withGateway { base in
            let echo = try await Tool.run("\(base)/echo", "-A", "me/1", "-e", "http://a.test/", "-H", "X-Empty;").echo
            #expect(echo.headers["user-agent"] == ["me/1"])
            #expect(echo.headers["referer"] == ["http://a.test/"])
            #expect(echo.headers["x-empty"] == [""])
            #expect(echo.headers["x-requested-with"] == nil && echo.headers["x-requested-platform"] == nil)
            let removed = try await Tool.run(
                "\(base)/echo",
                "--json",
                "{}",
                "-H",
                "User-Agent:",
                "-H",
                "content-type: "
            )
            .echo
            #expect(removed.headers["user-agent"] == nil)
            #expect(removed.headers["content-type"] == nil)
        }
    }

    @Test func `Redirects are followed with -L, up to --max-redirs`() async throws {
        try await withGateway { base in
            #expect(try await Tool.run(base + "/redirect/2", "-L").echo.target == "/echo")
            let limited = try await Tool.run("-L", "--max-redirs", "1", base + "/redirect/2")
            #expect(limited.status == 47)
        }
    }

    @Test func `A range is requested, and -m limits the time`() async throws {
        try await withGateway { base throws in
            #expect(try await Tool.run("get", base + "/echo", "-r0-4,-1").echo.headers["range"] == ["bytes=0-4,-1"])
            #expect(try await Tool.run("get", base + "/delay/30000", "-m0.2").status == 28)
        }
    }

    @Test func `Cookies come from arguments and from files, which are not written`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("jar.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t1\n")
            try await withGateway { base in
                let echo = try await Tool.run("\(base)/echo", "-b", file, "-b", "a=2; b=3").echo
                let cookies = try #require(echo.headers["cookie"]?.first)
                #expect(Set(cookies.components(separatedBy: "; ")) == ["sid=1", "a=2", "b=3"])
                _ = try await Tool.run("\(base)/cookies/set?seen=yes", "-b", file)
                #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("seen"))
            }
        }
    }

    @Test func `With -4 and -6, only addresses of one family are used`() async throws {
        try await withScriptedServer([
            [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), .close]
        ]) { server in
            let resolve = "a.test:\(server.port):[::1],127.0.0.1"
            let outcome = try await Tool.run("http://a.test:\(server.port)/", "-4", "--resolve", resolve)
            #expect(outcome.text == "ok", "\(outcome.errors)")
            let missing = try await Tool.run("http://127.0.0.1:\(server.port)/", "-6")
            #expect(missing.status == 6)
            #expect(
                missing.errors.hasSuffix(
                    "the host 127.0.0.1 has no IPv6 address (while resolving the host); omit -4 and -6\n"
                ),
                "\(missing.errors)"
            )
        }
    }

    @Test func `A server is not verified with --insecure, after a warning`() async throws {
        try await withSecureGateway { base, _ in
            let refused = try await Tool.run("get", base + "/echo")
            #expect(refused.status == 60)
            let outcome = try await Tool.run("get", base + "/echo", "--insecure")
            #expect(try outcome.echo.method == "GET")
            #expect(outcome.errors.hasPrefix("sallyport: warning: the certificate of the server is not verified"))
            let pin = "localhost=sha256/" + Data(count: 32).base64EncodedString()
            let pinned = try await Tool.run("get", "https://localhost:1/", "--insecure", "--pin", pin)
            #expect(pinned.status == 2)
            #expect(pinned.errors.contains("omit --insecure to check the pins"))
        }
    }

    @Test(
        arguments: [
            ("https://a.test/b/map.zip?x=/y", "map.zip"), ("https://a.test/%2e%2e%2fetc", "etc"),
            ("https://a.test/-rf", "_-rf"), ("https://a.test/b%20c", "b c"),
        ]
    )
    func `The file of -O has a safe name from the end of the URL`(url: String, name: String) throws {
        let options = try ResponseDestinationOptions.parse(["-O"])
        #expect(try options.path(for: url) == name)
        #expect(try ResponseDestinationOptions.parse([]).path(for: url) == nil)
    }
}
