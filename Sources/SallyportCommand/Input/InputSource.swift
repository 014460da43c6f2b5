import ArgumentParser
import Foundation
import Sallyport

/// Where an option takes its bytes from: itself, a file (`@file`) or standard input (`@-`).
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

    /// Returns all the bytes, in memory. Cancellation ends the wait for them.
    ///
    /// - Throws: ``CommandFailure`` if they cannot be read, `CancellationError`.
    func data() async throws -> Data {
        switch self {
        case .text(let text): return Data(text.utf8)
        case .file(let path):
            return try await Self.reading(path) {
                try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
            }
        case .standardInput:
            return try await Self.reading("-") { try FileHandle.standardInput.readToEnd() ?? Data() }
        }
    }

    /// Returns the bytes as a body, of which no more is held in memory than is being sent.
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
            let descriptor = try await Self.reading(path) {
                dup(try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).fileDescriptor)
            }
            return .stream(BodyStream(InputChunks(descriptor: descriptor, name: path)))
        }
    }

    /// The media type that the source suggests.
    var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .file(let path): MediaType.ofFile(named: path)
        case .standardInput: NetworkConstants.contentTypeBinary
        }
    }

    private static func reading<Value: Sendable>(
        _ path: String,
        _ read: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await BlockingCall.run {
            do {
                if path != "-" { _ = try InputFile(path) }
                return try read()
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw InputFile.unreadable(path, (error as NSError).localizedDescription)
            }
        }
    }
}

/// Standard input, which can be read once only.
enum StandardInputUses {
    /// - Parameter options: The options that read it.
    /// - Throws: A usage error if there is more than one.
    static func check(_ options: [String]) throws {
        if options.count < 2 { return }
        throw ValidationError("Only one of \(options[0]) and \(options[1]) can be standard input.")
    }
}
