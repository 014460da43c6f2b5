import ArgumentParser
import Foundation
import Sallyport

/// The body of a request.
struct ContentOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A JSON body, which must be valid.", valueName: "text|@file")
    )
    var json: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A field of a form; it is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var form: [NameAndValue] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A part of a multipart form: a value, a file as @file, or standard input as @-. ;type=… and ;filename=… may \
            follow. (repeatable)
            """,
            valueName: "name=value|@file|@-"
        ),
        transform: PartArgument.init
    )
    var part: [PartArgument] = []

    @Option(
        name: .customShort("F"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part as in --part, or with the text in a file as name=<file. (repeatable; as in curl)",
            valueName: "name=value|@file|<file"
        ),
        transform: PartArgument.curl
    )
    var formPart: [PartArgument] = []

    @Option(
        name: [.customShort("d"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Form data, sent as it is; pieces are joined by &, and files lose their line breaks. (repeatable; as in curl)",
            valueName: "data|@file|@-"
        )
    )
    var data: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As --data, but @ has no meaning. (repeatable)", valueName: "data")
    )
    var dataRaw: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("As --data, but files are sent unchanged. (repeatable)", valueName: "data|@file|@-")
    )
    var dataBinary: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "As --data, but the value is escaped. (repeatable)",
            valueName: "value|name=value|name@file"
        )
    )
    var dataUrlencode: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The body: text, the contents of a file, or standard input.",
            valueName: "text|@file|@-"
        )
    )
    var body: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The media type of the body. (default: derived from the body)", valueName: "type")
    )
    var contentType: String?

    /// The options that read standard input.
    var standardInputUses: [String] {
        [("--body", body), ("--json", json)].filter { $0.1 == "@-" }.map(\.0)
            + formData.pieces.filter(\.isStandardInput).map { _ in "--data" }
            + part.filter(\.isStandardInput).map { _ in "--part" }
            + formPart.filter(\.isStandardInput).map { _ in "-F" }
    }

    /// The parts of a multipart form.
    var parts: [PartArgument] { part + formPart }

    /// The content of curl's options for data, whose pieces are in the order of the options' names.
    private var formData: FormData {
        FormData(
            pieces: data.map { .init(data: $0) } + dataRaw.map { .init(raw: $0) }
                + dataBinary.map { .init(binary: $0) } + dataUrlencode.map { .init(urlencode: $0) }
        )
    }

    /// The names of the options with a body that were used.
    private var usedOptions: [String] {
        let options = [
            ("--json", json != nil), ("--form", !form.isEmpty), ("--part", !part.isEmpty), ("-F", !formPart.isEmpty),
            ("--data", !formData.pieces.isEmpty), ("--body", body != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    /// A Boolean value that indicates whether the request has a body.
    var hasBody: Bool { !usedOptions.isEmpty }

    func validate() throws {
        let used = usedOptions
        if used.count > 1, used != ["--part", "-F"] {
            throw ValidationError(
                "Only one of \(used[0]) and \(used[1]) can be used, as a request has one body; omit one of them."
            )
        }
        if !parts.isEmpty, contentType != nil {
            throw ValidationError(
                "--content-type cannot be used with --part: the media type of a multipart form contains its boundary."
            )
        }
    }
}

extension ContentOptions {
    /// Adds the body and its media type to a request. Call this only once, because the body may be read from standard
    /// input.
    ///
    /// - Throws: A failure that names an input that cannot be used; `CancellationError`.
    func apply(to request: inout HttpRequest) async throws {
        try await applyBody(to: &request)
        if let contentType { request.setHeader(name: NetworkConstants.headerContentType, value: contentType) }
    }

    private func applyBody(to request: inout HttpRequest) async throws {
        if let json {
            let body = try await validated(json: InputSource(json))
            request.post(contentType: NetworkConstants.contentTypeJSON, body: body)
        } else if !form.isEmpty {
            request.form(parameters: form.map { ($0.name, $0.value) })
        } else if !parts.isEmpty {
            var form = MultipartForm()
            for part in parts { try await part.append(to: &form) }
            request.multipart(form)
        } else if !formData.pieces.isEmpty {
            request.body = try await formData.body()
            request.setHeader(
                name: NetworkConstants.headerContentType,
                value: NetworkConstants.contentTypeForm
            )
        } else if let body {
            let source = InputSource(body)
            request.body = try await source.body()
            request.setHeader(name: NetworkConstants.headerContentType, value: source.contentType)
        }
    }

    /// Returns the JSON unchanged. It is parsed only to detect quoting errors.
    private func validated(json source: InputSource) async throws -> Data {
        let data = try await source.data()
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            let problem = JsonProblem(in: data).map { " in \($0)" } ?? ""
            var isFileName = false
            if case .text(let text) = source { isFileName = text.wholeMatch(of: /[^\s{}\[\]"',:]+\.\w+/) != nil }
            throw CommandFailure(
                .usage,
                """
                the value of --json is not valid JSON\(problem); \(isFileName ? "use --json @FILE to send a file, or" : "use") --body \
                to send it anyway
                """
            )
        }
        return data
    }
}
