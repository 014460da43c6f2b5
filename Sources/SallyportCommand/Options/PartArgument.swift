import ArgumentParser
import Foundation
import Sallyport

/// A part of a multipart form, as an argument of curl's option `-F`: `name=value`, `name=@file`, or `name=<file` for the text in a file.
///
/// `;type=…`, `;filename=…` and `;headers=…` may follow. A value, a path and the values of these attributes may be in double quotes, and
/// end at a semicolon otherwise. Where curl drops text or sends a form inside the form, the argument is refused.
struct PartArgument: Sendable {
    let name: String
    let source: InputSource
    private(set) var contentType: String?
    private(set) var filename: String?
    /// The further headers of the part.
    private(set) var headers: [HeaderSource] = []
    /// A Boolean value that indicates whether the content of the file is sent as a value, without the name of the file.
    private(set) var isText = false

    init(name: String, source: InputSource, contentType: String? = nil, filename: String? = nil) {
        self.name = name
        self.source = source
        self.contentType = contentType
        self.filename = filename
    }

    /// - Throws: A usage error that explains the form, without the text of the argument.
    init(_ argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("It must have the form name=value, name=@file or name=<file.")
        }
        name = String(argument[..<equals])
        var words = PartWords(argument[argument.index(after: equals)...])
        switch words.mark {
        case "@", "<":
            isText = words.mark == "<"
            let path = try words.path()
            source = path == "-" ? .standardInput : .file(path)
        case "(":
            throw ValidationError(
                "It begins with a parenthesis, which begins a form inside the form in curl; quote it, as in name=\"(…)\"."
            )
        default: source = .text(try words.word())
        }
        while let attribute = try words.nextAttribute() {
            switch attribute {
            case .type: contentType = try words.mediaType()
            case .filename where isText:
                throw ValidationError("It has filename=, although the text in a file is sent without a name.")
            case .filename: filename = try words.word()
            case .headers: headers.append(try HeaderSource(words.word()))
            }
        }
    }

    /// A Boolean value that indicates whether the part is read from standard input.
    var isStandardInput: Bool {
        if case .standardInput = source { return true }
        return headers.contains(where: \.isStandardInput)
    }

    /// Adds the part to a form.
    ///
    /// - Throws: A failure with the path of a file that cannot be read; `CancellationError`.
    func append(to form: inout MultipartForm) async throws {
        var headers = try await partHeaders()
        // As in curl, a header replaces the type.
        let contentType = headers.removeValue(forKey: "content-type") ?? contentType
        switch source {
        case .file(let path) where try !isText && InputFile(path).isRegular:
            let file = URL(fileURLWithPath: path)
            form.append(name: name, file: file, filename: filename, contentType: contentType, headers: headers)
        case .standardInput where !isText:
            // As in curl, it is a file named "-". It is sent while it is read, so its length is unknown.
            let stream = BodyStream(InputChunks(descriptor: STDIN_FILENO, name: "-"))
            let type = contentType ?? filename.map(MediaType.ofFile) ?? NetworkConstants.contentTypeBinary
            form.append(name: name, stream: stream, filename: filename ?? "-", contentType: type, headers: headers)
        case .file, .text, .standardInput:
            let data = try await source.data()
            form.append(name: name, data: data, filename: sentFilename, contentType: contentType, headers: headers)
        }
    }

    /// The file name that the server receives: the name in the argument, or else the name of the file.
    var sentFilename: String? {
        guard filename == nil, !isText else { return filename }
        switch source {
        case .text: return nil
        case .file(let path): return URL(fileURLWithPath: path).lastPathComponent
        case .standardInput: return "-"
        }
    }

    /// Reads the headers, with names in lower case.
    private func partHeaders() async throws -> [String: String] {
        var headers: [String: String] = [:]
        for source in self.headers {
            for header in try await source.headers() {
                let value = header.value.trimmingCharacters(in: .whitespaces)
                if headers.updateValue(value, forKey: header.name.lowercased()) != nil {
                    throw CommandFailure(.usage, "the part \(name) has two headers \(header.name); omit one of them")
                }
            }
        }
        return headers
    }
}

/// Reads the words of the text after `name=` in an argument of `-F`.
private struct PartWords {
    enum Attribute: String, CaseIterable {
        case type, filename, headers
    }

    private var rest: Substring.UnicodeScalarView
    /// `true` if the words belong to a file. The path of a file ends at a comma.
    private var isFile = false

    init(_ text: Substring) { rest = text.unicodeScalars }

    /// The first character.
    var mark: Unicode.Scalar? { rest.first }

    /// Reads a path after its mark.
    mutating func path() throws -> String {
        isFile = rest.popFirst() == "@"
        return try word()
    }

    /// Reads the text in quotation marks, or otherwise up to the end of the word, without blanks around it.
    mutating func word() throws -> String {
        skipBlanks()
        return try quoted() ?? plain()
    }

    /// Reads the name of the next attribute; `nil` at the end.
    mutating func nextAttribute() throws -> Attribute? {
        guard let end = rest.popFirst() else { return nil }
        if end == "," {
            throw ValidationError(
                "It names several files; write an option for each, or quote a path with a comma, as in name=@\"a,b\"."
            )
        }
        skipBlanks()
        guard let attribute = attribute else {
            if prefix("encoder=") {
                throw ValidationError("It has encoder=, which is not supported; encode the file before.")
            }
            throw ValidationError(
                "It has text other than type=, filename= and headers= after a semicolon; quote a value with a semicolon, as in name=\"a;b\"."
            )
        }
        rest = rest.dropFirst(attribute.rawValue.count + 1)
        return attribute
    }

    /// Reads a media type, which includes its parameters.
    mutating func mediaType() throws -> String {
        skipBlanks()
        let start = rest
        _ = plain()
        while rest.first == ";" {
            var next = self
            next.rest.removeFirst()
            next.skipBlanks()
            if next.attribute != nil { break }
            _ = next.plain()
            rest = next.rest
        }
        let type = String(start[..<rest.startIndex]).trimmingCharacters(in: .whitespaces)
        let parts = type.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts.contains(where: \.isEmpty) else {
            throw ValidationError("It has a media type that does not have the form type/subtype.")
        }
        return type
    }

    /// The attribute at the beginning of the rest. As in curl, its case has no meaning.
    private var attribute: Attribute? { Attribute.allCases.first { prefix($0.rawValue + "=") } }

    private func prefix(_ text: String) -> Bool {
        String(rest.prefix(text.unicodeScalars.count)).lowercased() == text
    }

    private mutating func skipBlanks() { rest = rest.drop { $0.properties.isWhitespace } }

    private func isEnd(_ scalar: Unicode.Scalar) -> Bool { scalar == ";" || isFile && scalar == "," }

    /// Reads up to the end of the word, without blanks at its end.
    private mutating func plain() -> String {
        var word = rest.prefix { !isEnd($0) }
        rest = rest[word.endIndex...]
        while word.last?.properties.isWhitespace == true { word.removeLast() }
        return String(word)
    }

    /// Reads a text in quotation marks. A backslash precedes each quotation mark and backslash in it. Returns `nil` for a word without a
    /// closing quotation mark, which is read like any other, as in curl.
    private mutating func quoted() throws -> String? {
        guard rest.first == "\"" else { return nil }
        var word = String.UnicodeScalarView()
        var after = rest.dropFirst()
        var isClosed = false
        while !isClosed, let scalar = after.popFirst() {
            if scalar == "\"" {
                isClosed = true
            } else {
                let isEscape = scalar == "\\" && (after.first == "\"" || after.first == "\\")
                word.append(isEscape ? after.removeFirst() : scalar)
            }
        }
        if !isClosed { return nil }
        after = after.drop { $0.properties.isWhitespace }
        if let next = after.first, !isEnd(next) {
            throw ValidationError("It has text after the closing quotation mark; quote the complete value.")
        }
        rest = after
        return String(word)
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
