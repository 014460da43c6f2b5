import Foundation

/// A process that runs a program which the build creates beside the tests.
public final class WorkerProcess: Sendable {
    private let process: Process
    private let output = OutputPipe()

    /// Starts a program.
    public init(_ program: String, _ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.pipe
        try process.start()
        output.startReading()
    }

    deinit {
        kill()
    }

    /// Waits until the process has written a line or has ended.
    public func wait(for line: String) async throws {
        try await output.containing("\(line)\n")
    }

    /// Waits for the end of the process, and returns the lines that it has written.
    public func lines(within limit: Duration = .seconds(120)) async throws -> [String] {
        String(decoding: try await output.whole(within: limit), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Kills the process, as a power failure would.
    public func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    private static var folder: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: WorkerProcess.self).bundleURL
        #endif
        return tests.deletingLastPathComponent()
    }
}
