#if os(Linux) || os(macOS)
import Foundation

/// A command that shows a URL in the person's browser.
struct BrowserCommand: Sendable, Hashable {
    /// The path of the program.
    let program: String
    /// Its arguments, one of which may have `%s` in it for the URL; else the URL is the last.
    var arguments: [String] = []

    /// The arguments with the URL. It is one of them, or a part of one, whatever is in it: no shell reads it.
    func arguments(for url: String) -> [String] {
        guard arguments.contains(where: { $0.contains("%s") }) else { return arguments + [url] }
        return arguments.map { $0.replacingOccurrences(of: "%s", with: url) }
    }

    /// Starts the command and lets it go on by itself.
    ///
    /// - Parameters:
    ///   - environment: What the command finds in its environment.
    ///   - fail: Is told if the command says that it failed.
    func open(
        _ url: String,
        environment: [String: String],
        orTell fail: @escaping @Sendable (String) -> Void
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
                fail("\(program) ended with status \(process.terminationStatus)")
            }
        }
        try process.run()
    }
}

extension BrowserCommand {
    /// Why there is no command.
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// The command that an environment asks for, else the system's.
    static func find(in environment: [String: String]) throws(NotFound) -> BrowserCommand {
        if let wish = environment["BROWSER"], !wish.isEmpty {
            for entry in wish.split(separator: ":") {
                let words = entry.split(separator: " ").map(String.init)
                guard let name = words.first, let program = program(name, in: environment) else { continue }
                return BrowserCommand(program: program, arguments: Array(words.dropFirst()))
            }
            throw NotFound(description: "the environment's BROWSER names no program that is here")
        }
        for name in try names(in: environment) {
            if let program = program(name, in: environment) { return BrowserCommand(program: program) }
        }
        throw NotFound(description: "there is no \(try names(in: environment).joined(separator: " and no ")) here")
    }

    #if os(macOS)
    private static func names(in environment: [String: String]) throws(NotFound) -> [String] { ["/usr/bin/open"] }
    #else
    /// Without a screen, `xdg-open` would show the page in this terminal, or hang.
    private static func names(in environment: [String: String]) throws(NotFound) -> [String] {
        let screens = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"]
        guard screens.contains(where: { environment[$0]?.isEmpty == false }) else {
            throw NotFound(description: "there is no screen here, and no BROWSER in the environment")
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
