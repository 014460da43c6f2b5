import ArgumentParser
import Foundation
import Sallyport
import SallyportTransfers

/// The options for downloaded files.
struct DownloadFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder for the files. It is created if necessary.", valueName: "folder"),
        completion: .directory
    )
    var into: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            A file, or standard input (-), with a URL on each line, optionally followed by the name of the file and \
            sha256:… or sha512:…
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var input: String?

    @Flag(exclusivity: .exclusive)
    var existing: ExistingFileChoice?

    @Option(
        help: ArgumentHelp(
            "The expected digest of the file, sha-256=… or sha-512=…, in hexadecimal or base64.",
            valueName: "algorithm=digest"
        ),
        transform: DigestArgument.digest
    )
    var digest: ContentDigest?

    @Option(
        help: ArgumentHelp(
            """
            A checksum file in the format of sha256sum, such as SHA256SUMS, that has a digest of each file: a file, \
            standard input (-) or a URL.
            """,
            valueName: "file|url"
        ),
        completion: .file()
    )
    var checksums: String?

    @Option(
        help: ArgumentHelp(
            "The number of parts of a large file to download at a time, if the server supports it, up to 16."
        )
    )
    var parallel = 1

    @Option(
        help: ArgumentHelp("The maximum length of a file, such as 500K or 1.5G.", valueName: SizeArgument.valueName),
        transform: SizeArgument.bytes
    )
    var maxFilesize: Int64?

    func validate() throws {
        if !(1...16).contains(parallel) { throw ValidationError("--parallel needs a number from 1 to 16.") }
        if digest != nil, checksums != nil {
            throw ValidationError("Only one of --digest and --checksums can be used.")
        }
        try StandardInputUses.check(standardInputUses)
    }

    /// The options that read standard input.
    var standardInputUses: [String] {
        [("--input", input), ("--checksums", checksums)].filter { $0.1 == "-" }.map(\.0)
    }

    /// Returns the files to download, from the arguments and the list of ``input``. Call it only once, because the list may be read from
    /// standard input.
    ///
    /// - Throws: A failure that explains the correct form, or names a list that cannot be read; `CancellationError`.
    func targets(_ arguments: [String]) async throws -> DownloadTargets {
        let list = if let input { try await DownloadItem.list(at: input) } else { [DownloadItem]() }
        let targets = try DownloadTargets(arguments, into: into, list: list, isFolder: FileNames.isFolder)
        if targets.items.count > 1, digest != nil {
            throw CommandFailure(
                .usage,
                "--digest applies to one file, but there are \(targets.items.count) URLs; use --checksums, or a list with --input"
            )
        }
        return targets
    }

    var options: DownloadOptions {
        var options = DownloadOptions()
        options.existingFile = existing?.existingFile ?? .fail
        options.connections = parallel
        options.digest = digest
        options.maximumSize = maxFilesize
        return options
    }
}

/// The action for a file that already exists.
enum ExistingFileChoice: EnumerableFlag {
    case replace, number

    var existingFile: DownloadOptions.ExistingFile { self == .replace ? .replace : .number }

    static func help(for value: ExistingFileChoice) -> ArgumentHelp? {
        value == .replace
            ? """
            Replace an existing file when the new one is complete: the file argument, or one with the name at the end of the URL, but \
            not one with a name that the server chooses.
            """
            : "Keep an existing file, and add a number to the new one: map (2).zip."
    }
}

/// An argument of the form `sha-256=…`.
enum DigestArgument {
    static func digest(_ argument: String) throws -> ContentDigest {
        do {
            return try ContentDigest(argument)
        } catch {
            throw ValidationError("It must have the form sha-256=… or sha-512=…, in hexadecimal or base64.")
        }
    }
}
