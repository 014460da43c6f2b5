import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct CommandDeadlineTests {
    private static let answer: Script = [
        .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), .close,
    ]

    private func expectTimeout(_ outcome: Tool.Outcome) {
        #expect(outcome.status == 28, "\(outcome.errors)")
        #expect(outcome.errors == "sallyport: the time limit of --timeout, 300 ms, has passed\n")
    }

    @Test(arguments: [
        ["-o", "PIPE"], ["-K", "PIPE"], ["--netrc-file", "PIPE"], ["--bearer-file", "PIPE"], ["-w", "@PIPE"],
        ["-H", "@PIPE"], ["--cert", "PIPE"], ["--body", "@PIPE"],
    ])
    func `The limit includes the wait for a pipe that nobody opens`(options: [String]) async throws {
        try await withTemporaryDirectory { folder in
            let pipe = folder.appendingPathComponent("pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            try await withScriptedServer([Self.answer]) { server in
                let words = options.map { $0.replacing("PIPE", with: pipe) }
                expectTimeout(try await Tool.run(["post", "http://\(server.authority)/", "-m", "0.3"] + words))
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `The limit includes the wait for authorities from a pipe`() async throws {
        try await withTemporaryDirectory { folder in
            let pipe = folder.appendingPathComponent("pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            expectTimeout(try await Tool.run("get", "https://127.0.0.1:9/", "--max-time=0.3", "--cacert", pipe))
        }
    }

    @Test func `The limit includes the wait for the reader of the output`() async throws {
        let body = String(repeating: "x", count: 1 << 20)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
        try await withTemporaryDirectory { folder in
            let pipe = folder.appendingPathComponent("pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            // The reading end is open, but not read.
            let reader = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(reader) }
            try await withScriptedServer([[.receiveHead, .send(head + body), .stall]]) { server in
                let outcome = try await Tool.run("get", "http://\(server.authority)/", "-m", "0.3", "-o", pipe)
                #expect(outcome.status == 28, "\(outcome.errors)")
            }
        }
    }

    @Test func `The limit includes the refresh of tokens`() async throws {
        try await SignIn.with { configuration in
            configuration.lifetimes.accessToken = 1
        } _: { signIn in
            try await signIn.asAlice("--api", signIn.base)
            // Another process that refreshes the tokens holds the lock.
            let lock = signIn.home.appendingPathComponent("default/tokens.lock").path
            let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0, "\(lock)")
            defer { close(descriptor) }
            try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            let outcome = try await signIn.run("get", signIn.protected, "--auth", "-m", "0.3")
            #expect(outcome.status == 28, "\(outcome.errors)")
        }
    }

    @Test func `A request that times out states how far it got`() async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "-m", "3")
            #expect(outcome.status == 28)
            #expect(outcome.errors.contains("GET http://\(server.authority)/"), "\(outcome.errors)")
        }
    }

    @Test(
        arguments: [
            (["get", "http://a/", "-m", "2"], 2), (["get", "-m2", "http://a/"], 2),
            (["http://a/", "--timeout=0.5"], 0.5),
            (["download", "--max-time", "3", "http://a/"], 3), (["get", "http://a/", "-m", "x"], nil),
            (["get", "http://a/", "-m", "0"], nil), (["login", "--timeout", "5"], nil),
            (["get", "http://a/", "-m"], nil),
        ] as [([String], Double?)]
    )
    func `The limit applies while files of options are read`(arguments: [String], seconds: Double?) {
        #expect(CommandDeadline.limit(in: arguments) == seconds.map(Duration.seconds))
    }
}
