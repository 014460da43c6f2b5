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
            "The number of parts of a large file to download at a time, if the server supports it, up to 16."
        )
    )
    var parallel = 1

    @Option(help: ArgumentHelp("The maximum length of a file.", valueName: "bytes"))
    var maxFilesize: Int64?

    func validate() throws {
        if !(1...16).contains(parallel) { throw ValidationError("--parallel needs a number from 1 to 16.") }
        if let maxFilesize, maxFilesize < 0 {
            throw ValidationError("--max-filesize needs a number that is not negative.")
        }
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
            ? "Replace an existing file when the new one is complete."
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
