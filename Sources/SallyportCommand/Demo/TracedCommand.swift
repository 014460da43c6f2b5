import Foundation
import SallyportStorage
import SallyportTransport

/// A run of this command in another process, which is traced as a debugger does it.
struct TracedCommand {
    let status: Int32
    /// The text on standard error.
    let errors: String

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command.
    ///   - isTraced: A Boolean value that indicates whether this process traces the other one.
    ///   - folder: A folder for the profile and the errors of the command.
    /// - Returns: The result; `nil` if the system does not allow the tracing.
    static func run(_ arguments: [String], isTraced: Bool, in folder: URL) async throws -> TracedCommand? {
        let errorFile = folder.appendingPathComponent("errors-\(UUID().uuidString)")
        try Data().write(to: errorFile)
        let errors = try FileHandle(forWritingTo: errorFile)
        defer { try? errors.close() }
        let input = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell waits until it is traced, and is then replaced by the command.
        let script = #"read -r line && exec "$0" "$@""#
        process.arguments = ["-c", script, Bundle.main.executableURL?.path ?? ""] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "SALLYPORT_HOME": folder.path, "SALLYPORT_PROFILE": "", "SALLYPORT_STORE_KEY": "",
            "SALLYPORT_STORE_KEY_FILE": "", "SALLYPORT_STORE": "",
        ]) { $1 }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        let tracer = isTraced ? await ProcessTracer(of: process.processIdentifier) : nil
        defer { tracer?.end() }
        if isTraced, tracer == nil { return nil }
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        let timeout = DemoMismatch(description: "expected the process to end within 20 s")
        try await withTimeLimit(.seconds(20), orThrow: timeout) {
            try await runAbandonable { process.waitUntilExit() }
        }
        return TracedCommand(
            status: process.terminationStatus,
            errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
        )
    }
}
