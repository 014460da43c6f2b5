import ArgumentParser

/// The options for the destination of a response.
struct ResponseDestinationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Write the head of the response before its body.")
    var include = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which gets its name when it is complete.", valueName: "file"),
        completion: .file()
    )
    var output: String?
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
            "Write the response unchanged. By default, a terminal shows JSON indented and control characters escaped."
    )
    var raw = false

    @Flag(
        name: .shortAndLong,
        help: "Show requests, responses and the time of each phase on standard error, with secrets masked."
    )
    var verbose = false

    @Flag(
        help: "Show the changes of each pipeline stage to the request as a diff on standard error, with secrets masked."
    )
    var trace = false

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

    @Flag(help: "Exit with status 22 and write no body if the HTTP status is 400 or more.")
    var fail = false

    @Flag(help: "Send nothing, and print the equivalent curl command, with secrets masked.")
    var curl = false

    @Flag(help: "Do not mask secrets in the output of --curl.")
    var showSecrets = false
}
