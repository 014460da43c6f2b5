import Foundation
import SallyportStorage

/// A process that runs a program which the build creates beside the tests, and exchanges lines with it.
public final class Worker: Sendable {
    /// A process has ended before it was killed.
    public struct EarlyEnd: Error {
        /// The exit status, or the number of the signal that ended the process.
        let status: Int32
        let lines: [String]
    }

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

    /// Starts a program of the directory `Tests`, such as `CacheWorker`.
    public init(_ program: String, _ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        // The program that describes a crash would wait endlessly if the process is killed meanwhile.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
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

    /// Waits until the process has written a line or has ended.
    public func wait(for line: String) async throws {
        try await output.containing("\(line)\n")
    }

    /// Waits for the end of the process, and returns the lines that it has written.
    public func lines(within limit: Duration = .seconds(120)) async throws -> [String] {
        String(decoding: try await output.whole(within: limit), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Writes a line to the standard input of the process.
    public func send(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Kills the process with SIGKILL.
    public func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Kills the process with SIGKILL.
    ///
    /// - Returns: The lines that it has written.
    /// - Throws: ``EarlyEnd`` if the process has ended before, for example because it crashed.
    public func killAndReadLines() async throws -> [String] {
        kill()
        let lines = try await lines()
        await runBlocking { [process] in process.waitUntilExit() }
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
            throw EarlyEnd(status: process.terminationStatus, lines: lines)
        }
        return lines
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
