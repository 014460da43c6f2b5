import Crypto
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DownloadTests {
    /// The bytes of a route of the gateway.
    private func bytes(_ url: String) async throws -> Data {
        let client = HttpClient()
        defer { client.close() }
        return try #require(try await client.request(request: HttpRequest(url: url)).body)
    }

    @Test func `A file is downloaded completely, and a line reports it`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin")
            try await withGateway { base in
                let url = base + "/bytes/300000?seed=7"
                let outcome = try await Tool.run("download", url, file.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.hasPrefix("\(file.path): 293.0 KiB in "))
                try await expectSame(Data(contentsOf: file), bytes(url))
                #expect(try folder.names == ["map.bin"])
            }
        }
    }

    @Test func `Each of several URLs gets a file even if others fail, and the status is that of the failure`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let into = folder.appendingPathComponent("new/files")
            try await withGateway { base in
                let urls = [base + "/bytes/100000", base + "/status/404", base + "/bytes/200000?seed=1"]
                let outcome = try await Tool.run(["download"] + urls + ["--into", into.path])
                #expect(outcome.status == 22)
                #expect(outcome.errors.contains("/status/404: the server answered 404 Not Found"))
                #expect(try into.names == ["100000", "200000"])
                #expect(try Data(contentsOf: into.appendingPathComponent("100000")) == (try await bytes(urls[0])))
                #expect(try Data(contentsOf: into.appendingPathComponent("200000")) == (try await bytes(urls[2])))
            }
        }
    }

    @Test func `A pipe or device is not replaced`() async throws {
        try await withTemporaryDirectory { folder in
            let pipe = folder.appendingPathComponent("pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let outcome = try await Tool.run("download", "http://127.0.0.1:9/a", pipe, "--replace")
            #expect(outcome.status == 23)
            #expect(outcome.errors.contains("\(pipe) cannot be written: it is not a regular file"), "\(outcome.errors)")
            #expect(outcome.errors.contains("use sallyport get URL -o \(pipe)"), "\(outcome.errors)")
            let queued = try await Tool.run(
                ["queue", "add", "http://127.0.0.1:9/a", pipe, "--replace"],
                environment: ["XDG_STATE_HOME": folder.path]
            )
            #expect(queued.status == 23)
            #expect(queued.errors.contains("use sallyport get URL -o \(pipe)"), "\(queued.errors)")
        }
    }

    @Test func `An existing file is an error, replaced or numbered, depending on the options`() async throws {
        try await withTemporaryDirectory { folder in
            let file = try folder.file("map.bin", "before")
            try await withGateway { base in
                let url = base + "/bytes/1000"
                let refused = try await Tool.run("download", url, file)
                #expect(refused.status == 23)
                #expect(refused.errors.contains("--replace") && refused.errors.contains("--number"))
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
                #expect(try await Tool.run("download", url, file, "--number").status == 0)
                #expect(try folder.names == ["map (2).bin", "map.bin"])
                #expect(try await Tool.run("download", url, file, "--replace").status == 0)
                #expect(FileManager.default.contents(atPath: file) == (try await bytes(url)))
                #expect(try await Tool.run("download", url, file, "--replace", "--number").status == 2)
            }
        }
    }

    @Test func `The option --skip-existing skips and reports existing files and downloads the others`() async throws {
        try await withTemporaryDirectory { folder in
            let known = try folder.file("1000", "before")
            try await withGateway { base in
                let command = ["download", base + "/bytes/1000", base + "/bytes/2000", "--into", folder.path]
                let refused = try await Tool.run(command)
                #expect(refused.status == 23)
                #expect(refused.errors.contains("--skip-existing"))
                try FileManager.default.removeItem(at: folder.appendingPathComponent("2000"))
                let outcome = try await Tool.run(command + ["--skip-existing"])
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.errors.contains("\(known): already exists, skipped\n"))
                #expect(outcome.errors.contains("2000: 2.0 KiB in "))
                #expect(try String(contentsOfFile: known, encoding: .utf8) == "before")
                #expect(try folder.names == ["1000", "2000"])
                let again = try await Tool.run("download", base + "/bytes/1000", known, "--skip-existing")
                #expect(again.status == 0)
                let missing = [base + "/status/404", base + "/bytes/1000", "--into", folder.path, "--skip-existing"]
                #expect(try await Tool.run(["download"] + missing).status == 22)
                #expect(
                    try await Tool.run("download", base + "/bytes/1", known, "--skip-existing", "--number").status == 2
                )
            }
        }
    }

    @Test func `A line reports that a download starts over, with the reason`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin").path
            func version(_ tag: String, sending count: Int) -> Script {
                let fields = "ETag: \"\(tag)\"\r\nAccept-Ranges: bytes\r\nContent-Length: 200000\r\n\r\n"
                let body = [UInt8](repeating: 1, count: count)
                return [.receiveHead, .send("HTTP/1.1 200 OK\r\n\(fields)"), .sendBytes(body), .close]
            }
            let scripts = [
                version("a", sending: 100_000), version("b", sending: 100_000), version("c", sending: 200_000),
            ]
            try await withScriptedServer(scripts) { server in
                let url = "http://\(server.authority)/"
                #expect(try await Tool.run("download", url, file, "--retry", "0").status == 18)
                let second = try await Tool.run("download", url, file, "--retry", "0", "--quiet")
                #expect(!second.errors.contains("starts over"))
                let third = try await Tool.run("download", url, file, "--retry", "0")
                #expect(third.status == 0, "\(third.errors)")
                #expect(third.errors.contains("map.bin: starts over because the file on the server has changed\n"))
            }
        }
    }

    @Test func `A digest in hexadecimal or base64 is verified, and a file with another digest is removed`() async throws
    {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let url = base + "/bytes/5000"
                let hash = SHA256.hash(data: try await bytes(url))
                let hexadecimal = hash.map { String(format: "%02x", $0) }.joined()
                let file = folder.appendingPathComponent("file").path
                let digests = [hexadecimal, hexadecimal.uppercased(), Data(hash).base64EncodedString()]
                for digest in digests {
                    let outcome = try await Tool.run(
                        "download",
                        url,
                        file,
                        "--digest",
                        "sha-256=\(digest)",
                        "--replace"
                    )
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(outcome.errors.hasSuffix(", sha-256 matches\n"))
                }
                try FileManager.default.removeItem(atPath: file)
                let wrong = String(repeating: "0", count: 64)
                let outcome = try await Tool.run("download", url, file, "--digest", "sha-256=\(wrong)")
                #expect(outcome.status == 120)
                let words = "the file has the digest sha-256=\(hexadecimal) and not the expected sha-256=\(wrong)"
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
                let zeros = Data(count: 32).base64EncodedString()
                let coded = try await Tool.run("download", url, file, "--digest", "sha-256=\(zeros)")
                let codedWords = ":\(Data(hash).base64EncodedString()): and not the expected sha-256=:\(zeros):"
                #expect(coded.errors.contains(codedWords))
                #expect(try folder.names.isEmpty)
                #expect(try await Tool.run("download", url, file, "--digest", "md5=00").status == 2)
                #expect(try await Tool.run("download", url, url, "--digest", "sha-256=\(wrong)").status == 2)
            }
        }
    }

    @Test func `Unwritable files and unreachable servers have the exit statuses of a request`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file").path
            let missing = try await Tool.run("download", "http://127.0.0.1:9/x", "/no/such/folder/file")
            #expect(missing.status == 23)
            #expect(missing.errors.contains("/no/such/folder"))
            #expect(try await Tool.run("download", "http://127.0.0.1:1/x", file, "--retry", "0").status == 7)
            #expect(try await Tool.run("download", "example.com/x", file).status == 3)
            #expect(try folder.names.isEmpty)
        }
    }

    @Test func `Credentials, headers and cookies are sent, and credentials are limited to one server`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("echo").path
            try await withGateway { base in
                let outcome = try await Tool.run(
                    [
                        "download", base + "/echo", file, "-u", "ada:secret", "-H", "X-One: 1", "--cookie", "a=b",
                        "--quiet",
                    ]
                )
                #expect(outcome.status == 0)
                #expect(outcome.errors.isEmpty)
                let content = try #require(FileManager.default.contents(atPath: file))
                let echo = try JSONDecoder().decode(Echo.self, from: content)
                #expect(echo.headers["authorization"] == ["Basic YWRhOnNlY3JldA=="])
                #expect(echo.headers["x-one"] == ["1"])
                #expect(echo.headers["cookie"] == ["a=b"])
                let two = try await Tool.run("download", base + "/echo", "http://127.0.0.1:9/x", "-u", "ada:secret")
                #expect(two.status == 2)
                #expect(two.errors.contains("one server"))
            }
        }
    }

    @Test func `The option for Digest authentication of a download is --digest-auth`() async throws {
        try await withTemporaryDirectory { folder in
            try await withGateway { base in
                let url = base + "/digest/ada/secret"
                let known = try await Tool.run("get", url, "-u", "ada:secret", "--digest", "--fail")
                let file = folder.appendingPathComponent("file").path
                let outcome = try await Tool.run("download", url, file, "-u", "ada:secret", "--digest-auth")
                #expect((known.status, outcome.status) == (0, 0))
            }
        }
    }

    @Test func `The time limit ends a download with 28, and the saved bytes are reported`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin").path
            let script: [ScriptStep] = [
                .receiveHead,
                .send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Length: 400000\r\n\r\n"),
                .sendBytes([UInt8](repeating: 1, count: 200_000)), .stall,
            ]
            try await withScriptedServer([script]) { server in
                let outcome = try await Tool.run("download", "http://\(server.authority)/", file, "--timeout", "3")
                #expect(outcome.status == 28)
                #expect(outcome.errors.contains("map.bin: stopped after the time limit; "))
                #expect(outcome.errors.contains("run the same command again to resume"))
            }
        }
    }

    @Test func `A download that ends before the first byte does not offer to resume`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin").path
            try await withScriptedServer([[.receiveHead, .stall]]) { server in
                let outcome = try await Tool.run("download", "http://\(server.authority)/", file, "--timeout", "3")
                #expect(outcome.status == 28)
                #expect(outcome.errors.contains("nothing was saved"))
                #expect(!outcome.errors.contains("to resume"))
            }
        }
    }
}
