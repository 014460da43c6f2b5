import ArgumentParser
import Foundation
import Sallyport
import SallyportStorage

/// The source of an option's value: the argument itself, a file (`@file`) or standard input (`@-`).
enum InputSource: Sendable {
    case text(String)
    case file(String)
    case standardInput

    init(_ argument: String) {
        if argument == "@-" {
            self = .standardInput
        } else if argument.hasPrefix("@") {
            self = .file(String(argument.dropFirst()))
        } else {
            self = .text(argument)
        }
    }

    /// The maximum size of files with settings or secrets, in bytes.
    static let maximumSettingsSize = 1 << 20

    /// Reads all bytes into memory. Cancellation ends the wait for standard input or a pipe.
    ///
    /// - Parameter maximum: The maximum number of bytes in a file or on standard input.
    /// - Throws: ``CommandFailure`` if they cannot be read, or if there are more than `maximum`; `CancellationError`.
    func data(upTo maximum: Int = .max) async throws -> Data {
        switch self {
        case .text(let text): return Data(text.utf8)
        case .file(let path): return try await runAbandonable { try InputFile.contents(of: path, upTo: maximum) }
        case .standardInput: return try await runAbandonable { try InputFile.contents(of: "-", upTo: maximum) }
        }
    }

    /// Returns the bytes as a body, which is read while it is sent.
    ///
    /// - Throws: ``CommandFailure`` if they cannot be read, `CancellationError`.
    func body() async throws -> RequestBody {
        switch self {
        case .text(let text): return .data(Data(text.utf8))
        case .standardInput: return .stream(BodyStream(InputChunks(descriptor: STDIN_FILENO, name: "-")))
        case .file(let path):
            let file = try InputFile(path)
            if file.isRegular { return .file(URL(fileURLWithPath: path)) }
            if file.isEmpty { return .data(try await data()) }
            // Waits until another process opens a named pipe.
            let descriptor = try await runAbandonable {
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                if descriptor < 0 { throw InputFile.unreadable(path, systemReason()) }
                return descriptor
            }
            return .stream(BodyStream(InputChunks(descriptor: descriptor, name: path)))
        }
    }

    /// The media type, derived from the kind of source and the name of the file.
    var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .file(let path): MediaType.ofFile(named: path)
        case .standardInput: NetworkConstants.contentTypeBinary
        }
    }
}

/// Checks that only one option reads standard input.
enum StandardInputUses {
    /// - Parameter options: The names of the options that read standard input.
    /// - Throws: A usage error if there is more than one.
    static func check(_ options: [String]) throws {
        if options.count < 2 { return }
        if options[0] == options[1] {
            throw ValidationError("Only one \(options[0]) can read standard input; use a file for the other.")
        }
        throw ValidationError(
            "Only one of \(options[0]) and \(options[1]) can read standard input; use a file for the other."
        )
    }
}

/// An input file, checked before anything is sent.
struct InputFile {
    /// `true` if the file is regular and its size is known. It is `false` for pipes, devices, and files of `/proc`, which have the size 0.
    let isRegular: Bool
    /// `true` if the file is regular and has the size 0. Files of `/proc` have contents nevertheless.
    let isEmpty: Bool

    /// - Throws: A failure that names the file and its problem.
    init(_ path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(path, systemReason()) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw Self.unreadable(path, "it is a directory") }
        guard access(path, R_OK) == 0 else { throw Self.unreadable(path, systemReason()) }
        isRegular = kind == S_IFREG && status.st_size > 0
        isEmpty = kind == S_IFREG && status.st_size == 0
    }

    /// Reads a file or a pipe to its end, or standard input for the path `-`. Blocks until a pipe ends.
    ///
    /// - Parameter maximum: The maximum number of bytes.
    /// - Throws: A failure that names the file and its problem.
    static func contents(of path: String, upTo maximum: Int) throws(CommandFailure) -> Data {
        let contents: Data?
        if path != "-" { _ = try InputFile(path) }
        do throws(FileSystemError) {
            contents =
                path == "-"
                ? try FileSystem.content(of: STDIN_FILENO, upTo: maximum)
                : try FileSystem.content(of: URL(fileURLWithPath: path), upTo: maximum)
        } catch {
            throw unreadable(path, error.explanation)
        }
        guard let contents else {
            throw unreadable(path, "it is longer than the limit of \(Format.size(Int64(maximum)))")
        }
        return contents
    }

    static func unreadable(_ path: String, _ reason: String) -> CommandFailure {
        let name = path == "-" ? "standard input" : path.isEmpty ? "a file without a name" : "the file \(path)"
        return CommandFailure(.unreadableInput, "\(name) cannot be read: \(reason)")
    }
}

/// The bytes of a pipe, a terminal or a device, in chunks as they arrive.
struct InputChunks: AsyncSequence, Sendable {
    let descriptor: Int32
    let name: String

    func makeAsyncIterator() -> Iterator { Iterator(input: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let input: InputChunks

        func next() async throws -> Data? {
            try await runAbandonable { [input] in try input.read() }
        }
    }

    private func read() throws(CommandFailure) -> Data? {
        var chunk = Data(count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { return chunk.prefix(count) }
            if count == 0 { return nil }
            if errno == EAGAIN {
                DescriptorWait.wait(for: Int16(POLLIN), on: descriptor)
            } else if errno != EINTR {
                throw InputFile.unreadable(name, systemReason())
            }
        }
    }
}
