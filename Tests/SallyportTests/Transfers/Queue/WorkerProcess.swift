import Foundation
import TestSupport

/// A process of a program that the build puts beside the tests.
final class WorkerProcess: Sendable {
    private let process: Process
    private let output = Watched((data: Data(), isOver: false))

    init(_ program: String, _ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // In a thread of its own, as a readability handler misses the end at times.
        Thread.detachNewThread { [output, handle = pipe.fileHandleForReading] in
            while !output.value.isOver {
                let data = handle.availableData
                output.update { output in
                    output.data += data
                    output.isOver = data.isEmpty
                }
            }
        }
    }

    deinit {
        kill()
    }

    /// Waits until it has said a line, or is over.
    func wait(for line: String) async throws {
        try await output.wait("a process to say \(line)", within: .seconds(60)) { output in
            output.isOver || String(decoding: output.data, as: UTF8.self).contains("\(line)\n")
        }
    }

    /// What it has said once it is over.
    func lines(within limit: Duration = .seconds(120)) async -> [String] {
        try? await output.wait("a process to end", within: limit) { $0.isOver }
        return String(decoding: output.value.data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends the process as a power cut would.
    func kill() {
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
