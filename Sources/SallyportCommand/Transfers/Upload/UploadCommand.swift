import ArgumentParser
import Foundation
import Sallyport

/// Uploads files, going on from where an earlier run stopped if the server lets it.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Uploads files, going on from where an earlier run stopped if the server lets it.",
        usage: """
            sallyport upload <key>=<file> ... <url> [<options>]
            sallyport upload <file> <url> [<options>]
            """,
        discussion: """
            With keys, the files are sent as a form (multipart/form-data); several may have the same key, and ;type=… \
            and ;filename=… may follow a file. Without a key, one file is sent as it is. A file whose name has an equals \
            sign in it is written with its folder, as in ./a=b.

            Examples:
              sallyport upload photo=beach.jpg https://api.example.com/photos
              sallyport upload doc=a.pdf doc=b.pdf --field title=Two https://api.example.com/documents
              sallyport upload disk.iso https://example.com/files/disk.iso

            A server that knows resumable uploads (draft-ietf-httpbis-resumable-upload) is asked how much it has, after a \
            broken connection and when the same command is run again after Control-C, an error or a power cut. How far \
            an upload has come is kept in the folder sallyport/uploads of XDG_STATE_HOME (~/.local/state). To other \
            servers all is sent again.

            The body of the answer goes to standard output. Exit statuses are those of a request; 22 for a status that \
            is no success.
            """
    )

    @Argument(help: ArgumentHelp("What to upload, and behind it the URL.", valueName: "key=file"), completion: .file())
    var arguments: [String]

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A field of text, before the files of the form. (repeatable)", valueName: "name=value"),
        transform: NameAndValue.init
    )
    var field: [NameAndValue] = []

    @Option(help: "The method: post, put or patch. (default: post for a form, put for a file)")
    var method: UploadMethod?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the answer to a file, which appears under its name once it is whole.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(inversion: .prefixedNo, help: "Go on from what the server has of an earlier run, or send all.")
    var resume = true

    @OptionGroup
    var options: TransferRequestOptions

    func run() async throws {
        let command = self
        try await Interruption.cancelling { try await UploadCall(command).run() }
    }
}

/// The methods of uploads.
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
