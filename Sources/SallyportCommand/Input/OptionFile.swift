import Foundation
import Sallyport

/// A file with options of a command, one on each line, in the format of curl's option `--config`.
///
/// A line has the name of an option, without its dashes if it is a long one, and its value after blanks, an equals sign or a colon. A value
/// may be in double quotes; a backslash begins an escape there. A line ends with a line feed, before which a carriage return is ignored.
/// A comment begins with `#` at the beginning of a line, or after a blank behind the value.
struct OptionFile: Sendable {
    /// A line with an option.
    struct Line: Sendable {
        /// The number, counted from 1.
        let number: Int
        /// The option with its dashes.
        let option: String
        /// The option and its value as arguments; for `url`, only the value.
        let arguments: [String]
    }

    let path: String
    let lines: [Line]

    /// The options as arguments.
    var arguments: [String] { lines.flatMap(\.arguments) }

    /// The option that names a file, of all commands that send requests.
    static let declaration = DeclaredOptions.Declaration(
        names: ["-K", "--config"],
        isFlag: false,
        takesAnyText: false,
        isShown: true
    )

    private static let maximumSize = 1 << 20

    /// Reads the file that an option names.
    ///
    /// - Parameter path: The path, or `-` for standard input.
    /// - Throws: ``CommandFailure`` if the file cannot be read or is malformed.
    init(_ path: String) throws(CommandFailure) {
        try self.init(path, descriptor: path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC))
    }

    /// Returns the file that applies to all commands that send requests: the one that `SALLYPORT_CONFIG` names, or
    /// `sallyport/sallyport.conf` in the folder for configuration if it exists. If `SALLYPORT_CONFIG` is empty, there is no file.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read or is malformed, or if others can change it.
    static func standard() throws(CommandFailure) -> OptionFile? {
        // ProcessInfo would copy all variables for each request.
        let named = getenv("SALLYPORT_CONFIG").map { String(cString: $0) }
        guard let path = named ?? standardPath(), !path.isEmpty else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, named == nil, [ENOENT, ENOTDIR].contains(errno) { return nil }
        var status = stat()
        if descriptor >= 0, fstat(descriptor, &status) == 0 {
            let isTrusted = [geteuid(), 0].contains(status.st_uid) && status.st_mode & 0o022 == 0
            // Only the user could have named a device or a pipe.
            guard isTrusted || status.st_mode & S_IFMT != S_IFREG else {
                close(descriptor)
                throw CommandFailure(
                    .unreadableInput,
                    "the file of options \(path) can be changed by other users; run chmod go-w on it"
                )
            }
        }
        return try OptionFile(path, descriptor: descriptor)
    }

    private static func standardPath() -> String? {
        func folder(_ name: String, _ suffix: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 + suffix : nil }
        }
        let base = folder("XDG_CONFIG_HOME", "") ?? folder("HOME", "/.config")
        return base.map { $0 + "/sallyport/sallyport.conf" }
    }

    private init(_ path: String, descriptor: Int32) throws(CommandFailure) {
        guard descriptor >= 0 else { throw InputFile.unreadable(path, systemReason()) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data: Data
        do {
            data = try file.read(upToCount: Self.maximumSize + 1) ?? Data()
        } catch {
            throw InputFile.unreadable(path, (error as NSError).localizedDescription)
        }
        guard data.count <= Self.maximumSize else {
            throw InputFile.unreadable(path, "it is longer than the limit of \(Format.size(Int64(Self.maximumSize)))")
        }
        try self.init(parsing: String(decoding: data, as: UTF8.self), path: path)
    }

    /// Parses the text of a file.
    ///
    /// - Throws: ``CommandFailure`` with the number of a malformed line.
    init(parsing text: String, path: String) throws(CommandFailure) {
        self.path = path
        var lines: [Line] = []
        let feed = UInt8(ascii: "\n")
        for (index, bytes) in text.utf8.split(separator: feed, omittingEmptySubsequences: false).enumerated() {
            let line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
            do throws(LineProblem) {
                guard let (option, arguments) = try Self.option(in: line) else { continue }
                lines.append(Line(number: index + 1, option: option, arguments: arguments))
            } catch {
                // The message does not quote the line, which may contain a secret.
                throw Self.invalid(path, "in line \(index + 1), \(error.text)")
            }
        }
        self.lines = lines
    }

    /// The failure of a file with an option that names another file.
    var namesFile: CommandFailure { Self.invalid(path, Self.containsFile) }

    private static let containsFile = "config is not allowed; a file cannot name another file"

    private static func invalid(_ path: String, _ problem: String) -> CommandFailure {
        CommandFailure(.unreadableInput, "the file of options \(path) is invalid: \(problem)")
    }

    private struct LineProblem: Error {
        let text: String
    }

    /// Returns the option in a line, and its arguments; `nil` for an empty line and a comment.
    private static func option(in line: Substring) throws(LineProblem) -> (String, arguments: [String])? {
        let line = line.drop(while: isBlank)
        if line.isEmpty || line.first == "#" { return nil }
        let name = line.prefix { !isBlank($0) && $0 != "=" && $0 != ":" }
        var rest = line[name.endIndex...].drop(while: isBlank)
        if rest.first == "=" || rest.first == ":" { rest = rest.dropFirst().drop(while: isBlank) }
        let value = rest.isEmpty ? nil : try Self.value(rest)
        let option = name.hasPrefix("-") ? String(name) : "--" + name
        switch (option, value) {
        case ("-K", _), ("--config", _): throw LineProblem(text: Self.containsFile)
        case ("--", _): throw LineProblem(text: "the name of an option is missing")
        case ("--url", let value?): return (option, [value])
        case ("--url", nil): throw LineProblem(text: "url needs a value")
        case (let option, nil): return (option, [option])
        // The argument parser reads an empty value only from a separate argument.
        case (let option, let value?):
            return (option, option.hasPrefix("--") && !value.isEmpty ? ["\(option)=\(value)"] : [option, value])
        }
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func value(_ text: Substring) throws(LineProblem) -> String {
        guard text.first == "\"" else {
            let comment = [" #", "\t#"].compactMap { text.firstRange(of: $0)?.lowerBound }.min() ?? text.endIndex
            return text[..<comment].trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            switch character {
            case "\"":
                let end = rest.drop(while: isBlank)
                if end.isEmpty || end.first == "#" { return value }
                throw LineProblem(text: "text follows the closing quotation mark")
            case "\\":
                let controls: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t", "v": "\u{B}"]
                guard let escaped = rest.popFirst() else { break }
                value.append(controls[escaped] ?? escaped)
            default: value.append(character)
            }
        }
        throw LineProblem(text: "the closing quotation mark is missing")
    }
}
