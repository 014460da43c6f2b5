import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct OutputTests {
    @Test func `The option -i writes the head before the body`() async throws {
        let response = "HTTP/1.1 200 OK\r\nX-One: 1\r\nX-One: 2\r\nContent-Length: 4\r\n\r\nbody"
        try await withScriptedServer([[.receiveHead, .send(response)]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "-i")
            #expect(outcome.text == response)
        }
    }

    @Test func `With --fail, the option -i writes the head only`() async throws {
        let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n"
        for option in [["-i"], []] {
            try await withScriptedServer([[.receiveHead, .send(head + "body")]]) { server in
                let outcome = try await Tool.run(["get", "http://\(server.authority)/", "--fail"] + option)
                #expect(outcome.status == 22)
                #expect(outcome.text == (option.isEmpty ? "" : head))
            }
        }
    }

    @Test func `The option -o writes a partial file that is renamed when it is complete`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("body").path
            let rest = Signal()
            let script: [ScriptStep] = [
                .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .waitFor(rest), .send("def"),
            ]
            try await withScriptedServer([script]) { server in
                let run = try Tool.start(["get", "http://\(server.authority)/", "-o", file, "-v"])
                _ = try await run.errors(containing: "< Content-Length")
                #expect(try folder.names.allSatisfy { $0.hasPrefix("body.") && $0.hasSuffix(".partial") })
                rest.fire()
                let outcome = try await run.outcome()
                #expect(outcome.status == 0)
                #expect(outcome.output.isEmpty)
                #expect(try folder.names == ["body"])
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "abcdef")
            }
        }
    }

    @Test func `An existing file is unchanged if the body is incomplete`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("body", "before")
            let script: [ScriptStep] = [
                .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .close,
            ]
            try await withScriptedServer([script]) { server in
                let outcome = try await Tool.run("get", "http://\(server.authority)/", "-o", file)
                #expect(outcome.status == 18)
            }
            #expect(try folder.names == ["body"])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
        }
    }

    @Test func `An output file that cannot be written is refused before a request is sent`() async throws {
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([[.stall]]) { server in
                for (path, reason) in [
                    (folder.path, "it is a directory"),
                    (
                        "/no/such/folder/body",
                        "there is no folder /no/such/folder; create it first: mkdir -p /no/such/folder"
                    ),
                    ("/dev/null/body", "a part of its path is a file, not a folder"),
                ] {
                    let outcome = try await Tool.run("get", "http://\(server.authority)/", "-o", path)
                    #expect(outcome.status == 23)
                    #expect(
                        outcome.errors == "sallyport: the output file \(path) cannot be written: \(reason)\n",
                        "\(outcome.errors)"
                    )
                }
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test func `A missing folder has the same message for all output files`() async throws {
        let missing = "there is no folder /no/such/folder; create it first: mkdir -p /no/such/folder\n"
        for (arguments, kind) in [
            (["download", "http://127.0.0.1:9/x", "/no/such/folder/f"], "the file"),
            (["queue", "add", "http://127.0.0.1:9/x", "/no/such/folder/f"], "the file"),
            (["get", "http://127.0.0.1:9/x", "--cookie-jar", "/no/such/folder/f"], "the cookie file"),
            (["get", "http://127.0.0.1:9/x", "--har", "/no/such/folder/f"], "the HAR file"),
            (["serve", "--port", "0", "--ca-file", "/no/such/folder/f"], "the CA file"),
        ] {
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == 23, "\(arguments)")
            #expect(
                outcome.errors.hasSuffix("sallyport: \(kind) /no/such/folder/f cannot be written: \(missing)"),
                "\(outcome.errors)"
            )
        }
    }

    #if os(Linux)
    @Test func `A full disk is reported with advice`() async throws {
        try await withGateway { base in
            let file = try await Tool.run("get", base + "/bytes/100000", "-o", "/dev/full")
            #expect(file.status == 23)
            let advice = "the disk of /dev/full is full; free some space, and run the command again\n"
            #expect(file.errors == "sallyport: \(advice)")
        }
        let list = try RunningTool(
            executable: URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", #""$0" environment > /dev/full"#, try Tool.find().path],
            input: Data()
        )
        let outcome = try await list.outcome()
        #expect(outcome.status == 23)
        #expect(outcome.errors.hasPrefix("sallyport: the disk of standard output is full; "), "\(outcome.errors)")
    }
    #endif

    @Test func `The option -o writes to the target of a symbolic link, and directly to a device`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("file", "before")
            let link = folder.appendingPathComponent("link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            try await withGateway { base in
                let linked = try await Tool.run("get", base + "/status/200", "-o", link)
                #expect(linked.status == 0)
                #expect(try String(contentsOfFile: file, encoding: .utf8).contains("200"))
                #expect(try folder.names == ["file", "link"])
                #expect(try await Tool.run("get", base + "/status/200", "-o", "/dev/null").status == 0)
                #expect(try await Tool.run("get", base + "/status/200", "-o", "-").text.contains("200"))
            }
        }
    }

    @Test func `With --fail, neither body nor file is written for a status of 400 or more`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("body").path
            try await withGateway { base in
                let outcome = try await Tool.run("get", base + "/status/503", "--fail", "-o", file)
                #expect(outcome.status == 22)
                #expect(outcome.errors.contains("503"))
                #expect(try await Tool.run("get", base + "/status/404", "--fail").output.isEmpty)
                #expect(try await Tool.run("get", base + "/status/302", "--fail").status == 0)
            }
            #expect(try folder.names.isEmpty)
        }
    }

    @Test func `With --fail-with-body, the body is written, and the status is 22 for a status of 400 or more`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("body").path
            try await withGateway { base in
                let outcome = try await Tool.run("get", base + "/status/404", "--fail-with-body")
                #expect(outcome.status == 22)
                #expect(outcome.text.contains("404"))
                #expect(outcome.errors.contains("the server answered 404 Not Found\n"), "\(outcome.errors)")
                #expect(try await Tool.run("get", base + "/status/503", "--fail-with-body", "-o", file).status == 22)
                #expect(try String(contentsOfFile: file, encoding: .utf8).contains("503"))
                #expect(try await Tool.run("get", base + "/status/200", "--fail-with-body").status == 0)
                #expect(try await Tool.run("get", base, "--fail-with-body", "--fail").status == 2)
            }
            #expect(try folder.names == ["body"])
        }
    }

    @Test func `With --fail, the message of the server is shown, on one line and without secrets`() async throws {
        let body = #"{"error":"gone","detail":"No user\n token=s3cret"}"#
        let head =
            "HTTP/1.1 410 Gone\r\nContent-Type: application/problem+json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(head + body)]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--fail")
            #expect(outcome.status == 22)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors.hasSuffix(#"the server answered 410 Gone: "No user token=***""# + "\n"),
                "\(outcome.errors)"
            )
        }
    }

    @Test func `Closing the reading end of standard output ends the command without a message`() async throws {
        try await withGateway { base in
            let run = try Tool.start(["get", base + "/bytes/10000000"], closingOutput: true)
            let outcome = try await run.outcome()
            #expect(outcome.status == 23)
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `Control-C ends a call by the signal and leaves no partial file`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("body").path
            let script: [ScriptStep] = [
                .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"), .stall,
            ]
            try await withScriptedServer([script]) { server in
                let run = try Tool.start(["get", "http://\(server.authority)/", "-o", file, "-v"])
                _ = try await run.errors(containing: "< Content-Length")
                run.interrupt()
                #expect(try await run.outcome().status == -SIGINT)
            }
            #expect(try folder.names.isEmpty)
        }
    }

    @Test func `Control-C ends a call that waits for standard input`() async throws {
        try await withScriptedServer([[]]) { server in
            let run = try Tool.start(["post", "http://\(server.authority)/", "--body", "@-"], input: nil)
            try await server.connection(0).waitUntilReceived("POST / ")
            run.interrupt()
            #expect(try await run.outcome().status == -SIGINT)
        }
    }
}
