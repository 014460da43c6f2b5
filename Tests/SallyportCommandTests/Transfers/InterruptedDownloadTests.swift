import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct InterruptedDownloadTests {
    /// Runs a closure with a server that sends the first part of the gateway's bytes and then stops. Later connections
    /// reach the gateway.
    ///
    /// - Parameter body: A closure that receives a URL of the server, its bytes, and the gateway's own base URL.
    private func withStallingGateway(
        _ count: Int,
        sending part: Int,
        _ body: @escaping @Sendable (String, Data, String) async throws -> Void
    ) async throws {
        try await withGateway { base in
            let client = HttpClient()
            defer { client.close() }
            let response = try await client.request(request: HttpRequest(url: "\(base)/bytes/\(count)"))
            let bytes = try #require(response.body)
            let fields = response.headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            let port = try #require(URL(string: base)?.port)
            let first: Script = [
                .receiveHead, .send("HTTP/1.1 200 OK\r\n\(fields)\r\n"), .sendBytes(Array(bytes.prefix(part))), .stall,
            ]
            try await withScriptedServer([first] + Array(repeating: [.tunnel(toPort: port)], count: 8)) { server in
                try await body("http://\(server.authority)/bytes/\(count)", bytes, base)
            }
        }
    }

    @Test func `A killed download resumes and ends with the correct bytes and no other files`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin")
            try await withStallingGateway(4_000_000, sending: 3_000_000) { url, bytes, _ in
                let first = try ScreenedTool(["download", url, file.path])
                try await first.text(containing: " 75%")
                first.kill()
                #expect(try await first.outcome().status == -SIGKILL)
                #expect(!FileManager.default.fileExists(atPath: file.path))
                let second = try await Tool.run("download", url, file.path)
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains(" now, in "))
                try expectSame(Data(contentsOf: file), bytes)
                #expect(try folder.names == ["map.bin"])
            }
        }
    }

    @Test func `A parallel download that is killed repeatedly at random times ends with the correct bytes`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin")
            try await withGateway { base in
                let url = base + "/bytes/8000000?seed=3"
                for _ in 0..<4 where !FileManager.default.fileExists(atPath: file.path) {
                    let run = try ScreenedTool(["download", url, file.path, "--parallel", "3"])
                    try await run.text(containing: "map.bin")
                    run.kill()
                    _ = try await run.outcome()
                }
                if !FileManager.default.fileExists(atPath: file.path) {
                    let last = try await Tool.run("download", url, file.path, "--parallel", "3")
                    #expect(last.status == 0, "\(last.errors)")
                }
                let client = HttpClient()
                defer { client.close() }
                #expect(try await client.request(request: HttpRequest(url: url)).body == (try Data(contentsOf: file)))
                #expect(try folder.names == ["map.bin"])
            }
        }
    }

    @Test func `With a group-writable umask, a download resumes and its complete file is group-writable`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin")
            try await withStallingGateway(4_000_000, sending: 3_000_000) { url, bytes, _ in
                func run() throws -> RunningTool {
                    let command = ["umask 002; exec \"$@\"", "sh", try Tool.find().path, "download", url, file.path]
                    return try RunningTool(
                        executable: URL(fileURLWithPath: "/bin/sh"),
                        arguments: ["-c"] + command,
                        input: Data()
                    )
                }
                let first = try run()
                let partial = folder.appendingPathComponent(".map.bin.sallyport")
                let isThere = try await eventually { FileState(partial)?.size == 3_000_000 ? true : nil }
                #expect(isThere == true)
                first.interrupt()
                #expect(try await first.outcome().errors.contains("2.9 MiB saved"))
                #expect(try mode(of: partial) == 0o644)
                let second = try await run().outcome()
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains(" now, in "))
                try expectSame(Data(contentsOf: file), bytes)
                #expect(try mode(of: file) == 0o664)
            }
        }
    }

    private func mode(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    private static let canChangeUser =
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    @Test(
        .enabled(if: canChangeUser, "only root can run the command as another user, with setpriv")
    )
    func `Another user's file that cannot be removed from a sticky folder is reported and not used`() async throws {
        try await withTemporaryDirectory { folder in
            try #require(chmod(folder.path, 0o1777) == 0)
            let planted = folder.appendingPathComponent(".map.bin.sallyport")
            try Data("planted".utf8).write(to: planted)
            try #require(chmod(planted.path, 0o666) == 0)
            try await withGateway { base in
                let user = ["--reuid=65534", "--regid=65534", "--clear-groups"]
                let file = folder.appendingPathComponent("map.bin").path
                let run = try RunningTool(
                    executable: URL(fileURLWithPath: "/usr/bin/setpriv"),
                    arguments: user + [try Tool.find().path, "download", base + "/bytes/1000", file],
                    input: Data(),
                    environment: ["HOME": folder.path]
                )
                let outcome = try await run.outcome()
                #expect(outcome.status == 23)
                #expect(
                    outcome.errors.contains(
                        "\(planted.path): belongs to another user, so it is not used; choose another folder, because it "
                            + "cannot be removed: permission denied"
                    ),
                    "\(outcome.errors)"
                )
                try expectSame(Data(contentsOf: planted), Data("planted".utf8))
                #expect(try folder.names == [".map.bin.sallyport"])
            }
        }
    }

    @Test func `Control-C reports the saved bytes and how to resume, and --no-resume starts over`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("map.bin")
            try await withStallingGateway(4_000_000, sending: 3_000_000) { url, bytes, _ in
                let first = try ScreenedTool(["download", url, file.path])
                try await first.text(containing: " 75%")
                first.interrupt()
                let (status, text) = try await first.outcome()
                #expect(status == -SIGINT)
                #expect(text.contains("sallyport: map.bin: stopped; 2.9 MiB saved in \(folder.path)"))
                #expect(text.contains("sallyport: run the same command again to resume"))
                let second = try await Tool.run("download", url, file.path, "--no-resume")
                #expect(second.status == 0, "\(second.errors)")
                #expect(!second.errors.contains("of which"))
                try expectSame(Data(contentsOf: file), bytes)
                #expect(try folder.names == ["map.bin"])
            }
        }
    }

    @Test func `On a terminal, each file has a bar that is redrawn in place at any width, and a final line`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            try await withStallingGateway(4_000_000, sending: 3_000_000) { url, _, base in
                let urls = [url, base + "/bytes/100000", base + "/bytes/200000"]
                let run = try ScreenedTool(["download"] + urls + ["--into", folder.path, "--at-once", "2"])
                let text = try await run.text(containing: " 75%")
                #expect(text.contains("4000000") && text.contains("] "))
                run.resize(columns: 40)
                try await run.text(containing: "4000000   75%")
                try await run.text(containing: "200000: 195.3 KiB in ")
                run.interrupt()
                let lines = try await run.screen()
                #expect(lines.contains { $0.hasPrefix("sallyport: 4000000: stopped; 2.9 MiB saved in ") })
                #expect(!lines.contains { $0.contains("75%") })
                // The names of temporary folders are longer than a line.
                let all = try await run.outcome().text
                #expect(all.contains("100000: 97.7 KiB in ") && all.contains("200000: 195.3 KiB in "))
                #expect(all.contains("run the same command again with --skip-existing to resume"))
                let second = try await Tool.run(["download"] + urls + ["--into", folder.path, "--skip-existing"])
                #expect(second.status == 0, "\(second.errors)")
                #expect(second.errors.contains("3.8 MiB, of which "))
            }
        }
    }
}
