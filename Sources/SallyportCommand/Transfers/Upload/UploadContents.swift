import ArgumentParser
import Foundation
import Sallyport

/// The files and the URL of an upload, parsed from the arguments of `upload`.
struct UploadContents: Sendable {
    /// The body of the upload.
    enum Content: Sendable {
        /// A form of files.
        case form([PartArgument])
        /// One file as the body.
        case file(PartArgument)
    }

    let content: Content
    let address: RequestURL

    /// The URL to send the content to, without user and password.
    var url: String { address.text }

    /// Parses `KEY=FILE… URL` or `FILE URL`.
    ///
    /// - Throws: A failure that explains the correct form.
    init(_ arguments: [String]) throws {
        guard arguments.count > 1, let url = arguments.last else {
            throw CommandFailure(.usage, "specify the files to upload, as KEY=FILE or FILE, followed by the URL")
        }
        address = RequestURL(url)
        let files = arguments.dropLast()
        if !address.text.contains("://"), files.contains(where: { $0.contains("://") && !Self.isPart($0) }) {
            throw CommandFailure(.badURL, "the URL precedes the files; write it after them: sallyport upload FILE URL")
        }
        if let file = files.first, files.count == 1, !Self.isPart(file) {
            content = .file(try Self.part("file", file[...], file))
            return
        }
        content = .form(
            try files.map { argument in
                guard Self.isPart(argument), let equals = argument.firstIndex(of: "=") else {
                    let shown = Redaction.text(argument)
                    throw CommandFailure(
                        .usage,
                        "several files need a form, and \"\(shown)\" has no key: use KEY=\(shown)"
                    )
                }
                let file = argument[argument.index(after: equals)...]
                return try Self.part(
                    String(argument[..<equals]),
                    file.hasPrefix("@") ? file.dropFirst() : file,
                    argument
                )
            }
        )
    }

    /// The files, in order.
    var files: [PartArgument] {
        switch content {
        case .form(let parts): parts
        case .file(let part): [part]
        }
    }

    /// The default method.
    var standardMethod: HttpMethod {
        if case .form = content { return .post }
        return .put
    }

    /// The name of the upload in messages.
    var name: String {
        let name = files.first.map { URL(fileURLWithPath: $0.path).lastPathComponent } ?? ""
        return files.count > 1 ? "\(name) and \(files.count - 1) more" : name
    }

    /// Returns a Boolean value that indicates whether an argument has the form `KEY=FILE`. Text with a slash before the
    /// equals sign is the path of a file.
    private static func isPart(_ argument: String) -> Bool {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return false }
        return !argument[..<equals].contains("/")
    }

    /// Returns the part for a file. Its path may be followed by `;type=…` and `;filename=…`. Other semicolons belong to the path.
    private static func part(_ name: String, _ path: Substring, _ argument: String) throws -> PartArgument {
        var (path, contentType, filename) = (path, String?.none, String?.none)
        while let (rest, attribute) = splitLastAttribute(path) {
            if attribute.name == "type" {
                contentType = contentType ?? attribute.value
            } else {
                filename = filename ?? attribute.value
            }
            path = rest
        }
        if argument == "-" || argument.hasSuffix("=-") || path == "-" {
            throw CommandFailure(
                .usage,
                "an upload needs files; for standard input use sallyport put --body @-, or post --form KEY=@-"
            )
        }
        let source = InputSource("@" + path)
        return PartArgument(name: name, source: source, contentType: contentType, filename: filename)
    }

    /// Splits off the last `;type=…` or `;filename=…`.
    private static func splitLastAttribute(_ text: Substring) -> (rest: Substring, attribute: NameAndValue)? {
        let starts = [";type=", ";filename="].compactMap { text.range(of: $0, options: .backwards)?.lowerBound }
        guard let start = starts.max(), let attribute = try? NameAndValue(String(text[start...].dropFirst())) else {
            return nil
        }
        return (text[..<start], attribute)
    }
}

extension PartArgument {
    /// The path of the file; `-` for standard input, and empty for text.
    var path: String {
        switch source {
        case .file(let path): path
        case .standardInput: "-"
        case .text: ""
        }
    }
}
