import Foundation
import TestSupport

/// A process that shares a file of tokens with others: `Tests/SessionWorker`.
final class Worker: Sendable {
    private let process: Process
    private let input = Pipe()
    private let lines = Watched<[String]>([])

    /// Starts a process.
    ///
    /// - Parameter mode: `calls` or `refresh`.
    init(_ file: URL, port: Int, mode: String) throws {
        process = Process()
        process.executableURL = Self.executable
        process.arguments = [file.path, "\(port)", mode]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        let rest = Watched(Data())
        output.fileHandleForReading.readabilityHandler = { [lines] handle in
            let data = handle.availableData
            if data.isEmpty { return handle.readabilityHandler = nil }
            let whole = rest.update { rest in
                rest.append(data)
                let parts = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
                rest = Data(parts.last ?? Data())
                return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            }
            lines.update { $0 += whole }
        }
        try process.run()
    }

    deinit {
        kill()
    }

    /// Waits until the process has said so many lines.
    ///
    /// - Returns: The last of them.
    func line(_ number: Int, within limit: Duration = .seconds(60)) async throws -> String {
        try await lines.wait("line \(number) of a worker", within: limit) { $0.count >= number }
        return lines.read { $0[number - 1] }
    }

    /// Says a line to the process.
    func say(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Ends the process as a power cut would.
    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Beside the tests, where the build puts it.
    private static var executable: URL {
        #if os(Linux)
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        #else
        let tests = Bundle(for: Worker.self).bundleURL
        #endif
        return tests.deletingLastPathComponent().appendingPathComponent("SessionWorker")
    }
}
