import ArgumentParser
import Foundation
import Sallyport

/// Downloads files, and resumes interrupted downloads.
struct DownloadCommand: AsyncParsableCommand, TransferCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Downloads files, and resumes interrupted downloads.",
        usage: """
            sallyport download <url> [<file>] [<options>]
            sallyport download <url> ... [--into <folder>] [<options>]
            sallyport download --input <file> [--into <folder>] [<options>]
            """,
        discussion: """
            A file gets its name when it is complete. Until then, a partial file is stored beside it. After an error, \
            Control-C or a power failure, run the same command again to resume. If the file has changed on the server \
            meanwhile, the download starts over.

            The last argument is a file or a folder if it is not a URL. In a folder (by default the current one), \
            a file gets the name that the server specifies, or else the last part of the URL.

            Examples:
              sallyport download https://example.com/large.iso
              sallyport download https://example.com/large.iso /tmp/disk.iso --parallel 4
              sallyport download https://example.com/a.zip https://example.com/b.zip \\
                --into archives
              sallyport download https://example.com/a.zip --digest sha-256=2cf24dba…
              sallyport download https://example.com/a.zip \\
                --checksums https://example.com/SHA256SUMS
              sallyport download --input urls.txt --into archives --limit-rate 2M

            A list of --input has a URL on each line. A name and a digest can follow, and lines that begin with # are ignored:

              https://example.com/a.zip
              https://example.com/get?id=7  reports/June 2026.pdf  sha256:2cf24dba…

            --checksums verifies each file with the digest of its name, or of the last part of its URL. If a file has no digest there, \
            nothing is downloaded. --limit-rate applies to all downloads together.

            If one of several downloads fails, the others continue. With --skip-existing, you can repeat the command until \
            all files are complete; none is downloaded twice. The exit status is the status of the first failed download: 22 for \
            an HTTP status other than success, 23 for a file that already exists or cannot be written, 120 for a digest or \
            length that differs from the expected one, and otherwise that of a request.
            """
    )

    @Argument(help: ArgumentHelp("The URLs, followed by a file or a folder.", valueName: "url"), completion: .file())
    var arguments: [String] = []

    @OptionGroup(title: "Download Options")
    var files: DownloadFileOptions

    @Flag(help: "Skip files that already exist, without checking their digests.")
    var skipExisting = false

    @Flag(inversion: .prefixedNo, help: "Resume an interrupted download, or start over.")
    var resume = true

    @Option(help: "The maximum number of concurrent downloads.")
    var atOnce = 4

    @OptionGroup
    var options: TransferRequestOptions

    func validate() throws {
        if arguments.isEmpty, files.input == nil {
            throw ValidationError("The URL is missing; specify a URL, or a list of URLs with --input FILE.")
        }
        try StandardInputUses.check(options.standardInputUses + files.standardInputUses)
        if !(1...64).contains(atOnce) { throw ValidationError("--at-once needs a number from 1 to 64.") }
        if skipExisting, files.existing != nil {
            throw ValidationError("Only one of --replace, --number and --skip-existing can be used.")
        }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelOnSignal { try await DownloadCall(command).run() }
    }
}
