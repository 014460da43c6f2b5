import ArgumentParser
import Foundation
import Sallyport

/// What a request carries.
struct ContentOptions: ParsableArguments {
    @OptionGroup
    var head: HeadOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A body of JSON, which must be valid.", valueName: "text|@file")
    )
    var json: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A field of a form, which is escaped. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var form: [NameAndValue] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part of a multipart form: a value, or a file as @file. ;type=… and ;filename=… may follow. (repeatable)",
            valueName: "name=value|@file"
        ),
        transform: PartArgument.init
    )
    var part: [PartArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A body: a text, the bytes of a file, or those of standard input.",
            valueName: "text|@file|@-"
        )
    )
    var body: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The media type of the body, if not the one that the body suggests.", valueName: "type")
    )
    var contentType: String?

    /// The options that read standard input.
    var standardInputUses: [String] {
        head.standardInputUses + [("--body", body), ("--json", json)].filter { $0.1 == "@-" }.map(\.0)
    }

    func validate() throws {
        let bodies = [json != nil, !form.isEmpty, !part.isEmpty, body != nil]
        if bodies.count(where: { $0 }) > 1 {
            throw ValidationError("Only one of --json, --form, --part and --body can make the body.")
        }
        if !part.isEmpty, contentType != nil {
            throw ValidationError("The media type of a multipart form holds its boundary, and cannot be given.")
        }
    }
}
