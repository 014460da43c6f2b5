import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct CommandArgumentsTests {
    @Test(
        arguments: [
            (["https://a.test"], true), (["localhost:8080/x"], true), (["localhost"], true), (["a.test"], true),
            (["-X", "PUT", "https://a.test"], true), (["-v", "localhost:80"], true), (["PUT", "https://a.test"], true),
            ([], false), (["get", "https://a.test"], false), (["frobnicate"], false), (["--help"], false),
            (["--version"], false), (["-v", "get", "https://a.test"], false),
            (["login", "--issuer", "https://a.test"], false),
            (["--profile", "a", "login", "--issuer", "https://a.test"], false), (["--", "https://a.test"], false),
            (["PUT"], false), ([""], false),
        ] as [([String], Bool)]
    )
    func `Arguments with a URL instead of a command are a request`(arguments: [String], isRequest: Bool) {
        #expect(CommandArguments.areOfBareURL(arguments) == isRequest)
    }

    @Test func `A file of options becomes arguments`() throws {
        let text = """
            # a comment
            timeout 10
            user-agent = "me \\"2\\"\\t"   # a comment
            --header: X-A: b
            -H "X-B: c"
              fail

            referer = ""
            url = https://a.test/
            """
        let file = try OptionFile(parsing: text, path: "options")
        #expect(
            file.arguments == [
                "--timeout=10", "--user-agent=me \"2\"\t", "--header=X-A: b", "-H", "X-B: c", "--fail", "--referer", "",
                "https://a.test/",
            ]
        )
    }

    @Test(
        arguments: [
            ("user-agent = a\u{2028}b", ["--user-agent=a\u{2028}b"]),
            ("user-agent = a\u{85}b", ["--user-agent=a\u{85}b"]),
            ("user-agent = a\u{C}b\r\nfail", ["--user-agent=a\u{C}b", "--fail"]),
            ("referer = a\rb", ["--referer=a\rb"]),
            ("cookie = \"a\\vb\" # c\r\n", ["--cookie=a\u{B}b"]), ("user-agent me too # them", ["--user-agent=me too"]),
            ("referer = a#b", ["--referer=a#b"]), ("fail\n\n# c\ninclude", ["--fail", "--include"]),
            ("user-agent = a\u{2029}", ["--user-agent=a\u{2029}"]),
        ] as [(String, [String])]
    )
    func `Only a line feed ends a line of a file of options`(text: String, arguments: [String]) throws {
        #expect(try OptionFile(parsing: text, path: "options").arguments == arguments)
    }

    @Test(
        arguments: [
            ("fail\ncookie = \"a", "line 2, the closing quotation mark is missing"),
            ("cookie = \"a\" b", "line 1, text follows the closing quotation mark"),
            ("config = other", "line 1, config is not allowed; a file cannot name another file"),
            ("= 1", "line 1, the name of an option is missing"), ("url", "line 1, url needs a value"),
        ]
    )
    func `A malformed file of options is refused with the number of the line, and without its text`(
        text: String,
        problem: String
    ) {
        #expect {
            try OptionFile(parsing: text, path: "options")
        } throws: { error in
            (error as? CommandFailure)?.message == "the file of options options is invalid: in \(problem)"
        }
    }

    @Test(
        arguments: [
            (["-XPOST"], ["-XPOST"]), (["-ivofile"], ["-iv", "-o", "file"]),
            (["-r=1"], ["-r", "=1"]), (["-d", "---x"], ["-d", "---x"]), (["-H", "--x: 1"], ["-H", "--x: 1"]),
            (["-iH", "---x: 1"], ["-i", "--header=---x: 1"]), (["-H---x: 1"], ["--header=---x: 1"]),
            (["--header", "--"], ["--header=--"]), (["--count", "---x"], ["--count=---x"]),
            (["--json", "---x"], ["--json", "---x"]),
            (["--count", "--fail"], ["--count", "--fail"]),
            (["-LOv"], ["-LOv"]), (["-Lofile"], ["-L", "-o", "file"]), (["-HA: b"], ["-H", "A: b"]),
            (["-timeout"], ["-timeout"]),
            (["--body", "-XPOST"], ["--body", "-XPOST"]), (["-H", "-XPOST"], ["--header=-XPOST"]),
            (["--", "-XPOST"], ["--", "-XPOST"]),
            (["-"], ["-"]), (["-m"], ["-m"]),
        ] as [([String], [String])]
    )
    func `A short option is separated from its value`(arguments: [String], separated: [String]) throws {
        #expect(try CommandArguments(["events"] + arguments).all.dropFirst() == separated[...])
    }

    @Test func `A file of options is inserted in place of -K`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("options", "timeout = 10\nfail\n")
            for option in [["-K", file], ["-K\(file)"], ["--config", file], ["--config=\(file)"]] {
                let prepared = try CommandArguments(["get", "-v"] + option + ["http://a.test", "--timeout", "5"])
                #expect(prepared.all.suffix(6) == ["-v", "--timeout=10", "--fail", "http://a.test", "--timeout", "5"])
                #expect(prepared.files.contains(file))
            }
        }
    }

    @Test func `-K can follow flags, and the options in its file are read like arguments`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("options", "-d ---x\n-ofile\n-iH = \"A: b\"\n")
            let prepared = try CommandArguments(["get", "-vLK", file, "a.test"])
            #expect(prepared.all == ["get", "-vL", "--data=---x", "-o", "file", "-i", "-H", "A: b", "a.test"])
            for text in ["-K\(file)", "-iK \(file)"] {
                let outer = try folder.file("outer", text + "\n")
                let error = #expect(throws: CommandFailure.self) { try CommandArguments(["get", "-K", outer]) }
                #expect(error?.message.hasSuffix("config is not allowed; a file cannot name another file") == true)
            }
        }
    }

    @Test func `Only an option --auth gets the name of a profile, not such a value`() throws {
        let arguments = ["get", "-d", "--auth", "--auth", "https://a.test", "--", "--auth"]
        let prepared = try CommandArguments(arguments)
        #expect(prepared.all == ["get", "--data=--auth", "--auth=default", "https://a.test", "--", "--auth"])
        #expect(try CommandArguments(["token", "--auth"]).all == ["token", "--auth"])
    }

    @Test func `-K works with all commands that send requests`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("options", "cacert = ca.pem\n")
            #expect(try CommandArguments(["login", "-K", file]).all == ["login", "--cacert=ca.pem"])
            #expect(try CommandArguments(["queue", "watch", "--config", file]).all.last == "--cacert=ca.pem")
            #expect(try CommandArguments(["device", "show", "-K", file]).all.last == "--cacert=ca.pem")
            #expect(try CommandArguments(["device", "show", "--config", file]).all.last == file)
        }
    }

    @Test(
        arguments: [
            (
                ["get"],
                ["--user-agent=me", "--timeout=5", "--include", "--cacert=a.pem", "--query=a=b", "https://a.test"]
            ),
            (["download"], ["--user-agent=me", "--timeout=5", "--cacert=a.pem", "--quiet", "--query=a=b"]),
            (["events"], ["--user-agent=me", "--timeout=5", "--cacert=a.pem", "--query=a=b"]),
            (["queue", "watch"], ["--cacert=a.pem", "--quiet"]), (["token"], ["--profile=work"]),
            (["login"], ["--cacert=a.pem", "--profile=work"]), (["device"], ["--cacert=a.pem", "--profile=work"]),
            (["doctor"], ["--profile=work"]), (["doctor", "--issuer=https://a.test"], ["--cacert=a.pem"]),
        ] as [([String], [String])]
    )
    func `A command gets those options of the file for all commands that it has, and that mean the same`(
        arguments: [String],
        options: [String]
    ) throws {
        let text = """
            user-agent = me
            timeout 5
            include
            write-out = @format
            cacert = a.pem
            profile = work
            quiet
            query = a=b
            url https://a.test
            """
        let file = try OptionFile(parsing: text, path: "options")
        let path = SubcommandPath(of: arguments)
        let command = try #require(path.command)
        let chosen = try StandardOptions(for: path, DeclaredOptions(of: command), arguments).arguments(of: file)
        #expect(chosen.filter { !$0.hasPrefix("--write-out") } == options)
        #expect(chosen.contains("--write-out=@format") == (arguments == ["get"]))
    }

    @Test func `An option that no command has is refused with its line and advice`() throws {
        let advice = "omit it: --retry also retries refused connections"
        for (text, message) in [
            ("fail\n\nfrobnicate = secret", "in line 3, no command has the option --frobnicate"),
            ("retry-connrefused", "in line 1, no command has the option --retry-connrefused; \(advice)"),
        ] {
            let file = try OptionFile(parsing: text, path: "options")
            #expect {
                let options = DeclaredOptions(of: TokenCommand.self)
                return try StandardOptions(for: SubcommandPath(of: ["token"]), options, ["token"]).arguments(of: file)
            } throws: { error in
                let failure = error as? CommandFailure
                return failure?.status == .usage
                    && failure?.message == "the file of options options is invalid: \(message)"
            }
        }
    }

    @Test func `The file for all commands applies to transfers and logins`() async throws {
        try await SignIn.with(secure: true) { signIn in
            try await withTemporaryDirectory { folder in
                let authority = try #require(signIn.authority)
                let file = try folder.file("options", "cacert = \(authority)\nuser-agent = from-file\ninclude\n")
                let environment = ["SALLYPORT_CONFIG": file, "SALLYPORT_CLIENT_SECRET": "s3cret-conf"]
                let login = try await signIn.run(
                    "login",
                    "--issuer",
                    signIn.base,
                    "--client-id",
                    "conf",
                    "--flow",
                    "client-credentials",
                    "--scope",
                    "api",
                    environment: environment
                )
                #expect(login.status == 0, "\(login.errors)")
                let target = folder.appendingPathComponent("echo").path
                let download = try await signIn.run(
                    "download",
                    signIn.base + "/echo",
                    target,
                    environment: environment
                )
                #expect(download.status == 0, "\(download.errors)")
                #expect(try String(contentsOfFile: target, encoding: .utf8).contains("from-file"))
            }
        }
    }

    @Test func `The file that SALLYPORT_CONFIG names applies to requests, unless others can change it`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("options", "user-agent = from-file\nheader = \"X-A: file\"\n")
            let environment = ["SALLYPORT_CONFIG": file]
            try await withGateway { base in
                let echo = try await Tool.run(["get", base + "/echo", "-A", "own"], environment: environment).echo
                #expect(echo.headers["user-agent"] == ["own"])
                #expect(echo.headers["x-a"] == ["file"])
                let bare = try await Tool.run([base + "/echo"], environment: environment).echo
                #expect(bare.headers["user-agent"] == ["from-file"])
                let wrong = try folder.file("wrong", "frobnicate\n")
                let unknown = try await Tool.run(["get", base + "/echo"], environment: ["SALLYPORT_CONFIG": wrong])
                #expect(unknown.status == 2)
                #expect(unknown.errors.contains("\(wrong) is invalid: in line 1"), "\(unknown.errors)")
                let invalid = try folder.file("invalid", "timeout = x\n")
                let value = try await Tool.run(["get", base + "/echo"], environment: ["SALLYPORT_CONFIG": invalid])
                #expect(value.status == 2)
                #expect(value.errors.contains("read from \(invalid)"), "\(value.errors)")
                try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
                let open = try await Tool.run(["get", base + "/echo"], environment: environment)
                #expect(open.status == 26)
                #expect(open.errors.contains("run chmod go-w on it"), "\(open.errors)")
            }
        }
    }

    @Test func `The folder for configuration may contain a file of options`() async throws {
        try await withTemporaryDirectory { folder in
            let own = folder.appendingPathComponent("sallyport")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            _ = try own.file("sallyport.conf", "user-agent = from-folder\n")
            try await withGateway { base in
                let own = "sallyport/\(sallyportVersion)"
                for (named, agent) in [(nil, "from-folder"), ("/dev/null", own), ("", own)] as [(String?, String)] {
                    var environment = ["XDG_CONFIG_HOME": folder.path]
                    if let named { environment["SALLYPORT_CONFIG"] = named }
                    let echo = try await Tool.run(["get", base + "/echo"], environment: environment).echo
                    #expect(echo.headers["user-agent"] == [agent])
                }
            }
        }
    }
}
