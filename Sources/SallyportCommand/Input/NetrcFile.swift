import Foundation
import Sallyport
import SallyportStorage

/// The credentials in a file in the format of `.netrc`.
///
/// The keywords are `machine`, `default`, `login`, `password`, `account` and `macdef`. Values may be in double quotes.
/// Where a keyword is expected, `#` begins a comment that ends with the line; a value may begin with `#`.
struct NetrcFile: Sendable {
    private static let maximumSize = 1 << 20

    private struct Entry {
        /// The host; `nil` for the default entry.
        let host: String?
        var name: String?
        var password: String?
    }

    private let path: String
    private let entries: [Entry]

    /// Reads a file, or a pipe such as `<(command)` in a shell. Blocks until the pipe ends.
    ///
    /// - Throws: A failure if the file cannot be read, is readable by others, or is malformed.
    init(at path: String) throws(CommandFailure) {
        let data: Data?
        do throws(PrivateAccessError) {
            data = try Self.isPipe(path) ? Self.readPipe(path) : Self.readFile(path)
        } catch {
            throw CommandFailure(.unreadableInput, "the netrc file \(path) \(Self.problem(error))")
        }
        guard let data else { throw CommandFailure(.unreadableInput, "there is no netrc file \(path)") }
        try self.init(parsing: String(decoding: data, as: UTF8.self), path: path)
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private static func readFile(_ path: String) throws(PrivateAccessError) -> Data? {
        try PrivateFile.read(URL(fileURLWithPath: path).resolvingSymlinksInPath().path, upTo: maximumSize)
    }

    private static func readPipe(_ path: String) throws(PrivateAccessError) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(.last("cannot be read")) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { throw .notFile }
        if status.st_uid != geteuid() { throw .otherOwner }
        // On Apple platforms, the mode of an unnamed pipe, which has no links, includes the group.
        if status.st_mode & 0o077 != 0, status.st_nlink > 0 { throw .accessibleToOthers }
        do throws(FileSystemError) {
            if let data = try FileSystem.content(of: descriptor, upTo: maximumSize) { return data }
        } catch {
            throw .system(error)
        }
        throw .tooLong(maximum: maximumSize)
    }

    /// Parses the contents of a file.
    ///
    /// - Parameter path: The name of the file in errors.
    init(parsing text: String, path: String) throws(CommandFailure) {
        self.path = path
        var words = NetrcWords(text)
        var entries: [Entry] = []
        while let word = words.next(skippingComments: true) {
            switch word {
            case "machine": entries.append(Entry(host: try Self.value(of: word, &words, path).lowercased()))
            case "default": entries.append(Entry(host: nil))
            case "macdef": words.skipMacro()
            case "login" where !entries.isEmpty:
                entries[entries.count - 1].name = try Self.value(of: word, &words, path)
            case "password" where !entries.isEmpty:
                entries[entries.count - 1].password = try Self.value(of: word, &words, path)
            case "account" where !entries.isEmpty: _ = try Self.value(of: word, &words, path)
            default:
                // The message does not quote the word, which may be part of a password.
                throw Self.malformed(path, words.line, "machine, default, login or password is expected")
            }
        }
        self.entries = entries
    }

    /// Returns the user and password for the host of a URL.
    ///
    /// - Throws: A failure if the file has no entry for the host and no default.
    func credentials(for url: String) throws -> UserAndPassword {
        let host = try Origin(of: HttpRequest(url: url).head()).host
        guard let entry = entries.first(where: { $0.host == host }) ?? entries.first(where: { $0.host == nil }) else {
            throw CommandFailure(.usage, "the netrc file \(path) has no entry for \(host) and no default")
        }
        guard let password = entry.password else {
            throw CommandFailure(.usage, "the entry for \(host) in the netrc file \(path) has no password")
        }
        return UserAndPassword(name: entry.name ?? "", password: password)
    }

    private static func value(of word: String, _ words: inout NetrcWords, _ path: String) throws(CommandFailure)
        -> String
    {
        guard let value = words.next(skippingComments: false) else {
            throw malformed(path, words.line, "\(word) has no value")
        }
        return value
    }

    private static func malformed(_ path: String, _ line: Int, _ problem: String) -> CommandFailure {
        CommandFailure(.unreadableInput, "the netrc file \(path) is invalid: in line \(line), \(problem)")
    }

    private static func problem(_ error: PrivateAccessError) -> String {
        switch error {
        case .system(let error): "\(error)"
        case .symbolicLink, .notFile, .notDirectory: "is neither a regular file nor a pipe"
        case .otherOwner: "belongs to another user and is not trusted"
        case .accessibleToOthers, .writableByOthers: "can be read or changed by others; run chmod 600 on it"
        case .tooLong(let limit): "is longer than the limit of \(Format.size(Int64(limit)))"
        }
    }
}

/// Reads the words of a `.netrc` file in order.
private struct NetrcWords {
    private var rest: Substring.UnicodeScalarView
    /// The number of the line that contains the last word.
    private(set) var line = 1

    init(_ text: String) { rest = text[...].unicodeScalars }

    mutating func next(skippingComments: Bool) -> String? {
        while let scalar = rest.first {
            if scalar == "#", skippingComments {
                rest = rest.drop { $0 != "\n" }
            } else if scalar.properties.isWhitespace {
                take()
            } else {
                return scalar == "\"" ? quoted() : word()
            }
        }
        return nil
    }

    /// Skips the name and the lines of a macro, which ends at an empty line.
    mutating func skipMacro() {
        var isEmpty = false
        while let scalar = take() {
            if scalar == "\n", isEmpty { return }
            if scalar == "\n" { isEmpty = true } else if !scalar.properties.isWhitespace { isEmpty = false }
        }
    }

    private mutating func word() -> String {
        let word = rest.prefix { !$0.properties.isWhitespace }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func quoted() -> String {
        take()
        var text = String.UnicodeScalarView()
        while let scalar = take(), scalar != "\"" {
            guard scalar == "\\", let escaped = take() else {
                text.append(scalar)
                continue
            }
            let controls: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]
            text.append(controls[escaped] ?? escaped)
        }
        return String(text)
    }

    @discardableResult
    private mutating func take() -> Unicode.Scalar? {
        let scalar = rest.popFirst()
        if scalar == "\n" { line += 1 }
        return scalar
    }
}
