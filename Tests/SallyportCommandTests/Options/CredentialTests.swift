import Foundation
import TestSupport
import Testing

/// Credentials in a URL, in files and at the terminal.
@Suite(.concurrencyLimited) struct CredentialTests {
    private static let answer: Script = [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    ]

    private static func basic(_ pair: String) -> [String] { ["Basic \(Data(pair.utf8).base64EncodedString())"] }

    @Test(
        arguments: [
            ("ada:s3cret", "ada:s3cret"), ("ada:", "ada:"), ("a%40b:p%3A%2F%25w", "a@b:p:/%w"),
            ("%C3%A4da:gr%C3%BCn", "äda:grün"),
        ]
    )
    func `User and password in a URL are sent with Basic authentication and not shown`(user: String, pair: String)
        async throws
    {
        try await withScriptedServer([Self.answer]) { server in
            let url = "http://\(user)@\(server.authority)/a"
            let outcome = try await Tool.run("get", url, "-v", "--stages")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(server.requests.first?["Authorization"] == Self.basic(pair))
            #expect(server.requests.first?["Host"] == [server.authority])
            let shown = try await Tool.run("get", url, "--curl").text + outcome.errors
            for secret in ["s3cret", user + "@", Data(pair.utf8).base64EncodedString()] {
                #expect(!shown.contains(secret), "\(shown)")
            }
        }
    }

    @Test(
        arguments: [
            ["get"], ["post", "--body", "a"], ["events", "--no-reconnect", "--retry", "0"],
            ["download", "--retry", "0"],
            ["upload", "--no-resume", "--retry", "0"],
        ]
    )
    func `Each command that takes a URL accepts a user in it`(command: [String]) async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("file", "bytes")
            let state = ["XDG_STATE_HOME": folder.path]
            try await withScriptedServer([Self.answer]) { server in
                let url = "http://ada:s3cret@\(server.authority)/a"
                var arguments = [command[0]] + (command[0] == "upload" ? [file, url] : [url]) + command.dropFirst()
                if command[0] == "download" { arguments += ["--into", folder.path] }
                let outcome = try await Tool.run(arguments, environment: state)
                #expect(server.requests.first?["Authorization"] == Self.basic("ada:s3cret"), "\(outcome.errors)")
                #expect(!outcome.errors.contains("s3cret"))
            }
        }
    }

    @Test func `The --server of queue watch accepts a user in its URL, and queue add refuses one`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            try await withScriptedServer([Self.answer]) { server in
                let secret = "http://ada:s3cret@\(server.authority)"
                for arguments in [[secret + "/a"], ["a=\(try folder.file("file", "b"))", secret + "/a"]] {
                    let refused = try await Tool.run(["queue", "add"] + arguments, environment: state)
                    #expect(refused.status == 2)
                    #expect(refused.errors.contains("--user"), "\(refused.errors)")
                    #expect(!refused.errors.contains("s3cret"))
                }
                let add = ["queue", "add", "http://\(server.authority)/a", "--into", folder.path]
                #expect(try await Tool.run(add, environment: state).status == 0)
                let watch = try await Tool.run(["queue", "watch", "--server", secret], environment: state)
                #expect(watch.status == 0, "\(watch.errors)")
                #expect(server.requests.first?["Authorization"] == Self.basic("ada:s3cret"))
            }
        }
    }

    @Test(arguments: [["--auth"], ["--netrc-file", "/nowhere"], ["--bearer-file", "-"]])
    func `A user both in the URL and in an option other than --user is refused`(option: [String]) async throws {
        let outcome = try await Tool.run(["get", "http://ada:s3cret@127.0.0.1:9/"] + option)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("and \(option[0]) specify a user"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("s3cret"))
    }

    @Test func `As in curl, --user precedes the user in the URL and netrc files, and --netrc-file precedes --netrc`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("netrc", "machine 127.0.0.1 login ada password file\n")
            let home = try folder.file(".netrc", "machine 127.0.0.1 login ada password home\n")
            for path in [file, home] {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            try await withGateway { base in
                let named = base.replacing("://", with: "://ada:url@")
                for (url, options, password) in [
                    (named, ["-u", "ada:option"], "option"), (base, ["-u", "ada:option", "--netrc"], "option"),
                    (base, ["-u", "ada:option", "--netrc", "--netrc-file", file], "option"),
                    (base, ["--netrc", "--netrc-file", file], "file"),
                    (base, ["--netrc-file", file, "--netrc"], "file"),
                ] as [(String, [String], String)] {
                    let outcome = try await Tool.run(
                        ["get", url + "/basic/ada/\(password)", "--fail"] + options,
                        environment: ["HOME": folder.path]
                    )
                    #expect(outcome.status == 0, "\(options): \(outcome.errors)")
                }
            }
        }
    }

    @Test func `Usage errors do not quote a password in a URL`() async throws {
        let url = "http://ada:s3cret@127.0.0.1:9/"
        for (arguments, status) in [
            (["get", url, url], 2), (["upload", "a", url, "b"], 3), (["get", "ftp://ada:s3cret@a/"], 3),
            (["download", url, "--into"], 2),
        ] as [([String], Int32)] {
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == status, "\(arguments)")
            #expect(!outcome.errors.contains("s3cret"), "\(outcome.errors)")
        }
    }

    @Test func `Digest authentication supports quotes, backslashes, non-ASCII letters and an empty password`()
        async throws
    {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256, charset=UTF-8"
        let refusal = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
        let script = [ScriptStep.receiveRequest, .send(refusal)] + Self.answer
        for (user, field) in [(#"a"b\c"#, #"username="a\"b\\c""#), ("äda", "username*=UTF-8''%C3%A4da")] {
            try await withScriptedServer([script]) { server in
                let outcome = try await Tool.run("get", "http://\(server.authority)/", "--digest", "-u", user + ":")
                #expect(outcome.status == 0, "\(outcome.errors)")
                let sent = server.requests.last?["Authorization"].first ?? ""
                #expect(sent.hasPrefix("Digest \(field),"), "\(sent)")
            }
        }
    }

    @Test func `A missing password is requested at the terminal without being shown`() async throws {
        try await withScriptedServer([Self.answer]) { server in
            let url = "http://\(server.authority)/"
            let (outcome, screen) = try await Tool.typing(
                "s3cret\n",
                after: "Password for ada at \(url.dropLast()): ",
                ["get", url, "-u", "ada"]
            )
            #expect(outcome == 0, "\(screen)")
            #expect(server.requests.first?["Authorization"] == Self.basic("ada:s3cret"))
            #expect(!screen.contains("s3cret"))
        }
    }

    @Test func `The password of --user is read from the environment, but not that of a user in a URL`() async throws {
        try await withScriptedServer([Self.answer]) { server in
            let password = ["SALLYPORT_PASSWORD": "s3cret"]
            let call = ["get", "http://\(server.authority)/", "-u", "ada"]
            let outcome = try await Tool.run(call, environment: password)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(server.requests.first?["Authorization"] == Self.basic("ada:s3cret"))
            let named = try await Tool.run(["get", "http://ada@\(server.authority)/"], environment: password)
            #expect(named.status == 2)
            #expect(named.errors.contains("SALLYPORT_PASSWORD") && !named.errors.contains("s3cret"), "\(named.errors)")
        }
    }

    @Test func `Without a terminal, the error for a missing password names the alternatives`() async throws {
        let outcome = try await Tool.run("get", "http://127.0.0.1:9/", "-u", "ada")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("no password for ada") && outcome.errors.contains("--netrc-file"))
        let curl = try await Tool.run("get", "http://127.0.0.1:9/", "-u", "ada", "--curl")
        #expect(curl.text.contains(" --user ada"))
    }

    @Test func `Credentials of a netrc file are sent to their host only, and the file must be private`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file(
                "netrc",
                "machine 127.0.0.1 login ada password \"s3cret\"\nmachine b login x password y"
            )
            chmod(file, 0o600)
            let home = ["HOME": folder.path]
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/.netrc", withDestinationPath: file)
            try await withGateway { base in
                for option in [["--netrc-file", file], ["--netrc"]] {
                    let arguments = ["get", base + "/basic/ada/s3cret", "--fail", "-v"] + option
                    let outcome = try await Tool.run(arguments, environment: home)
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(outcome.errors.contains("> Authorization: ***"))
                    let elsewhere = base.replacing("127.0.0.1", with: "localhost")
                    let redirect = base + "/redirect-to?url=\(elsewhere)/echo"
                    let after = try await Tool.run(["get", redirect, "--follow", "1"] + option, environment: home)
                    #expect(try after.echo.headers["authorization"] == nil)
                    let unknown = try await Tool.run(["get", elsewhere] + option, environment: home)
                    #expect(unknown.status == 2)
                    #expect(unknown.errors.contains("no entry for localhost"), "\(unknown.errors)")
                }
                chmod(file, 0o644)
                let open = try await Tool.run("get", base, "--netrc-file", file)
                #expect(open.status == 26)
                #expect(open.errors.contains("chmod 600"), "\(open.errors)")
                #expect(try await Tool.run("get", base, "--netrc-file", folder.path + "/none").status == 26)
            }
        }
    }

    @Test func `A netrc file can be a private pipe of limited length`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let arguments = ["get", base + "/basic/ada/s3cret", "--fail", "--netrc-file"]
                let entry = Data("machine 127.0.0.1 login ada password s3cret".utf8)
                let outcome = try await Tool.run(arguments + ["/dev/stdin"], input: entry)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let long = try await Tool.run(arguments + ["/dev/stdin"], input: Data(repeating: 0x20, count: 1 << 21))
                #expect(long.status == 26)
                #expect(long.errors.contains("is longer than"), "\(long.errors)")
                let pipe = folder.path + "/pipe"
                try #require(mkfifo(pipe, 0o600) == 0)
                chmod(pipe, 0o644)
                let tool = try Tool.start(arguments + [pipe])
                DispatchQueue(label: "test.blocking").async { try? entry.write(toPipe: pipe) }
                let open = try await tool.outcome()
                #expect(open.status == 26)
                #expect(open.errors.contains("chmod 600"), "\(open.errors)")
            }
        }
    }

    @Test func `A bearer token is not sent through a proxy over plain HTTP`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("token", "s3cret")
            try await withScriptedServer([Self.answer]) { proxy in
                let address = "http://\(proxy.authority)"
                let environment = ["http_proxy": address, "no_proxy": "", "NO_PROXY": ""]
                for (url, choice) in [("http://localhost:9/", address), ("http://127.0.0.1:9/", "environment")] {
                    let arguments = ["get", url, "--bearer-file", file, "--proxy", choice]
                    let outcome = try await Tool.run(arguments, environment: environment)
                    #expect(outcome.status == 2)
                    #expect(outcome.errors.contains("through the proxy \(proxy.authority)"), "\(outcome.errors)")
                    #expect(!outcome.errors.contains("s3cret"))
                }
                #expect(proxy.connections.isEmpty)
            }
        }
    }

    @Test(arguments: [("alice:a", "bob:b"), ("alice:a", "alice:b"), ("alice", "bob")])
    func `Two different users in URLs of one server are refused`(first: String, second: String) async throws {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([Self.answer]) { server in
                let urls = ["http://\(first)@\(server.authority)/1", "http://\(second)@\(server.authority)/2"]
                let outcome = try await Tool.run(["download"] + urls + ["--into", folder.path])
                #expect(outcome.status == 2)
                #expect(outcome.errors.contains("specify different users or passwords"), "\(outcome.errors)")
                #expect(server.connections.isEmpty)
            }
        }
    }

    @Test func `One password is requested for a user in two URLs of a server, and each server receives its own user`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([Self.answer, Self.answer]) { server in
                try await withScriptedServer([Self.answer]) { other in
                    let urls = ["1", "2"].map { "http://ada@\(server.authority)/\($0)" }
                    let (status, screen) = try await Tool.typing(
                        "s3cret\n",
                        after: "Password for ada at http://\(server.authority): ",
                        ["download"] + urls + ["http://bob:b@\(other.authority)/3", "--into", folder.path]
                    )
                    #expect(status == 0, "\(screen)")
                    let ada = Self.basic("ada:s3cret")
                    #expect(server.requests.map { $0["Authorization"] } == [ada, ada])
                    #expect(other.requests.first?["Authorization"] == Self.basic("bob:b"))
                }
            }
        }
    }

    @Test(
        arguments: [
            ["post", "--json", "@-"], ["get", "-H", "@-"], ["download", "-H", "@-"], ["get", "--bearer-file", "-"],
            ["get", "--netrc-file", "/dev/stdin"],
            ["get", "--proxy", "http://127.0.0.1:9", "--proxy-user-file", "-"],
        ]
    )
    func `An interrupt ends a command that waits for standard input`(command: [String]) async throws {
        let tool = try Tool.start([command[0], "http://127.0.0.1:9/a"] + command.dropFirst(), input: nil)
        try await tool.waitUntilReading()
        tool.interrupt()
        #expect(try await tool.outcome().status == -SIGINT)
    }

    @Test func `A bearer token from a file or standard input is sent to the URL's server only, and over TLS`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("token", "s3cret\n")
            try await withGateway { base in
                for (place, input) in [(file, ""), ("-", "s3cret\n")] {
                    let arguments = ["get", base + "/echo", "--bearer-file", place, "-v"]
                    let outcome = try await Tool.run(arguments, input: Data(input.utf8))
                    #expect(try outcome.echo.headers["authorization"] == ["Bearer s3cret"])
                    #expect(!outcome.errors.contains("s3cret"))
                }
                let redirect = base + "/redirect-to?url=\(base.replacing("127.0.0.1", with: "localhost"))/echo"
                let after = try await Tool.run("get", redirect, "--follow", "1", "--bearer-file", file)
                #expect(try after.echo.headers["authorization"] == nil)
                let curl = try await Tool.run("get", base, "--bearer-file", file, "--curl")
                #expect(curl.text.contains("Authorization: ***") && !curl.text.contains("s3cret"))
            }
            let plain = try await Tool.run("get", "http://192.0.2.1/", "--bearer-file", file)
            #expect(plain.status == 2)
            #expect(plain.errors.contains("https"))
        }
    }

    @Test func `Headers are read from a file in addition to those in arguments`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("headers", "X-A: 1\r\n\nAuthorization: Bearer s3cret\n")
            try await withGateway { base in
                let echo = try await Tool.run("get", base + "/echo", "-H", "@\(file)", "-H", "X-B: 2").echo
                #expect(echo.headers["x-a"] == ["1"])
                #expect(echo.headers["x-b"] == ["2"])
                #expect(echo.headers["authorization"] == ["Bearer s3cret"])
                let piped = try await Tool.run(["get", base + "/echo", "-H", "@-"], input: Data("X-A: 3".utf8)).echo
                #expect(piped.headers["x-a"] == ["3"])
            }
            let broken = try await Tool.run(
                "get",
                "http://127.0.0.1:9/",
                "-H",
                "@\(try folder.file("broken", "X-A: 1\ns3cret"))"
            )
            #expect(broken.status == 2)
            #expect(broken.errors.contains("line 2 of ") && !broken.errors.contains("s3cret"))
            let typed = try folder.file("typed", "Content-Type: text/plain")
            let form = try await Tool.run("post", "http://127.0.0.1:9/", "--form", "a=b", "-H", "@\(typed)")
            #expect(form.status == 2)
            #expect(form.errors.contains("boundary"))
            #expect(try await Tool.run("get", "http://127.0.0.1:9/", "-H", "@\(folder.path)/none").status == 26)
        }
    }

    @Test func `Standard input can be read by one option only`() async throws {
        let outcome = try await Tool.run("post", "http://127.0.0.1:9/", "--body", "@-", "--bearer-file", "-")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Only one of --body and --bearer-file"), "\(outcome.errors)")
    }

    @Test func `The proxy's user and password are read from a file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("proxy-user", "ada:p@ss/w%rd\n")
            try await withScriptedServer([Self.answer]) { proxy in
                let arguments = [
                    "get", "http://server.invalid/a", "--proxy", "http://\(proxy.authority)", "--proxy-user-file", file,
                ]
                let outcome = try await Tool.run(arguments + ["-v"])
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(proxy.requests.first?["Proxy-Authorization"] == Self.basic("ada:p@ss/w%rd"))
                #expect(!outcome.errors.contains("p@ss"))
                let curl = try await Tool.run(arguments + ["--curl"])
                #expect(curl.text.contains("--proxy-user '***'"))
            }
            let both = ["get", "http://a/", "--proxy", "http://x:y@p:1", "--proxy-user-file", file]
            #expect(try await Tool.run(both).errors.contains("Only one of --proxy-user-file and the URL of --proxy"))
            #expect(try await Tool.run("get", "http://a/", "--proxy-user-file", file).status == 2)
        }
    }
}

extension Data {
    /// Writes data to a named pipe when a process reads it.
    fileprivate func write(toPipe path: String) throws {
        let pipe = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try pipe.write(contentsOf: self)
        try pipe.close()
    }
}
