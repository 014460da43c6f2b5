import ArgumentParser
import Foundation
import Sallyport

/// A part of a multipart form: `name=value`, `name=@file` or `name=@-`, optionally followed by `;type=…` and `;filename=…`.
struct PartArgument: Sendable {
    let name: String
    let source: InputSource
    private(set) var contentType: String?
    private(set) var filename: String?
    /// A Boolean value that indicates whether the content of the file is sent as a value, without the name of the file.
    private(set) var isText = false

    init(_ argument: String) throws {
        let pair = try NameAndValue(argument)
        var text = pair.value[...]
        while let (rest, attribute) = Self.splitLastAttribute(text) {
            let value = attribute.value
            if attribute.name == "type" { contentType = contentType ?? value } else { filename = filename ?? value }
            text = rest
        }
        name = pair.name
        source = InputSource(String(text))
    }

    /// Returns the part for an argument of curl's option `-F`, in which `name=<file` is a value that is read from a file.
    static func curl(_ argument: String) throws -> PartArgument {
        guard let equals = argument.firstIndex(of: "="), argument[equals...].hasPrefix("=<") else {
            return try PartArgument(argument)
        }
        var part = try PartArgument(argument[...equals] + "@" + argument[equals...].dropFirst(2))
        part.isText = true
        return part
    }

    /// A Boolean value that indicates whether the part is read from standard input.
    var isStandardInput: Bool { if case .standardInput = source { true } else { false } }

    /// Splits off the last `;type=…` or `;filename=…`. Other semicolons belong to the value.
    private static func splitLastAttribute(_ text: Substring) -> (rest: Substring, attribute: NameAndValue)? {
        let starts = [";type=", ";filename="].compactMap { text.range(of: $0, options: .backwards)?.lowerBound }
        guard let start = starts.max(), let attribute = try? NameAndValue(String(text[start...].dropFirst())) else {
            return nil
        }
        return (text[..<start], attribute)
    }

    /// Adds the part to a form.
    ///
    /// - Throws: A failure with the path of a file that cannot be read; `CancellationError`.
    func append(to form: inout MultipartForm) async throws {
        switch source {
        case .file where isText:
            form.append(name: name, data: try await source.data(), filename: filename, contentType: contentType)
        case .file(let path) where try InputFile(path).isRegular:
            let file = URL(fileURLWithPath: path)
            form.append(name: name, file: file, filename: filename, contentType: contentType)
        case .file(let path):
            let filename = filename ?? URL(fileURLWithPath: path).lastPathComponent
            form.append(name: name, data: try await source.data(), filename: filename, contentType: contentType)
        case .text:
            form.append(name: name, data: try await source.data(), filename: filename, contentType: contentType)
        case .standardInput:
            // As in curl, it is a file named "-". It is sent while it is read, so its length is unknown.
            let stream = BodyStream(InputChunks(descriptor: STDIN_FILENO, name: "-"))
            let type = contentType ?? filename.map(MediaType.ofFile) ?? NetworkConstants.contentTypeBinary
            form.append(name: name, stream: stream, filename: filename ?? "-", contentType: type)
        }
    }
}

/// An argument of the form `name=value`.
struct NameAndValue: Sendable {
    let name: String
    let value: String

    /// - Throws: A usage error for an argument without an equals sign, or without a name.
    init(_ argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("It must have the form name=value.")
        }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
