import ArgumentParser
import Foundation
import Sallyport

/// Uploads files, and resumes interrupted uploads if the server supports it.
struct UploadCommand: AsyncParsableCommand, TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Uploads files, and resumes interrupted uploads if the server supports it.",
        usage: """
            sallyport upload <key>=<file> ... <url> [<options>]
            sallyport upload <file> <url> [<options>]
            """,
        discussion: """
            With keys, the files are sent as a form (multipart/form-data). Several files may have the same key, and \
            ;type=… and ;filename=… may follow a file. Without a key, one file is sent as the body. If the name of a file \
            contains an equals sign, specify its folder, as in ./a=b.

            Examples:
              sallyport upload photo=beach.jpg https://api.example.com/photos
              sallyport upload doc=a.pdf doc=b.pdf --field title=Two \\
                https://api.example.com/documents
              sallyport upload disk.iso https://example.com/files/disk.iso

            If the server supports resumable uploads (draft-ietf-httpbis-resumable-upload), an upload resumes after a \
            broken connection, and when you run the same command again after Control-C, an error or a power failure. The \
            state of uploads is stored in the folder sallyport/uploads of XDG_STATE_HOME (~/.local/state). For other \
            servers, the entire upload is sent again.

            The body of the response goes to standard output. Exit statuses are those of a request, and 22 for an HTTP \
            status other than success.
            """
    )

    @Argument(
        help: ArgumentHelp("The files to upload, followed by the URL.", valueName: "key=file"),
        completion: .file()
    )
    var arguments: [String]

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A text field, placed before the files of the form. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var field: [NameAndValue] = []

    @Option(help: "The method: post, put or patch. (default: post for a form, put for a file)")
    var method: UploadMethod?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the response to a file, which gets its name when it is complete.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(inversion: .prefixedNo, help: "Resume an interrupted upload, or start over.")
    var resume = true

    @OptionGroup
    var options: TransferRequestOptions

    func run() async throws {
        let command = self
        try await Interruption.cancelOnSignal { try await UploadCall(command).run() }
    }
}

/// The method of an upload.
enum UploadMethod: String, CaseIterable, ExpressibleByArgument {
    case post, put, patch

    var method: HttpMethod {
        switch self {
        case .post: .post
        case .put: .put
        case .patch: .patch
        }
    }
}
