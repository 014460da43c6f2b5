import Foundation

/// A process that shares files with others, reads lines and writes lines: `Tests/SessionWorker` or `Tests/CacheWorker`.
public final class Worker: Sendable {
    private let process: Process
    private let input = Pipe.closedOnExec()
    private let output = OutputPipe()

    /// Starts a `SessionWorker`.
    ///
    /// - Parameters:
    ///   - file: The file with tokens, or with a session, or the folder with the identity of a device.
    ///   - port: The port of the server on this computer.
    ///   - mode: The mode, such as `calls`; `SessionWorker` lists them.
    public convenience init(_ file: URL, port: Int, mode: String) throws {
        try self.init("SessionWorker", file.path, "\(port)", mode)
    }

    /// Starts a program that the build creates beside the tests.
    public init(_ program: String, _ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output.pipe
        output.startReading()
        try process.start()
    }

    deinit {
        kill()
    }

    /// Waits until the process has written a number of lines.
    ///
    /// - Returns: The last line.
    public func line(_ number: Int) async throws -> String {
        try await output.line(number)
    }

    /// Writes a line to the standard input of the process.
    public func send(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Kills the process with SIGKILL.
    public func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    private static var folder: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: Worker.self).bundleURL
        #endif
        return tests.deletingLastPathComponent()
    }
}
