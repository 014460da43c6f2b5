import ArgumentParser
import Foundation
import Sallyport

/// Downloads files, going on from where an earlier run stopped.
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Downloads files, going on from where an earlier run stopped.",
        usage: """
            sallyport download <url> [<file>] [<options>]
            sallyport download <url> ... [--into <folder>] [<options>]
            """,
        discussion: """
            A file has its name only once it is whole. Until then what has come is kept beside it, and the same command \
            goes on from there: after an error, Control-C or a power cut. If the file has changed on the server \
            meanwhile, it starts over.

            The last argument is a file or a folder if it has no :// in it. In a folder, and without one in the current \
            folder, a file has the name that the server gives it, else the last part of the URL.

            Examples:
              sallyport download https://example.com/large.iso
              sallyport download https://example.com/large.iso /tmp/disk.iso --parallel 4
              sallyport download https://example.com/a.zip https://example.com/b.zip --into archives
              sallyport download https://example.com/a.zip --digest sha-256=2cf24dba…

            Of several URLs each is downloaded, whatever becomes of the others. With --skip-existing the same command \
            can be given again and again until all are there, and fetches none twice. The exit status is that of the first \
            that failed: 22 for a status that is no success, 23 for a file that is there already or cannot be written, \
            120 for a digest or a length that is not what was asked for or announced, and else that of a request.
            """
    )

    @Argument(help: ArgumentHelp("The URLs, and behind them a file or a folder.", valueName: "url"))
    var arguments: [String]

    @OptionGroup(title: "Download Options")
    var files: DownloadFileOptions

    @Flag(help: "Leave a file that is there alone, say so, and go on with the others; its digest is not looked at.")
    var skipExisting = false

    @Flag(inversion: .prefixedNo, help: "Go on from what an earlier run has fetched, or start over.")
    var resume = true

    @Option(help: "How many files to fetch at a time.")
    var atOnce = 4

    @OptionGroup
    var options: TransferRequestOptions

    func validate() throws {
        if !(1...64).contains(atOnce) { throw ValidationError("--at-once needs a number from 1 to 64.") }
        if skipExisting, files.existing != nil {
            throw ValidationError("Only one of --replace, --number and --skip-existing can be used.")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling { try await DownloadCall(command).run() }
    }
}
