import Foundation
import SallyportStorage
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct IntegrityCommandTests {
    @Test func `The command integrity shows the result of each check`() async throws {
        let outcome = try await Tool.run("integrity")
        #expect(outcome.text == "debugger: no finding\ncompromised-device: no finding\nhooking: no finding\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `The command integrity runs only the chosen checks`() async throws {
        let outcome = try await Tool.run("integrity", "--check", "hooking", "--check", "debugger")
        #expect(outcome.text == "debugger: no finding\nhooking: no finding\n")
        let wrong = try await Tool.run("integrity", "--check", "outdated-app")
        #expect(wrong.status == 2)
    }

    #if os(Linux)
    @Test func `The command integrity finds a library that is added to the process`() async throws {
        // The loader ignores a library that does not exist.
        let outcome = try await Tool.run(["integrity"], environment: ["LD_PRELOAD": "/no/such/hook.so"])
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("hooking: code of this process may have been replaced: the variable LD_PRELOAD"))
        #expect(outcome.errors.contains("1 finding"))
    }

    @Test func `The command integrity finds a tracing process`() async throws {
        try await withTemporaryDirectory { folder in
            let start = folder.appendingPathComponent("start").path
            try #require(mkfifo(start, 0o600) == 0)
            let command = #"read line < "$0"; exec "$1" integrity"#
            let tool = try RunningTool(
                executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", command, start, try Tool.find().path],
                input: Data()
            )
            let tracer = try Tracer(of: tool.identifier)
            try await runBlocking { try Data("\n".utf8).write(to: URL(fileURLWithPath: start)) }
            let outcome = try await tool.outcome()
            tracer.end()
            #expect(outcome.status == 1)
            let pattern = /debugger: a debugger is attached to this process: .+ \(process \d+\); detach it/
            #expect(outcome.text.contains(pattern), "\(outcome.text) \(outcome.errors)")
        }
    }
    #endif
}

#if os(Linux)
/// Traces a process, as a debugger does. The process does not stop.
private final class Tracer: Sendable {
    private typealias Trace = @convention(c) @Sendable (Int, Int, Int, Int) -> Int
    /// `PTRACE_SEIZE`.
    private static let seize = 0x4206

    /// The process is traced by one thread, until it ends.
    private let ended = DispatchSemaphore(value: 0)

    init(of process: Int32) throws {
        // Swift does not import the C function, because it is variadic.
        let trace = try #require(dlsym(nil, "ptrace").map { unsafeBitCast($0, to: Trace.self) })
        let begun = DispatchSemaphore(value: 0)
        let result = Locked(0)
        Thread.detachNewThread { [ended] in
            result.withLock { $0 = trace(Self.seize, Int(process), 0, 0) }
            begun.signal()
            ended.wait()
        }
        begun.wait()
        try #require(result.withLock { $0 } == 0, "this system does not allow tracing")
    }

    deinit {
        ended.signal()
    }

    /// Ends the tracing.
    func end() {
        ended.signal()
    }
}
#endif
