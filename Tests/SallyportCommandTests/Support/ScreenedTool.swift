import Foundation
import TestSupport

/// A run of the command whose standard error is a terminal.
final class ScreenedTool: Sendable {
    private let text = Watched("")
    private let status = Watched<Int32?>(nil)
    private let process: Watched<Process>
    let terminal: Terminal

    /// - Parameter readsTerminal: A Boolean value that indicates whether standard input is the terminal too.
    init(
        _ arguments: [String],
        columns: Int = 100,
        rows: Int = 24,
        readsTerminal: Bool = false,
        environment: [String: String] = [:]
    ) throws {
        terminal = try Terminal(columns: columns, rows: rows)
        let process = Process()
        self.process = Watched(process)
        process.executableURL = try Tool.find()
        process.arguments = arguments
        let own = ["TERM": "xterm"].merging(environment) { _, new in new }
        process.environment = Tool.inherited(adding: own)
        process.standardInput = readsTerminal ? terminal.side : FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.side
        process.terminationHandler = { [status] process in
            let code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            status.update { $0 = code }
        }
        try process.start()
        try terminal.side.close()
        terminal.startReading(into: text)
    }

    /// Waits until the output contains a text, and returns it.
    @discardableResult
    func text(containing part: String) async throws -> String {
        try await text.wait("\"\(part)\" on the terminal", within: .seconds(60)) { $0.contains(part) }
        return text.value
    }

    /// Returns the complete output and the status, which is negative for a signal.
    func outcome() async throws -> (status: Int32, text: String) {
        do {
            try await status.wait("the command to end", within: .seconds(60)) { $0 != nil }
            try await text.wait("the terminal to end", within: .patience) { $0.hasSuffix(Terminal.end) }
        } catch {
            kill(process.value.processIdentifier, SIGKILL)
            throw error
        }
        return (status.value ?? 0, String(text.value.dropLast(Terminal.end.count)))
    }

    /// Returns the lines of the screen at the end.
    func screen(columns: Int = 100) async throws -> [String] {
        var model = ScreenModel(columns: columns)
        model.write(try await outcome().text)
        return model.lines
    }

    /// Sends the signal of Control-C.
    func interrupt() { process.value.interrupt() }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process.value.processIdentifier, signal) }

    /// Kills the process.
    func kill() { _ = Foundation.kill(process.value.processIdentifier, SIGKILL) }

    /// Changes the width of the window.
    func resize(columns: Int, rows: Int = 24) { terminal.resize(columns: columns, rows: rows) }

    private func kill(_ identifier: Int32, _ signal: Int32) { _ = Foundation.kill(identifier, signal) }
}

extension Terminal {
    /// The marker that is appended to the output when no process has the terminal open.
    static let end = "\u{0}"

    init(columns: Int, rows: Int) throws {
        try self.init()
        resize(columns: columns, rows: rows)
    }

    /// Reads on a separate thread until no process has the terminal open.
    func startReading(into text: Watched<String>) {
        Thread.detachNewThread { [self] in
            while let chunk = read() {
                text.update { $0 += String(decoding: chunk, as: UTF8.self).replacing("\r\n", with: "\n") }
            }
            text.update { $0 += Self.end }
        }
    }
}
