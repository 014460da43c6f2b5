import ArgumentParser
import Foundation
import Sallyport
import SallyportTransfers

/// The options for the destination of a response.
struct ResponseDestinationOptions: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        inversion: .prefixedNo,
        help: "Write the head of the response before its body. (default: only on a terminal)"
    )
    var include: Bool?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which gets its name when it is complete.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Flag(
        name: [.customShort("O"), .long],
        help: "Write to a file in the current folder, with the name at the end of the URL."
    )
    var remoteName = false

    @Option(
        name: [.customShort("r"), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Request only a range of the bytes: 0-499, 500-, or -500 for the last ones.",
            valueName: "range"
        )
    )
    var range: String?

    func validate() throws {
        if output != nil, remoteName {
            throw ValidationError("Only one of -o and -O can be used; omit -O to write to the file of -o.")
        }
        if let range { try Self.check(range) }
    }

    /// Checks a list of ranges (RFC 9110, section 14.1.1).
    private static func check(_ ranges: String) throws {
        for range in ranges.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false)
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard ends.count == 2, range != "-", ends.allSatisfy({ $0.utf8.allSatisfy(digits.contains) }) else {
                throw ValidationError(
                    "--range needs a range of bytes such as 0-499, 500- or -500, not \"\(VisibleText.line(ranges, longest: 100))\"."
                )
            }
            if let first = UInt64(ends[0]), let last = UInt64(ends[1]), first > last {
                throw ValidationError("--range needs a range whose first byte is not after its last, not \(range).")
            }
        }
    }

    /// Returns the path of the file for the body of a response; `nil` for standard output.
    ///
    /// - Throws: A usage error if the URL contains no name for the file.
    func path(for url: String) throws -> String? {
        guard remoteName else { return output }
        let path = URL(string: url)?.path ?? ""
        if path.isEmpty || path.hasSuffix("/") {
            throw CommandFailure(.usage, "the URL has no file name for -O; use -o with the name of a file")
        }
        return SafeFileName.make(path)
    }

    /// Adds the range to a request.
    func apply(to request: inout HttpRequest) {
        if let range { request.setHeader(name: "Range", value: "bytes=\(range)") }
    }
}

/// The options for stored responses.
struct CacheOptions: ParsableArguments {
    @Flag(
        help:
            "Use a stored response if HTTP allows it, and store the response for later requests. (see sallyport cache)"
    )
    var cache = false
}

/// The options for the output of a response.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Request a compressed response, and decode it.")
    var compressed = false

    @Flag(
        help:
            "Write the body unchanged, without decoding a compressed one. By default, a terminal shows the head, JSON and XML indented, control characters escaped, and no binary data."
    )
    var raw = false

    @Option(
        help: ArgumentHelp(
            "Color the head, JSON and XML. auto does so on a terminal unless NO_COLOR is set; always also into a pipe.",
            valueName: "auto|always|never"
        )
    )
    var color = ColorChoice.auto

    @Flag(
        name: .shortAndLong,
        help: "Show requests, responses and the time of each phase on standard error, with secrets masked."
    )
    var verbose = false

    @Flag(
        help: "Show the changes of each pipeline stage to the request as a diff on standard error, with secrets masked."
    )
    var stages = false

    @Option(
        help: ArgumentHelp(
            "Write all requests and responses to a HAR file, with secrets masked. Only its owner can read it.",
            valueName: "file"
        ),
        completion: .file(extensions: ["har"])
    )
    var har: String?

    @Flag(help: "Show the requests and responses on a page in the browser until you press Control-C.")
    var inspect = false

    @Flag(help: "Exit with status 22, show the server's message and write no body if the HTTP status is 400 or more.")
    var fail = false

    @Flag(help: "Exit with status 22 if the HTTP status is 400 or more, after writing the body.")
    var failWithBody = false

    @Option(
        name: [.customShort("w"), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write a text with variables such as %{http_code}, as curl does, after the response.",
            valueName: "format|@file|@-"
        )
    )
    var writeOut: String?

    @Flag(
        help: "Show the time of each phase on standard error: resolve, connect, TLS, sent, first byte, body and total."
    )
    var timings = false

    @Flag(help: "Send nothing, and print the equivalent curl command, with secrets masked.")
    var curl = false

    @Flag(help: "Do not mask secrets in the output of --curl.")
    var showSecrets = false

    func validate() throws {
        if fail, failWithBody { throw ValidationError("Only one of --fail and --fail-with-body can be used.") }
    }
}

extension OutputOptions {
    /// The options that read standard input.
    var standardInputUses: [String] { writeOut == "@-" ? ["--write-out"] : [] }

    /// Returns the form of a response.
    ///
    /// - Parameter includesHead: The value of `--include`.
    func style(includesHead: Bool?) -> ResponseStyle {
        ResponseStyle(isRaw: raw, includesHead: includesHead, color: color, isVerbose: verbose)
    }

    /// Returns `true` if a body is shown in a readable form: on a terminal, or with colors on standard output.
    ///
    /// - Parameter path: The path of the file for the body; `nil` for standard output.
    func showsBody(writtenTo path: String?) -> Bool {
        !raw && [nil, "-"].contains(path) && (color == .always || isatty(STDOUT_FILENO) == 1)
    }

    /// The reaction to a status of 400 or more.
    var failure: ResponseWriter.FailureOption { fail ? .withoutBody : failWithBody ? .withBody : .none }
}
