import ArgumentParser
import Foundation
import Sallyport

/// The body of a request.
struct ContentOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A JSON body, which must be valid, and the header Accept. The pieces of several options are joined. (repeatable)",
            valueName: "text|@file|@-"
        )
    )
    var json: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A field of a form; it is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var field: [NameAndValue] = []

    @Option(
        name: [.customShort("F"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A part of a multipart form: a value, a file as @file, or the text in a file as <file; - is standard input. ;type=…, \
            ;filename=… and ;headers=… may follow. (repeatable; as in curl)
            """,
            valueName: "name=value|@file|<file"
        ),
        transform: PartArgument.init
    )
    var form: [PartArgument] = []

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
        (body == "@-" ? ["--body"] : []) + json.filter { $0 == "@-" }.map { _ in "--json" }
            + formData.pieces.filter(\.isStandardInput).map { _ in "--data" }
            + form.filter(\.isStandardInput).map { _ in "--form" }
    }

    /// The content of curl's options for data. Its pieces are in the order of the options' names.
    private var formData: FormData {
        FormData(
            pieces: data.map { .init(data: $0) } + dataRaw.map { .init(raw: $0) }
                + dataBinary.map { .init(binary: $0) } + dataUrlencode.map { .init(urlencode: $0) }
        )
    }

    /// The names of the options with a body that were used.
    private var usedOptions: [String] {
        let options = [
            ("--json", !json.isEmpty), ("--field", !field.isEmpty), ("--form", !form.isEmpty),
            ("--data", !formData.pieces.isEmpty), ("--body", body != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    /// A Boolean value that indicates whether the request has a body.
    var hasBody: Bool { !usedOptions.isEmpty }

    func validate() throws {
        let used = usedOptions
        if used.count > 1 {
            throw ValidationError(
                "Only one of \(used[0]) and \(used[1]) can be used, as a request has one body; omit one of them."
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
        if let contentType { try request.setContentType(contentType) }
    }

    private func applyBody(to request: inout HttpRequest) async throws {
        if !json.isEmpty {
            request.post(contentType: NetworkConstants.contentTypeJSON, body: try await validatedJSON())
            request.setHeader(name: NetworkConstants.headerAccept, value: NetworkConstants.contentTypeJSON)
        } else if !field.isEmpty {
            request.form(parameters: field.map { ($0.name, $0.value) })
        } else if !form.isEmpty {
            var multipart = MultipartForm()
            for part in form { try await part.append(to: &multipart) }
            request.multipart(multipart)
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

    /// Returns the pieces of `--json`, joined and otherwise unchanged. They are parsed only to detect quoting errors.
    private func validatedJSON() async throws -> Data {
        var data = Data()
        for piece in json { data += try await InputSource(piece).data() }
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            let problem = JsonProblem(in: data).map { " in \($0)" } ?? ""
            var isFileName = false
            if json.count == 1, case .text(let text) = InputSource(json[0]) {
                isFileName = text.wholeMatch(of: /[^\s{}\[\]"',:]+\.\w+/) != nil
            }
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
