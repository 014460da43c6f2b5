import Crypto
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct UploadTests {
    /// The gateway's description of an upload.
    private struct Received: Decodable {
        let length: Int
        let sha256: String

        init(_ outcome: Tool.Outcome) throws {
            self = try JSONDecoder().decode(Received.self, from: outcome.output)
        }
    }

    private func sha256(_ data: Data) -> String {
        SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    }

    @Test func `Files with field names are sent as a form, after the fields and each with its type`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let one = try folder.file("one.txt", "first")
            let two = try folder.file("two.bin", "second")
            try await withGateway { base in
                let outcome = try await Tool.run(
                    [
                        "upload", "doc=\(one)", "doc=\(two);type=text/csv;filename=2.csv", "--field", "title=Two",
                        base + "/echo",
                    ],
                    environment: state
                )
                #expect(outcome.status == 0, "\(outcome.errors)")
                let summary = /one\.txt and 1 more: \d+ B sent in [^,]+, [^;]+\/s; the server answered 200 OK\n/
                #expect(try summary.wholeMatch(in: outcome.errors) != nil, "\(outcome.errors)")
                let echo = try outcome.echo
                #expect(echo.method == "POST")
                let boundary = try #require(echo.headers["content-type"]?.first?.split(separator: "boundary=").last)
                let parts = echo.body.components(separatedBy: "--\(boundary)")
                #expect(parts.count == 5)
                #expect(parts[1].contains("name=\"title\"\r\n\r\nTwo\r\n"))
                #expect(
                    parts[2].contains("name=\"doc\"; filename=\"one.txt\"\r\nContent-Type: text/plain\r\n\r\nfirst\r\n")
                )
                #expect(
                    parts[3].contains("name=\"doc\"; filename=\"2.csv\"\r\nContent-Type: text/csv\r\n\r\nsecond\r\n")
                )
            }
            #expect(try folder.appendingPathComponent("state/sallyport/uploads").names.isEmpty)
        }
    }

    @Test func `A file without a field name is sent as the body, with PUT unless another method is selected`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let file = try folder.file("a=b.json", "{}")
            try await withGateway { base in
                let outcome = try await Tool.run(["upload", file, base + "/echo", "--quiet"], environment: state)
                #expect(outcome.errors.isEmpty)
                let echo = try outcome.echo
                #expect((echo.method, echo.body) == ("PUT", "{}"))
                #expect(echo.headers["content-type"] == ["application/json"])
                let other = try await Tool.run(
                    [
                        "upload", file + ";type=text/x", base + "/echo", "--method", "post", "-H", "X-One: 1",
                        "--query",
                        "a=b",
                    ],
                    environment: state
                )
                #expect(try other.echo.method == "POST")
                #expect(try other.echo.headers["content-type"] == ["text/x"])
                #expect(try other.echo.headers["x-one"] == ["1"])
                #expect(try other.echo.query == [Echo.Pair(name: "a", value: "b")])
            }
        }
    }

    @Test func `An error status ends with 22, and the body is written to standard output or a file`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let file = try folder.file("file", "content")
            try await withGateway { base in
                let outcome = try await Tool.run(["upload", "a=\(file)", base + "/status/403"], environment: state)
                #expect(outcome.status == 22)
                #expect(outcome.text.contains("403"))
                #expect(outcome.errors.contains("the server answered 403 Forbidden"))
                let answer = folder.appendingPathComponent("answer").path
                let written = try await Tool.run(
                    ["upload", "a=\(file)", base + "/status/403", "-o", answer],
                    environment: state
                )
                #expect((written.status, written.text) == (22, ""))
                #expect(try String(contentsOfFile: answer, encoding: .utf8).contains("403"))
            }
            #expect(try folder.appendingPathComponent("sallyport/uploads").names.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("200 OK", "application/json", "{\"a\":1}", "{\n  \"a\": 1\n}\n"),
            ("200 OK", "text/plain", "{\"a\":1}", "{\"a\":1}\n"),
            ("403 Forbidden", "application/json", "{\"a\":1}", "{\n  \"a\": 1\n}\n"),
            ("403 Forbidden", "text/plain", "no", "no\n"), ("403 Forbidden", "text/plain", "no\n", "no\n"),
            ("403 Forbidden", "text/plain", "", ""),
        ]
    )
    func `On a terminal, a JSON response is indented, and an error response ends with a newline`(
        status: String,
        type: String,
        body: String,
        shown: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("file", "content")
            let head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            try await withScriptedServer([[.receiveRequest, .send(head + body)]]) { server in
                let text = try await Tool.outputOnTerminal(
                    ["upload", file, "http://\(server.authority)/"],
                    environment: ["XDG_STATE_HOME": folder.path]
                )
                #expect(text == shown)
            }
        }
    }

    @Test func `Unreadable files and invalid arguments are refused with their exit status and the problem`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let url = "http://127.0.0.1:9/x"
            let file = try folder.file("file", "content")
            for (arguments, status, problem) in [
                (["a=/no/such/file", url], 26, "the file /no/such/file cannot be read: "),
                (["a=\(folder.path)", url], 26, "the file \(folder.path) cannot be read: it is a directory"),
                ([file, file, url], 2, "several files need a form"), ([file], 2, "specify the files to upload"),
                ([file, "--field", "a=b", url], 2, "--field needs a form"),
                (["a=\(file)", "example.com"], 3, "has no scheme"),
                (["a=\(file)", url, "-H", "Content-Type: a/b"], 2, "omit the other Content-Type"),
            ] as [([String], Int32, String)] {
                let outcome = try await Tool.run(["upload"] + arguments, environment: state)
                #expect(outcome.status == status, "\(arguments)")
                #expect(outcome.errors.contains(problem), "\(outcome.errors)")
            }
        }
    }

    @Test func `The file of an upload or a body can be a pipe`() async throws {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                for arguments in [
                    ["upload", "/dev/stdin", base + "/echo"], ["put", base + "/echo", "--body", "@/dev/stdin"],
                ] {
                    let outcome = try await Tool.run(
                        arguments,
                        input: Data("light".utf8),
                        environment: ["XDG_STATE_HOME": folder.path]
                    )
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(outcome.text.contains(#""body" : "light""#), "\(outcome.text)")
                }
            }
        }
    }

    @Test func `A state folder that others can write to is not used, with a warning`() async throws {
        try await withTemporaryDirectory { folder in
            let uploads = folder.appendingPathComponent("sallyport/uploads")
            try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: uploads.path)
            let file = try folder.file("file", "content")
            try await withGateway { base in
                let state = ["XDG_STATE_HOME": folder.path]
                let outcome = try await Tool.run(["upload", file, base + "/echo"], environment: state)
                #expect(outcome.status == 0)
                #expect(outcome.errors.contains("\(uploads.path) can be changed by other users"), "\(outcome.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: uploads.path).isEmpty)
            }
        }
    }

    @Test func `A file of several megabytes arrives unchanged`() async throws {
        try await withTemporaryDirectory { folder in
            let content = randomBytes(1000).repeated(5_000)
            let file = try folder.file("file", content)
            try await withGateway { base in
                let outcome = try await Tool.run(
                    ["upload", file, base + "/upload"],
                    environment: ["XDG_STATE_HOME": folder.path]
                )
                let received = try Received(outcome)
                #expect(received.length == content.count)
                #expect(received.sha256 == sha256(content))
            }
        }
    }

    /// Runs a closure with a server that offers a resumable upload and then stops reading it. Later connections reach the
    /// gateway.
    ///
    /// - Parameters:
    ///   - stored: The bytes that the gateway has received before.
    ///   - length: The number of bytes that the server reads before it closes the connection; `nil` to read nothing
    ///     and wait.
    private func withStallingGateway(
        storing stored: Data = Data(),
        breakingAfter length: Int? = nil,
        _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        try await withGateway { base in
            let client = HttpClient()
            defer { client.close() }
            var creation = HttpRequest(url: base + "/uploads")
            creation.setMethod(.post)
            creation.setHeader(name: "Upload-Draft-Interop-Version", value: "6")
            creation.setHeader(name: "Upload-Complete", value: "?0")
            creation.body = .data(stored)
            let location = try #require(try await client.request(request: creation).headers["Location"]?.first)
            let port = try #require(URL(string: base)?.port)
            let promise = """
                HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nLocation: \(location)\r\n\r\n
                """
            let first: Script =
                length.map { [.receiveHead, .send(promise), .receiveBody($0), .close] }
                ?? [.receiveHead, .stopReading, .send(promise), .stall]
            try await withScriptedServer([first] + Array(repeating: [.tunnel(toPort: port)], count: 8)) { server in
                try await body("http://\(server.authority)/uploads")
            }
        }
    }

    /// Waits until the journal of the only upload contains the upload's URL.
    private func waitForJournal(in folder: URL) async throws {
        try await withDeadline(.patience, "the journal") {
            while true {
                try Task.checkCancellation()
                if let name = try folder.names.first,
                    let text = try? String(
                        contentsOf: folder.appendingPathComponent(name).appendingPathComponent("journal"),
                        encoding: .utf8
                    ), text.contains("/uploads/".replacing("/", with: "\\/")) || text.contains("/uploads/")
                {
                    return
                }
                await Task.yield()
            }
        }
    }

    @Test func `A killed upload resumes from the server's offset and arrives unchanged`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let content = randomBytes(1000).repeated(20_000)
            let file = try folder.file("file", content)
            try await withStallingGateway(storing: content.prefix(5_000_000)) { url in
                let first = try ScreenedTool(["upload", file, url, "-v"], environment: state)
                try await first.text(containing: "Location: /uploads/")
                let kept = folder.appendingPathComponent("sallyport/uploads")
                try await waitForJournal(in: kept)
                first.kill()
                #expect(try await first.outcome().status == -SIGKILL)
                #expect(try kept.names.count == 1)
                let second = try await Tool.run(["upload", file, url, "-v"], environment: state)
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains("> PATCH /uploads/"))
                #expect(second.errors.contains("file: resumes from 4.8 of 19.1 MiB\n"), "\(second.errors)")
                #expect(second.errors.contains("file: 19.1 MiB sent, of which 14.3 MiB now, in "), "\(second.errors)")
                #expect(try Received(second).sha256 == sha256(content))
                #expect(try kept.names.isEmpty)
            }
        }
    }

    @Test func `Without a folder for its state, an upload is sent with a warning`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("file", Data(count: 1000))
            try await withGateway { base in
                let outcome = try await Tool.run(
                    ["upload", file, base + "/echo"],
                    environment: ["XDG_STATE_HOME": file]
                )
                #expect(outcome.status == 0)
                #expect(
                    outcome.errors.contains("; the upload cannot be resumed by another command\n"),
                    "\(outcome.errors)"
                )
            }
        }
    }

    @Test func `A failed upload that can be resumed advises to run the same command again, which resumes it`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let file = try folder.file("file", Data(count: 500_000))
            try await withStallingGateway(breakingAfter: 500_000) { url in
                let first = try await Tool.run(["upload", file, url, "--retry", "0"], environment: state)
                // The server closes the connection without a response.
                #expect(first.status == 52, "\(first.errors)")
                #expect(first.errors.hasSuffix("; run the same command again to resume\n"), "\(first.errors)")
                #expect(!first.errors.contains("journal"))
                let second = try await Tool.run(["upload", file, url, "-v"], environment: state)
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains("> PATCH /uploads/"))
            }
        }
    }

    @Test func `After Control-C, the same form resumes, and a third run starts a new upload`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let file = try folder.file("file", randomBytes(1000).repeated(20_000))
            try await withStallingGateway { url in
                let arguments = ["upload", "a=\(file)", "--field", "b=c", url, "-v"]
                let first = try ScreenedTool(arguments, environment: state)
                try await first.text(containing: "Location: /uploads/")
                first.interrupt()
                let (status, text) = try await first.outcome()
                #expect(status == -SIGINT)
                #expect(text.contains("sallyport: file: stopped; run the same command again to resume"))
                let second = try await Tool.run(arguments, environment: state)
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains("> PATCH /uploads/"))
                let third = try await Tool.run(arguments, environment: state)
                #expect(third.status == 0)
                #expect(!third.errors.contains("> PATCH /uploads/"))
            }
        }
    }

    @Test func `Control-C with a server that does not support resumption states it and leaves no state`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("file", Data(count: 20_000_000))
            try await withScriptedServer([[.receiveHead, .stopReading, .stall]]) { server in
                let run = try ScreenedTool(
                    ["upload", file, "http://\(server.authority)/"],
                    environment: ["XDG_STATE_HOME": folder.path]
                )
                try await run.text(containing: "%  ")
                run.interrupt()
                let (status, text) = try await run.outcome()
                #expect(status == -SIGINT)
                #expect(text.contains("sallyport: file: stopped; it cannot be resumed"))
            }
            #expect(try folder.appendingPathComponent("sallyport/uploads").names.isEmpty)
        }
    }
}

extension Data {
    /// Returns the bytes, repeated.
    fileprivate func repeated(_ count: Int) -> Data {
        (0..<count).reduce(into: Data(capacity: self.count * count)) { data, _ in data += self }
    }
}
