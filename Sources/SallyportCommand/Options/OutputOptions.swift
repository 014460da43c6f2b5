import ArgumentParser

/// Where the response is written, and how much of it.
struct OutputPlaceOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Write the response's head before its body, to the same place.")
    var include = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a file, which appears under its name once it is whole.", valueName: "file"),
        completion: .file()
    )
    var output: String?
}

/// What becomes of the response.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Ask for a compressed response, and decode it.")
    var compressed = false

    @Flag(
        help:
            "Write the response as it came, even to a terminal, where else JSON is indented and control characters are escaped."
    )
    var raw = false

    @Flag(
        name: .shortAndLong,
        help: "Show on standard error what goes out and comes in, secrets masked, and how long each phase takes."
    )
    var verbose = false

    @Flag(help: "Show on standard error, as a diff, what each stage on the way changed of the request, secrets masked.")
    var trace = false

    @Flag(help: "Exit with 22, and write no body, when the status is 400 or more.")
    var fail = false

    @Flag(help: "Send nothing, and print a curl command that does the same, with secrets masked.")
    var curl = false

    @Flag(help: "Do not mask secrets in the output of --curl.")
    var showSecrets = false
}
