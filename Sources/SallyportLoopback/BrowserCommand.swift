#if os(Linux) || os(macOS)
import Foundation

/// A command that opens a URL in the user's browser.
struct BrowserCommand: Sendable, Hashable {
    /// The path of the program.
    let program: String
    /// The arguments. Each `%s` is replaced by the URL; if there is none, the URL is appended as the last argument.
    var arguments: [String] = []

    /// Returns the arguments for a URL. No shell interprets them, so characters of the URL have no special meaning.
    func arguments(for url: String) -> [String] {
        guard arguments.contains(where: { $0.contains("%s") }) else { return arguments + [url] }
        return arguments.map { $0.replacingOccurrences(of: "%s", with: url) }
    }

    /// Starts the command without waiting for it to end.
    ///
    /// - Parameters:
    ///   - url: The URL to open.
    ///   - environment: The environment of the command.
    ///   - onFailure: A closure that receives the reason if the command ends with an error.
    func open(
        _ url: String,
        environment: [String: String],
        onFailure: @escaping @Sendable (String) -> Void
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments(for: url)
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [program] process in
            if process.terminationReason == .uncaughtSignal || process.terminationStatus != 0 {
                onFailure("\(program) ended with status \(process.terminationStatus)")
            }
        }
        try process.run()
    }
}

extension BrowserCommand {
    /// The error that is thrown if no command is available.
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the first available command in the variable `BROWSER`, or the system's command if the variable is not set.
    static func find(in environment: [String: String]) throws(NotFound) -> BrowserCommand {
        if let commands = environment["BROWSER"], !commands.isEmpty {
            for entry in commands.split(separator: ":") {
                let words = entry.split(separator: " ").map(String.init)
                guard let name = words.first, let program = program(name, in: environment) else { continue }
                return BrowserCommand(program: program, arguments: Array(words.dropFirst()))
            }
            throw NotFound(description: "no program in the variable BROWSER exists")
        }
        for name in try names(in: environment) {
            if let program = program(name, in: environment) { return BrowserCommand(program: program) }
        }
        throw NotFound(
            description: "none of these programs is installed: \(try names(in: environment).joined(separator: ", "))"
        )
    }

    #if os(macOS)
    private static func names(in environment: [String: String]) throws(NotFound) -> [String] { ["/usr/bin/open"] }
    #else
    /// Without a graphical session, `xdg-open` would show the page in this terminal, or hang.
    private static func names(in environment: [String: String]) throws(NotFound) -> [String] {
        let variables = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"]
        guard variables.contains(where: { environment[$0]?.isEmpty == false }) else {
            throw NotFound(description: "there is no graphical session, and the variable BROWSER is not set")
        }
        return ["xdg-open", "wslview"]
    }
    #endif

    private static func program(_ name: String, in environment: [String: String]) -> String? {
        let paths =
            name.contains("/") ? [name] : (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
        return paths.first { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.isExecutableFile(atPath: path)
                && FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
    }
}
#endif
