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
            + part.filter(\.isStandardInput).map { _ in "--part" }
    }

    func validate() throws {
        let bodies = [json != nil, !form.isEmpty, !part.isEmpty, body != nil]
        if bodies.count(where: { $0 }) > 1 {
            throw ValidationError("Only one of --json, --form, --part and --body can be used.")
        }
        if !part.isEmpty, contentType != nil {
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
        } else if !part.isEmpty {
            var form = MultipartForm()
            for part in part { try await part.append(to: &form) }
            request.multipart(form)
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
            throw CommandFailure(.usage, "the value of --json is not valid JSON; use --body to send it anyway")
        }
        return data
    }
}
