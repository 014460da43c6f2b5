import Foundation
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportCommand

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

    @Test func `The command integrity prints JSON with --json`() async throws {
        let outcome = try await Tool.run("integrity", "--json", "--check", "hooking")
        #expect(outcome.text == "[\n  {\n    \"check\" : \"hooking\",\n    \"finding\" : null\n  }\n]\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    #if os(Linux)
    @Test func `The command integrity finds a library that is added to the process`() async throws {
        // The loader ignores a library that does not exist.
        let outcome = try await Tool.run(["integrity"], environment: ["LD_PRELOAD": "/no/such/hook.so"])
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("hooking: code of this process may have been replaced: the variable LD_PRELOAD"))
        #expect(outcome.errors.contains("1 finding"))
        let json = try await Tool.run(["integrity", "--json"], environment: ["LD_PRELOAD": "/no/such/hook.so"])
        #expect(json.status == 1)
        #expect(json.text.contains("\"finding\" : \"code of this process may have been replaced: "), "\(json.text)")
    }

    @Test(.enabled("This system does not allow tracing.") { try await ProcessTracer.isAllowed })
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
            guard let tracer = await ProcessTracer(of: tool.identifier) else {
                tool.interrupt()
                Issue.record("the process cannot be traced")
                return
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
extension ProcessTracer {
    /// A Boolean value that indicates whether the system allows a process to trace another one that it has started.
    fileprivate static var isAllowed: Bool {
        get async throws {
            let tool = try RunningTool(executable: URL(fileURLWithPath: "/bin/cat"), arguments: [], input: nil)
            defer { tool.interrupt() }
            return await ProcessTracer(of: tool.identifier) != nil
        }
    }
}
#endif
