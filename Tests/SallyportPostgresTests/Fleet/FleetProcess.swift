#if PostgreSQL && os(Linux)
import Foundation
import TestSupport

/// A process in a network namespace, which reads commands and prints lines.
final class FleetProcess: Sendable {
    /// The name of the process in the output of the proxy.
    let name: String
    private let process = Process()
    private let input = Pipe.closedOnExec()
    private let output = OutputPipe()
    private let linesRead = Watched(0)

    /// Starts a process, which prints "ready" when it is.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - namespace: The network namespace.
    init(_ name: String, _ command: [String], in namespace: String) throws {
        self.name = name
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Each of these programs executes the next one, so the process keeps its identifier.
        process.arguments = ["ip", "netns", "exec", namespace] + command
        process.standardInput = input
        process.standardOutput = output.pipe
        output.startReading()
        try process.start()
    }

    deinit { signal(SIGKILL) }

    /// Writes a line to the standard input of the process.
    func send(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Waits for the next line of the output.
    func nextLine() async throws -> String {
        let number = linesRead.update { number in
            number += 1
            return number
        }
        return try await output.line(number)
    }

    /// Writes a line, and waits for the next line of the output.
    func answer(to line: String) async throws -> String {
        send(line)
        return try await nextLine()
    }

    /// Sends a signal, such as SIGKILL, SIGSTOP or SIGCONT.
    func signal(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }
}
#endif
