import Foundation
import SallyportStorage
import TestSupport

/// A Python program that reads its input from a file or its arguments, and prints JSON.
struct PythonProgram {
    let interpreter: String?
    let script: String?

    /// Runs the program, and returns what it has printed.
    func run<Output: Decodable & Sendable>(_ arguments: [String], as type: Output.Type = Output.self) async throws
        -> Output
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter ?? "")
        process.arguments = ["-B", script ?? ""] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.start()
        let output = await runBlocking { pipe.fileHandleForReading.readDataToEndOfFile() }
        await runBlocking { process.waitUntilExit() }
        return try JSONDecoder().decode(Output.self, from: output)
    }
}
