import ArgumentParser
import Foundation
import Sallyport
import SallyportResource

/// The parameters, the body and the headers of a resource call.
struct ResourceContentOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A parameter, whose value is text: in the query of get, head and delete, and otherwise in the body as JSON. \
            The values of one name become an array. (repeatable)
            """,
            valueName: "name=value"
        ),
        transform: NameAndValue.init
    )
    var parameter: [NameAndValue] = []

    @Flag(help: "Send the parameters in the body as a form instead of JSON.")
    var formURL = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The body: text, the contents of a file, or standard input.", valueName: "text|@file|@-")
    )
    var body: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The media type of --body. (default: that of the file's name, text/plain for text, or \
            application/octet-stream for standard input)
            """,
            valueName: "type"
        )
    )
    var contentType: String?

    @Option(
        name: [.customShort("F"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A part of a multipart form: a value, a file as @file, or the text in a file as <file; - is standard input. ;type=… \
            and ;filename=… may follow. (repeatable; as in curl)
            """,
            valueName: "name=value|@file|<file"
        ),
        transform: PartArgument.init
    )
    var form: [PartArgument] = []

    @Option(
        name: [.customShort("H"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header, or a file with headers on separate lines. Values of the same name are joined by commas. (repeatable)",
            valueName: "'Name: value'|@file|@-"
        ),
        transform: HeaderSource.init
    )
    var header: [HeaderSource] = []

    /// The options that read standard input.
    var standardInputUses: [String] {
        (body == "@-" ? ["--body"] : []) + header.filter(\.isStandardInput).map { _ in "--header" }
            + form.filter(\.isStandardInput).map { _ in "--form" }
    }

    func validate() throws {
        if body != nil, !parameter.isEmpty || !form.isEmpty {
            throw ValidationError("--body cannot be used with --parameter or --form.")
        }
        if form.contains(where: { !$0.headers.isEmpty }) {
            throw ValidationError("--form has no headers= for resources; omit it.")
        }
        if contentType != nil, body == nil { throw ValidationError("--content-type needs --body.") }
        if formURL, parameter.isEmpty { throw ValidationError("--form-url needs --parameter.") }
    }

    /// Returns the request. Call this only once, because a part of it may be read from standard input.
    ///
    /// - Throws: A failure that names an input that cannot be read; `CancellationError`.
    func request(path: String, method: HTTPMethod) async throws -> ResourceRequest {
        let request = MutableResourceRequest(path: path, method: method)
        if !parameter.isEmpty {
            request.parameters = Dictionary(grouping: parameter, by: \.name).mapValues { parameters -> JsonValue in
                let values = parameters.map { JsonValue.string($0.value) }
                return values.count == 1 ? values[0] : .array(values)
            }
        }
        request.parametersEncoding = formURL ? .formURL : .JSON
        var headers: [String: String] = [:]
        if let body {
            let source = InputSource(body)
            request.body = try await source.data()
            headers[NetworkConstants.headerContentType] = contentType ?? source.contentType
        }
        // The first header with a name replaces one that other options set, such as the media type of the body.
        var names: Set<String> = []
        for source in header {
            for header in try await source.headers() {
                let name = headers.keys.first { $0.lowercased() == header.name.lowercased() } ?? header.name
                if contentType != nil, name == NetworkConstants.headerContentType {
                    throw CommandFailure(.usage, "--content-type and a header Content-Type exclude each other")
                }
                let value = header.value.trimmingCharacters(in: .whitespaces)
                let isFirst = names.insert(name.lowercased()).inserted
                headers[name] = isFirst ? value : "\(headers[name] ?? ""), \(value)"
            }
        }
        if !headers.isEmpty { request.headers = headers }
        if !form.isEmpty {
            var parts: [MultipartData] = []
            for part in form { parts.append(try await part.multipartData()) }
            request.multipartData = parts
        }
        return request.copy()
    }
}

extension PartArgument {
    /// Returns the part for a resource call. A regular file is read while it is sent.
    fileprivate func multipartData() async throws -> MultipartData {
        switch source {
        case .file(let path) where try !isText && InputFile(path).isRegular:
            let file = URL(fileURLWithPath: path)
            return MultipartData(file: file, name: name, fileName: filename, mimeType: contentType)
        case .file, .text, .standardInput:
            let data = try await source.data()
            return MultipartData(data: data, name: name, fileName: sentFilename, mimeType: contentType)
        }
    }
}
