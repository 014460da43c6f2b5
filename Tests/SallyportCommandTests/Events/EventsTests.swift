import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct EventsTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    private static let end = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"

    @Test func `Events are printed from several connections until the server ends the stream with 204`()
        async throws
    {
        try await withGateway { base in
            let outcome = try await Tool.run("events", base + "/events?count=5&batch=2&retry=10")
            #expect(outcome.status == 0)
            #expect(outcome.errors.isEmpty)
            let lines = (1...5).map { "tick #\($0): {\"number\":\($0),\"of\":5}\n" }
            #expect(outcome.text == lines.joined())
        }
    }

    @Test func `The option --json prints a line for each event, and --count limits their number`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("events", base + "/events?retry=10&interval=1", "--json", "--count", "4")
            #expect(outcome.status == 0)
            let lines = outcome.text.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines.first == #"{"data":"{\"number\":1,\"of\":10}","event":"tick","id":"1"}"#)
        }
    }

    @Test func `The help lists all options except those that are refused`() async throws {
        let help = try await Tool.run("events", "--help").text
        for option in ["--output", "--include"] { #expect(!help.contains(option)) }
        for option in ["--compressed", "--curl", "--json"] { #expect(help.contains(option)) }
        let get = try await Tool.run("get", "--help").text
        let parts = get.components(separatedBy: "RESPONSE OPTIONS:\n")
        #expect(parts.count == 2)
        #expect(parts.last?.hasPrefix("  -i, --include/--no-include\n") == true, "\(get)")
    }

    @Test func `The option --last-event-id starts after an event`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("events", base + "/events?retry=10", "--last-event-id", "8")
            #expect(outcome.text.hasPrefix("tick #9:"))
            #expect(outcome.text.split(separator: "\n").count == 2)
        }
    }

    @Test func `Data lines are printed below each other with control characters escaped`() async throws {
        let events = "data: one\ndata: two\n\nevent: \u{1B}[2J\nid: \u{7}\ndata: a\tb\u{9B}31m\u{1B}]0;x\u{202E}\n\n"
        try await withScriptedServer([[.receiveHead, .send(Self.head + events), .close]]) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/", "--no-reconnect")
            #expect(outcome.status == 0)
            #expect(outcome.text == "message:\n  one\n  two\n\\u{1B}[2J #\\u{7}: a\tb\\u{9B}31m\\u{1B}]0;x\\u{202E}\n")
        }
    }

    /// A response with three events, encoded by gzip although the request does not ask for it.
    private static func encoded(_ base64: String, _ coding: String = "gzip") throws -> Script {
        let body = try #require(Data(base64Encoded: base64))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: \(coding)\r\n"
        return [.receiveHead, .send(head + "Content-Length: \(body.count)\r\n\r\n"), .sendBytes(Array(body))]
    }

    private static let oneMember = "H4sIAAAAAAACA0tJLEm0UjDg4koBMwxhDCMuLgD5ivVAGwAAAA=="
    private static let threeMembers = """
        H4sIAAAAAAACA0tJLEm0UjDg4gIA+ae6VQkAAAAfiwgAAAAAAAIDS0ksSbRSMOTiAgDOzXhUCQAAAB+LCAAAAAAAAgNLSSxJtFIw4uICAJdzPlYJAAAA
        """

    @Test(arguments: [oneMember, threeMembers], [[], ["--compressed"]])
    func `Events are decoded even if the coding was not requested`(body: String, options: [String]) async throws {
        try await withScriptedServer([Self.encoded(body)]) { server in
            let outcome = try await Tool.run(["events", "http://\(server.authority)/", "--count", "3"] + options)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == "message: 0\nmessage: 1\nmessage: 2\n")
            #expect(server.requests.first?["Accept-Encoding"].isEmpty == options.isEmpty)
        }
    }

    @Test func `Events in a coding that cannot be decoded are an error that names it`() async throws {
        try await withScriptedServer([Self.encoded(Self.oneMember, "br")]) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/", "--count", "3")
            #expect(outcome.status == 61)
            #expect(outcome.errors.contains("(Content-Encoding: br)"), "\(outcome.errors)")
            #expect(outcome.errors.contains("-H 'Accept-Encoding: identity'"), "\(outcome.errors)")
        }
    }

    @Test func `A line or an event that is too long names the option that raises the limit`() async throws {
        let line = String(repeating: "x", count: 2 << 20)
        let events = "data: \(line)\n\ndata: \(line)\ndata: \(line)\ndata: \(line)\n\n"
        try await withScriptedServer([[.receiveHead, .send(Self.head + events), .close]]) { server in
            let call = ["events", "http://\(server.authority)/", "--no-reconnect"]
            for (options, status, words) in [
                ([], 63, "longer than 1.0 MiB; raise --limit line-size"),
                (["--limit", "line-size=4M"], 63, "more than 4.0 MiB of data; raise --limit event-size"),
                (["--limit", "line-size=4M", "--limit", "event-size=8M"], 0, ""),
            ] as [([String], Int32, String)] {
                let outcome = try await Tool.run(call + options)
                #expect(outcome.status == status)
                #expect(words.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(words), "\(outcome.errors)")
            }
        }
    }

    @Test func `Control-C ends the command by the signal and closes the connection`() async throws {
        try await withScriptedServer([[.receiveHead, .send(Self.head + "data: a\n\n"), .stall]]) { server in
            let tool = try Tool.start(["events", "http://\(server.authority)/"])
            _ = try await tool.output(containing: "message: a")
            tool.interrupt()
            let outcome = try await tool.outcome()
            #expect(outcome.status == -SIGINT)
            #expect(outcome.errors.isEmpty)
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `Header and authentication options apply to the request for events`() async throws {
        let script: [ScriptStep] = [.receiveHead, .send(Self.end), .close]
        try await withScriptedServer([script]) { server in
            let url = "http://\(server.authority)/"
            let outcome = try await Tool.run("events", url, "-H", "X-Tenant: a", "--user", "ada:secret")
            #expect(outcome.status == 0)
            #expect(server.requests.first?["X-Tenant"] == ["a"])
            #expect(server.requests.first?["Accept"] == ["text/event-stream"])
            #expect(server.requests.first?["Authorization"].first?.hasPrefix("Basic ") == true)
            #expect(server.requests.first?.method == "GET")
        }
    }

    @Test func `The option --curl prints a command with the header fields of the call`() async throws {
        let script: [ScriptStep] = [.receiveHead, .send(Self.end), .close]
        try await withScriptedServer([script, script]) { server in
            let arguments = ["events", "http://\(server.authority)/", "-H", "X-Tenant: a", "--last-event-id", "ä 7"]
            let outcome = try await Tool.run(arguments)
            #expect(outcome.status == 0)
            let command = try await Tool.run(arguments + ["--curl"])
            #expect(command.status == 0)
            #expect(server.acceptedConnections == 1)
            let sent = try #require(server.requests.first)
            for name in ["Accept", "Cache-Control", "Last-Event-ID", "X-Tenant"] {
                let value = try #require(sent[name].first)
                #expect(command.text.lowercased().contains("'\(name): \(value)'".lowercased()))
            }
            #expect(command.text.contains(" --no-buffer --fail"))
        }
    }

    @Test func `A failure is reported and retried`() async throws {
        let busy =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let scripts: [[ScriptStep]] = [[.receiveHead, .send(busy), .close], [.receiveHead, .send(Self.end), .close]]
        try await withScriptedServer(scripts) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/")
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("the server answered 503 Service Unavailable; retrying in 1 s"))
        }
    }

    @Test(
        arguments: [
            ("/status/401", 22, "the server answered 401 Unauthorized"), ("/health", 8, "instead of text/event-stream"),
        ]
    )
    func `The exit status depends on the failure`(path: String, status: Int32, problem: String) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("events", base + path)
            #expect(outcome.status == status)
            #expect(outcome.errors.contains(problem))
            #expect(outcome.text.isEmpty)
        }
    }

    @Test func `With --retry 0 the command ends at the first failure, and with --timeout after a time`() async throws {
        try await withScriptedServer([[.receiveHead, .reset]]) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/", "--retry", "0")
            // The system reports a reset as an error of reading (56) or only as the end of the connection (52).
            #expect(outcome.status == 56 || outcome.status == 52, "\(outcome.errors)")
            #expect(server.acceptedConnections == 1)
        }
        try await withScriptedServer([[.receiveHead, .send(Self.head + "data: a\n\n"), .stall]]) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/", "--timeout", "0.3")
            #expect(outcome.status == 28)
            #expect(outcome.text == "message: a\n")
            #expect(outcome.errors.contains("--timeout"))
        }
    }

    @Test(
        arguments: [
            ["--count", "0"], ["--idle-timeout", "0"], ["--output", "file"], ["--include"],
        ]
    )
    func `Usage errors are reported before a request is sent`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["events", "http://127.0.0.1:9/"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(arguments[0]))
    }
}
