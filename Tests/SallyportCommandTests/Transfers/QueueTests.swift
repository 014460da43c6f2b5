import Foundation
import Sallyport
import SallyportTransfers
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct QueueTests {
    /// A transfer as `queue list --json` shows it.
    private struct Entry: Decodable, Equatable {
        let id: String
        let kind: String
        let state: String
        let url: String
        let files: [String]
    }

    private func entries(_ state: [String: String]) async throws -> [Entry] {
        let outcome = try await Tool.run(["queue", "list", "--json"], environment: state)
        return try JSONDecoder().decode([Entry].self, from: outcome.output)
    }

    private func bytes(_ url: String) async throws -> Data {
        let client = HttpClient()
        defer { client.close() }
        return try #require(try await client.request(request: HttpRequest(url: url)).body)
    }

    @Test func `One process adds transfers, another runs them, and a third lists them`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = folder.appendingPathComponent("map.bin")
            let photo = try folder.file("photo.jpg", "light")
            try await withGateway { base in
                let url = base + "/bytes/500000"
                let first = try await Tool.run(["queue", "add", url, file.path], environment: state)
                #expect(first.status == 0, "\(first.errors)")
                let identifier = first.text.trimmingCharacters(in: .newlines)
                let second = try await Tool.run(
                    ["queue", "add", "photo=\(photo)", base + "/upload", "--id", "photo", "--priority", "high"],
                    environment: state
                )
                #expect(second.text == "photo\n")
                #expect(try await entries(state).map(\.state) == ["waiting", "waiting"])
                let watch = try await Tool.run(["queue", "watch"], environment: state)
                #expect(watch.status == 0, "\(watch.errors)")
                #expect(watch.errors.contains("\(file.path): 488.3 KiB\n"))
                #expect(watch.errors.contains("photo.jpg: sent; the server answered 200 OK\n"))
                try await expectSame(Data(contentsOf: file), bytes(url))
                #expect(
                    try await entries(state) == [
                        Entry(id: identifier, kind: "download", state: "finished", url: url, files: [file.path]),
                        Entry(id: "photo", kind: "upload", state: "finished", url: base + "/upload", files: [photo]),
                    ]
                )
                let list = try await Tool.run(["queue", "list"], environment: state)
                #expect(list.text.contains("\(identifier)  finished  488.3 KiB  \(url) -> \(file.path)\n"))
                let again = try await Tool.run(["queue", "watch"], environment: state)
                #expect(again.status == 0)
                #expect(again.errors == "There is nothing to do in the queue.\n")
            }
        }
    }

    @Test func `With --watch, queue add also runs the transfers of its queue`() async throws {
        try await withTemporaryDirectory { folder in
            let queue = folder.appendingPathComponent("queue").path
            try await withGateway { base in
                let options = ["--into", folder.path, "--folder", queue, "--watch"]
                let added = try await Tool.run(["queue", "add", base + "/bytes/1000", "--id", "one"] + options)
                #expect(added.status == 0, "\(added.errors)")
                #expect(added.text == "one\n")
                #expect(try folder.names == ["1000", "queue"])
                let failed = try await Tool.run(["queue", "add", base + "/status/404", "--id", "two"] + options)
                #expect(failed.status == 1)
                #expect(failed.errors.contains("to retry: sallyport queue retry two --folder \(queue)\n"))
            }
        }
    }

    @Test func `A failed transfer ends the watch with 1 and advice to retry, and the others run`() async throws {
        try await withTemporaryDirectory { folder in
            let queue = folder.appendingPathComponent("queue").path
            try await withGateway { base in
                let urls = [base + "/status/404", base + "/bytes/1000"]
                let added = try await Tool.run(["queue", "add"] + urls + ["--into", folder.path, "--folder", queue])
                #expect(added.status == 0, "\(added.errors)")
                let identifier = try #require(added.text.split(separator: "\n").first)
                let watch = try await Tool.run("queue", "watch", "--folder", queue)
                #expect(watch.status == 1)
                #expect(watch.errors.contains("404"))
                #expect(watch.errors.contains("to retry: sallyport queue retry \(identifier) --folder \(queue)\n"))
                #expect(try folder.names == ["1000", "queue"])
            }
        }
    }

    @Test func `A cancelled transfer does not run, a paused one waits, and a removed one disappears`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            try await withGateway { base in
                for name in ["one", "two", "three", "four"] {
                    _ = try await Tool.run(
                        ["queue", "add", base + "/bytes/1000", folder.appendingPathComponent(name).path, "--id", name],
                        environment: state
                    )
                }
                #expect(try await Tool.run(["queue", "cancel", "one"], environment: state).status == 0)
                #expect(try await Tool.run(["queue", "pause", "two"], environment: state).status == 0)
                #expect(try await Tool.run(["queue", "remove", "three"], environment: state).status == 0)
                let watch = try await Tool.run(["queue", "watch"], environment: state)
                #expect(watch.status == 0, "\(watch.errors)")
                #expect(watch.errors.contains("1 paused, to resume: sallyport queue resume two\n"))
                #expect(try folder.names == ["four", "state"])
                #expect(try await entries(state).map(\.state) == ["cancelled", "paused", "finished"])
                #expect(try await Tool.run(["queue", "resume", "two"], environment: state).status == 0)
                #expect(try await Tool.run(["queue", "retry", "one"], environment: state).status == 0)
                #expect(try await Tool.run(["queue", "watch"], environment: state).status == 0)
                #expect(try folder.names == ["four", "one", "state", "two"])
            }
        }
    }

    /// Adds downloads of these identifiers to a queue.
    private func add(_ identifiers: [String], from base: String, to folder: URL, _ state: [String: String]) async throws
    {
        for identifier in identifiers {
            let file = folder.appendingPathComponent(identifier).path
            let arguments = ["queue", "add", base + "/bytes/1000", file, "--id", identifier]
            #expect(try await Tool.run(arguments, environment: state).status == 0)
        }
    }

    @Test func `Existing transfers are changed, and missing ones are named`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            try await add(["one", "two"], from: "http://127.0.0.1:9", to: folder, state)
            for (verb, report, states) in [
                ("pause", "was paused", ["paused", "paused"]), ("resume", "was resumed", ["waiting", "waiting"]),
                ("cancel", "was cancelled", ["cancelled", "cancelled"]),
                ("retry", "will be retried", ["waiting", "waiting"]), ("remove", "was removed", []),
            ] {
                let outcome = try await Tool.run(
                    ["queue", verb, "one", "nobody", "two", "one", "nothing"],
                    environment: state
                )
                #expect(outcome.status == 2)
                #expect(
                    outcome.errors == """
                        The transfer one \(report).
                        The transfer two \(report).
                        sallyport: the queue has no transfer "nobody", "nothing"; sallyport queue list shows all transfers

                        """
                )
                #expect(try await entries(state).map(\.state) == states)
            }
        }
    }

    @Test func `A message states that there is nothing to change, with advice`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            try await withGateway { base in
                func errors(_ verb: String, _ identifier: String) async throws -> String {
                    let outcome = try await Tool.run(["queue", verb, identifier], environment: state)
                    #expect(outcome.status == 0)
                    return outcome.errors
                }
                try await add(["one", "two"], from: base, to: folder, state)
                #expect(
                    try await errors("resume", "one") == "sallyport: one is not paused: there is nothing to resume\n"
                )
                #expect(try await errors("retry", "one").hasPrefix("sallyport: one is waiting: "))
                #expect(try await errors("cancel", "two") == "The transfer two was cancelled.\n")
                #expect(try await Tool.run(["queue", "watch"], environment: state).status == 0)
                for verb in ["cancel", "pause", "resume"] {
                    let words = "one has already been completed: there is nothing to \(verb)"
                    #expect(try await errors(verb, "one") == "sallyport: \(words)\n")
                }
                let again = """
                    sallyport: one has already been completed; to repeat it: sallyport queue remove one, and add it again, \
                    with --replace to replace the file

                    """
                #expect(try await errors("retry", "one") == again)
                let file = folder.appendingPathComponent("one").path
                let added = try await Tool.run(
                    ["queue", "add", base + "/bytes/1000", file, "--id", "one"],
                    environment: state
                )
                #expect((added.status, added.text) == (0, "one\n"))
                #expect(added.errors == again)
                let words = "two has already been cancelled: there is nothing to pause"
                #expect(try await errors("pause", "two") == "sallyport: \(words)\n")
                #expect(try await errors("retry", "two") == "The transfer two will be retried.\n")
                #expect(try await entries(state).map(\.state) == ["finished", "waiting"])
            }
        }
    }

    @Test func `The command queue clear removes transfers that have ended, or all, and states their number`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            func clear(_ options: String...) async throws -> String {
                let outcome = try await Tool.run(["queue", "clear"] + options, environment: state)
                #expect(outcome.status == 0)
                return outcome.errors
            }
            #expect(try await clear() == "0 transfers were removed.\n")
            #expect(try folder.names.isEmpty)
            try await add(["one", "two", "three"], from: "http://127.0.0.1:9", to: folder, state)
            _ = try await Tool.run(["queue", "cancel", "one"], environment: state)
            #expect(try await clear() == "1 transfer was removed. 2 have not ended, and remain.\n")
            #expect(try await entries(state).map(\.id) == ["two", "three"])
            #expect(try await clear("--all") == "2 transfers were removed.\n")
            #expect(try await entries(state).isEmpty)
        }
    }

    @Test func `A download whose file exists is refused at once, or is announced if the server chooses its name`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = try folder.file("map.zip", "before")
            let add = ["queue", "add", "http://127.0.0.1:9/map.zip"]
            let refused = try await Tool.run(add + [file], environment: state)
            #expect(refused.status == 23)
            #expect(
                refused.errors
                    == "sallyport: \(file) already exists; --replace replaces it, and --number keeps both files\n"
            )
            #expect(try await entries(state).isEmpty)
            let warned = try await Tool.run(add + ["--into", folder.path], environment: state)
            #expect(warned.status == 0)
            #expect(warned.errors.contains("\(file) already exists; the transfer fails unless the server chooses"))
            #expect(try await Tool.run(add + [file, "--replace"], environment: state).errors.isEmpty)
        }
    }

    @Test func `A mismatch of a hexadecimal digest is reported in hexadecimal`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            try await withGateway { base in
                let url = base + "/bytes/1000"
                let found = ContentDigest.of(try await bytes(url), .sha256).hexadecimal
                let wrong = String(repeating: "0", count: 64)
                let file = folder.appendingPathComponent("file").path
                _ = try await Tool.run(
                    ["queue", "add", url, file, "--id", "one", "--digest", "sha-256=\(wrong)"],
                    environment: state
                )
                let watch = try await Tool.run(["queue", "watch"], environment: state)
                let list = try await Tool.run(["queue", "list"], environment: state)
                #expect(list.text.hasPrefix("one  failed  -  \(url) -> \(file) ("), "\(list.text)")
                let words = "sha-256=\(found) and not the expected sha-256=\(wrong)"
                #expect(watch.errors.contains(words), "\(watch.errors)")
            }
        }
    }

    @Test func `The option --retry limits the total number of retries of a transfer`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = folder.appendingPathComponent("file").path
            try await withGateway { base in
                _ = try await Tool.run(["queue", "add", base + "/status/503", file], environment: state)
                let watch = try await Tool.run(
                    ["queue", "watch", "--retry", "2", "--retry-delay", "0"],
                    environment: state
                )
                #expect(watch.status == 1)
                #expect(!watch.errors.contains("retrying immediately"))
                let list = try await Tool.run(["queue", "list", "--json"], environment: state)
                #expect(list.text.contains("\"failed_attempts\" : 3"))
            }
        }
    }

    @Test func `The saved bytes of a transfer are listed when no process runs it and when it is paused`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = folder.appendingPathComponent("map.bin")
            let script: Script = [
                .receiveHead, .send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 4194304\r\n\r\n"),
                .sendBytes([UInt8](repeating: 1, count: 1 << 20)), .stall,
            ]
            try await withScriptedServer([script]) { server in
                let url = "http://\(server.authority)/map"
                _ = try await Tool.run(["queue", "add", url, file.path, "--id", "map"], environment: state)
                let watch = try ScreenedTool(["queue", "watch"], environment: state)
                try await watch.text(containing: " 25%")
                watch.kill()
                _ = try await watch.outcome()
                for name in ["waiting", "paused"] {
                    let list = try await Tool.run(["queue", "list"], environment: state)
                    #expect(list.text.hasPrefix("map  \(name)  1.0 of 4.0 MiB saved  \(url)"), "\(list.text)")
                    _ = try await Tool.run(["queue", "pause", "map"], environment: state)
                }
            }
        }
    }

    @Test func `A transfer stays in the queue after Control-C and after its process is killed`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = folder.appendingPathComponent("map.bin")
            try await withGateway { base in
                let content = try folder.file("content", randomBytes(1_000_000))
                #expect(try await Tool.run("put", base + "/files/map.bin", "--body", "@\(content)").status == 0)
                // The download takes three seconds, so that it can be observed.
                let url = base + "/files/map.bin?rate=350000"
                _ = try await Tool.run(["queue", "add", url, file.path, "--id", "map"], environment: state)
                let first = try ScreenedTool(["queue", "watch"], environment: state)
                try await first.text(containing: "map.bin  ")
                first.interrupt()
                let (status, text) = try await first.outcome()
                #expect(status == -SIGINT)
                #expect(text.contains("unfinished transfers stay in the queue, to resume: sallyport queue watch"))
                let second = try ScreenedTool(["queue", "watch"], environment: state)
                try await second.text(containing: "map.bin  ")
                second.kill()
                _ = try await second.outcome()
                let last = try await Tool.run(["queue", "watch"], environment: state)
                #expect(last.status == 0, "\(last.errors)")
                try expectSame(Data(contentsOf: file), Data(contentsOf: URL(fileURLWithPath: content)))
            }
        }
    }

    @Test func `The next command that runs transfers cancels a cancelled upload at its server`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = try folder.file("sent.bin", randomBytes(2_000_000))
            let creation: Script = [
                .receiveHead, .send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\r\n"), .stall,
            ]
            let deletion: Script = [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")]
            try await withScriptedServer([creation, deletion]) { server in
                let url = "http://\(server.authority)/"
                let add = try await Tool.run(["queue", "add", "file=\(file)", url, "--id", "one"], environment: state)
                #expect(add.status == 0, "\(add.errors)")
                let run = try ScreenedTool(["queue", "run"], environment: state)
                let uploads = folder.appendingPathComponent("state/sallyport/queue/uploads")
                _ = try await #require(
                    eventually {
                        // A journal is replaced by a new file, which may exist before it is renamed.
                        (try? uploads.names)?.first { name in
                            if name.hasSuffix(".new") { return false }
                            let data = try? Data(contentsOf: uploads.appendingPathComponent(name))
                            return data?.range(of: Data("resource".utf8)) != nil
                        }
                    }
                )
                run.kill()
                _ = try await run.outcome()
                let cancel = try await Tool.run(["queue", "cancel", "one"], environment: state)
                #expect(cancel.status == 0, "\(cancel.errors)")
                #expect(server.requests.map(\.method) == ["POST"])
                let watch = try await Tool.run(["queue", "watch"], environment: state)
                #expect(watch.status == 0, "\(watch.errors)")
                #expect(server.requests.map { "\($0.method) \($0.target)" } == ["POST /", "DELETE /u/1"])
                #expect(try uploads.names.isEmpty)
            }
        }
    }

    @Test func `Two processes that watch a queue run each transfer once, and both end`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            try await withGateway { base in
                let urls = (0..<6).map { base + "/bytes/\(100_000 + $0)" }
                _ = try await Tool.run(["queue", "add"] + urls + ["--into", folder.path], environment: state)
                let watchers = try (0..<2).map { _ in try Tool.start(["queue", "watch"], environment: state) }
                for watcher in watchers { #expect(try await watcher.outcome().status == 0) }
                #expect(try folder.names == (0..<6).map { "\(100_000 + $0)" } + ["state"])
            }
        }
    }

    @Test func `The command queue run also runs later transfers, until Control-C ends it with 0`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let file = folder.appendingPathComponent("file")
            try await withGateway { base in
                let run = try Tool.start(["queue", "run"], environment: state)
                _ = try await Tool.run(["queue", "add", base + "/bytes/1000", file.path], environment: state)
                _ = try await run.errors(containing: "\(file.path): 1000 B")
                run.interrupt()
                #expect(try await run.outcome().status == 0)
            }
        }
    }

    @Test(
        arguments: [
            (
                ["add", "http://127.0.0.1/x", "file", "-H", "Authorization: Bearer x"],
                "Authorization contains a secret, but a queue stores no secrets; pass the credentials to the command that "
                    + "runs the transfers: sallyport queue watch with --auth, or with --user and --server\n"
            ),
            (["add", "http://127.0.0.1/x", "http://127.0.0.1/y", "--id", "a"], "--id"),
            (["add", "http://127.0.0.1/x", "file", "--id", "../x"], "identifier"),
            (["watch", "-u", "a:b"], "--server"), (["watch", "--server", "http://127.0.0.1"], "--server"),
            (["watch", "--cookie", "a=b"], "--cookie"), (["watch", "--timeout", "5"], "--timeout"),
        ] as [([String], String)]
    )
    func `Invalid combinations of options are refused`(arguments: [String], words: String) async throws {
        try await withTemporaryDirectory { folder in
            let outcome = try await Tool.run(["queue"] + arguments, environment: ["XDG_STATE_HOME": folder.path])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(words))
        }
    }
}
