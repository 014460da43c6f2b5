import Foundation
import SallyportStorage
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: !ObservedProcess.isCurrent, "The checks find the debugger or the libraries of the tests.")
)
struct IntegrityCommandTests {
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

    @Test(.enabled("This system does not allow tracing.") { try await Tracer.isAllowed })
    func `The command integrity finds a tracing process`() async throws {
        try await withTemporaryDirectory { folder in
            let start = folder.appendingPathComponent("start").path
            try #require(mkfifo(start, 0o600) == 0)
            let command = #"read line < "$0"; exec "$1" integrity"#
            let tool = try RunningTool(
                executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", command, start, try Tool.find().path],
                input: Data()
            )
            let tracer: Tracer
            do {
                tracer = try await Tracer(of: tool.identifier)
            } catch {
                tool.interrupt()
                throw error
            }
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

    init(of process: Int32) async throws {
        // Swift does not import the C function, because it is variadic.
        let trace = try #require(dlsym(nil, "ptrace").map { unsafeBitCast($0, to: Trace.self) })
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [ended] in
                continuation.resume(returning: trace(Self.seize, Int(process), 0, 0))
                ended.wait()
            }
        }
        guard result == 0 else {
            ended.signal()
            throw TracingRefused()
        }
    }

    /// A Boolean value that indicates whether the system allows a process to trace another one that it has started.
    static var isAllowed: Bool {
        get async throws {
            let tool = try RunningTool(executable: URL(fileURLWithPath: "/bin/cat"), arguments: [], input: nil)
            defer { tool.interrupt() }
            do {
                try await Tracer(of: tool.identifier).end()
                return true
            } catch is TracingRefused {
                return false
            }
        }
    }

    deinit {
        ended.signal()
    }

    /// Ends the tracing.
    func end() {
        ended.signal()
    }
}

/// The system does not allow tracing.
private struct TracingRefused: Error {}
#endif
