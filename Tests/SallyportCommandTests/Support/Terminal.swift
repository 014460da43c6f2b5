import Foundation
import TestSupport
import Testing

/// A pseudoterminal that captures the output of a process.
struct Terminal {
    /// The file handle for the process.
    let side: FileHandle
    private let screen: FileHandle

    init() throws {
        var (screen, side): (Int32, Int32) = (-1, -1)
        guard openpty(&screen, &side, nil, nil, nil) == 0 else { throw POSIXError(.ENODEV) }
        self.screen = FileHandle(fileDescriptor: screen, closeOnDealloc: true)
        self.side = FileHandle(fileDescriptor: side, closeOnDealloc: true)
    }

    /// Sets the size of the window.
    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(screen.fileDescriptor, UInt(TIOCSWINSZ), &size)
    }

    /// A Boolean value that indicates whether the terminal shows what is typed.
    var showsInput: Bool { settings.c_lflag & tcflag_t(ECHO) != 0 }

    /// Shows what is typed, as a shell does when it stops a process.
    func showInput() {
        var settings = settings
        settings.c_lflag |= tcflag_t(ECHO)
        tcsetattr(screen.fileDescriptor, TCSANOW, &settings)
    }

    private var settings: termios {
        var settings = termios()
        tcgetattr(screen.fileDescriptor, &settings)
        return settings
    }

    /// Types a text.
    func type(_ text: String) { try? screen.write(contentsOf: Data(text.utf8)) }

    /// Returns the next bytes; `nil` when no process has the terminal open, which is a read error on Linux.
    func read() -> Data? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(screen.fileDescriptor, &chunk, chunk.count)
        return count > 0 ? Data(chunk.prefix(count)) : nil
    }

    /// Reads on a separate thread until no process has the terminal open.
    ///
    /// - Returns: The complete output.
    func startReading() -> Watched<String?> {
        let text = Watched<String?>(nil)
        Thread.detachNewThread { [self] in
            var data = Data()
            while let chunk = read() { data += chunk }
            text.update { [data] in $0 = String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n") }
        }
        return text
    }
}

extension Tool {
    /// Runs the command with a terminal as standard error, and returns its output there.
    static func errorsOnTerminal(_ arguments: [String], environment: [String: String]) async throws -> String {
        try await onTerminal(arguments, environment: environment) { process, side in
            process.standardOutput = FileHandle.nullDevice
            process.standardError = side
        }
    }

    /// Runs the command with a terminal as standard output, without colors, and returns its output there.
    static func outputOnTerminal(_ arguments: [String], environment: [String: String] = [:]) async throws -> String {
        let environment = ["NO_COLOR": "1"].merging(environment) { _, new in new }
        return try await onTerminal(arguments, environment: environment) { process, side in
            process.standardOutput = side
            process.standardError = FileHandle.nullDevice
        }
    }

    /// Runs the command on a terminal, and types a text when the command asks for it.
    ///
    /// - Returns: The status and the output on the terminal.
    static func typing(
        _ input: String,
        after question: String,
        _ arguments: [String]
    ) async throws -> (status: Int32, screen: String) {
        try await typing([(question, input)], arguments)
    }

    /// Runs the command on a terminal, and types texts when the command asks for them.
    ///
    /// - Parameters:
    ///   - exchanges: The questions of the command in order, and the text to type after each.
    ///   - arguments: The arguments of the command.
    ///   - environment: The variables to add to the environment of the tests.
    /// - Returns: The status and the output on the terminal.
    static func typing(
        _ exchanges: [(question: String, input: String)],
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, screen: String) {
        let terminal = try Terminal()
        let (text, status) = (Watched(""), Watched<Int32?>(nil))
        let process = Process()
        process.executableURL = try find()
        process.arguments = arguments
        process.environment = Tool.inherited(adding: environment)
        process.standardInput = terminal.side
        process.standardOutput = terminal.side
        process.standardError = terminal.side
        process.terminationHandler = { ended in status.update { $0 = ended.terminationStatus } }
        try process.start()
        defer { if process.isRunning { process.terminate() } }
        try terminal.side.close()
        terminal.startReading(into: text)
        var answered = 0
        for (question, input) in exchanges {
            let start = answered
            try await text.wait("\"\(question)\" on the terminal", within: .seconds(60)) { text in
                text.dropFirst(start).contains(question) || text.hasSuffix(Terminal.end)
            }
            let rest = text.value.dropFirst(start)
            let asked = try #require(rest.range(of: question), "\(text.value)")
            answered = text.value.distance(from: text.value.startIndex, to: asked.upperBound)
            terminal.type(input)
        }
        try await status.wait("the command to end", within: .seconds(60)) { $0 != nil }
        try await text.wait("the terminal to end", within: .seconds(10)) { $0.hasSuffix(Terminal.end) }
        return (status.value ?? 0, String(text.value.dropLast(Terminal.end.count)))
    }

    private static func onTerminal(
        _ arguments: [String],
        environment: [String: String] = [:],
        connect: (Process, FileHandle) -> Void
    ) async throws -> String {
        let terminal = try Terminal()
        let process = Process()
        process.executableURL = try find()
        process.arguments = arguments
        process.environment = Tool.inherited(adding: environment)
        process.standardInput = FileHandle.nullDevice
        connect(process, terminal.side)
        try process.start()
        try terminal.side.close()
        let text = terminal.startReading()
        try await text.wait("the command to end", within: .seconds(60)) { $0 != nil }
        return text.value ?? ""
    }
}
