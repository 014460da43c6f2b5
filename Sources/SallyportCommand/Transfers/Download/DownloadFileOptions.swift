import ArgumentParser
import Foundation
import Sallyport

/// What becomes of the files that are downloaded.
struct DownloadFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Put the files into a folder, which is made if it is not there.", valueName: "folder"),
        completion: .directory
    )
    var into: String?

    @Flag(exclusivity: .exclusive)
    var existing: ExistingFileChoice?

    @Option(
        help: ArgumentHelp(
            "The digest that the file must have, sha-256=… or sha-512=…, in hexadecimal or base64.",
            valueName: "algorithm=digest"
        ),
        transform: DigestArgument.digest
    )
    var digest: ContentDigest?

    @Option(
        help: ArgumentHelp("How many parts of a large file to fetch at a time, where the server lets it, up to 16.")
    )
    var parallel = 1

    @Option(help: ArgumentHelp("Accept no file that is longer.", valueName: "bytes"))
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

/// What to do if a file is there.
enum ExistingFileChoice: EnumerableFlag {
    case replace, number

    var existingFile: DownloadOptions.ExistingFile { self == .replace ? .replace : .number }

    static func help(for value: ExistingFileChoice) -> ArgumentHelp? {
        value == .replace
            ? "Replace a file of that name, once the new one is whole."
            : "Keep a file of that name, and number the new one: map (2).zip."
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
