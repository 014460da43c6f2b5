import ArgumentParser
import Foundation
import Sallyport

/// What is uploaded, and where to: the arguments of `upload`, understood.
struct UploadContents: Sendable {
    /// What is sent.
    enum Content: Sendable {
        /// A form of files.
        case form([PartArgument])
        /// One file as it is.
        case file(PartArgument)
    }

    let content: Content
    let address: RequestURL

    /// The URL to send the content to, without user and password.
    var url: String { address.text }

    /// Reads `KEY=FILE… URL` or `FILE URL`.
    ///
    /// - Throws: A failure that says how to put it.
    init(_ arguments: [String]) throws {
        guard arguments.count > 1, let url = arguments.last else {
            throw CommandFailure(.usage, "name what to upload, as KEY=FILE or FILE, and behind it the URL")
        }
        address = RequestURL(url)
        let files = arguments.dropLast()
        if let file = files.first, files.count == 1, !Self.isPart(file) {
            content = .file(try Self.part("file=@\(file)", file))
            return
        }
        content = .form(
            try files.map { argument in
                guard Self.isPart(argument), let equals = argument.firstIndex(of: "=") else {
                    let shown = Redaction.text(argument)
                    throw CommandFailure(
                        .usage,
                        "several files go in a form, and \"\(shown)\" lacks its key: KEY=\(shown)"
                    )
                }
                let file = argument[argument.index(after: equals)...]
                return try Self.part(
                    "\(argument[..<equals])=@\(file.hasPrefix("@") ? file.dropFirst() : file)",
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

    /// The method unless another is chosen.
    var standardMethod: HttpMethod {
        if case .form = content { return .post }
        return .put
    }

    /// What the upload is called.
    var name: String {
        let name = files.first.map { URL(fileURLWithPath: $0.path).lastPathComponent } ?? ""
        return files.count > 1 ? "\(name) and \(files.count - 1) more" : name
    }

    /// A key is a word before an equals sign; with a slash it is the folder of a file.
    private static func isPart(_ argument: String) -> Bool {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return false }
        return !argument[..<equals].contains("/")
    }

    private static func part(_ text: String, _ argument: String) throws -> PartArgument {
        if argument == "-" || argument.hasSuffix("=-") {
            throw CommandFailure(.usage, "an upload is of files; for standard input there is sallyport put --body @-")
        }
        return try PartArgument(text)
    }
}

extension PartArgument {
    /// The path of the file; empty for a text.
    var path: String {
        if case .file(let path) = source { return path }
        return ""
    }
}
