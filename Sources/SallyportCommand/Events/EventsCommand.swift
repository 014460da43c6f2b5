import ArgumentParser
import Foundation
import Sallyport

/// Prints the server-sent events of a URL.
struct EventsCommand: AsyncParsableCommand, RequestRunOptions {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Prints the server-sent events of a URL as they arrive, until it is interrupted.",
        discussion: """
            When the connection ends, the command waits for the time that the server requests, connects again, and \
            continues after the last event. It ends when the server answers 204, after --count events, after ten \
            consecutive failures (--retry sets another number), or after --timeout, which limits all connections and the \
            waits between them together. Without --timeout, only the time without data is limited (--idle-timeout).

            The command that --curl prints sends the same request once; curl does not connect again.
            """
    )

    @Argument(help: ArgumentHelp("The http or https URL of the events.", valueName: "url"))
    var address: RequestURL

    @OptionGroup(title: "Event Options")
    var events: EventOptions

    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup(title: "Authentication Options")
    var credentials: CredentialOptions

    @OptionGroup(title: "Authentication Options")
    var scheme: AuthenticationSchemeOptions

    /// Options that this command rejects with an explanation.
    @OptionGroup(visibility: .hidden)
    var destination: ResponseDestinationOptions

    @OptionGroup(title: "Response Options")
    var output: OutputOptions

    @OptionGroup(title: "Cookie Options")
    var cookies: CookieOptions

    @OptionGroup(title: "Connection Options")
    var connection: ConnectionOptions

    @OptionGroup(title: "Retry Options")
    var retries: RetryOptions

    @OptionGroup(title: "Proxy Options")
    var proxy: ProxyOptions

    @OptionGroup(title: "TLS Options")
    var security: SecurityOptions

    @OptionGroup(title: "Pin Options")
    var pins: PinOptions

    var body: ContentOptions? { nil }

    var usesCache: Bool { false }

    var interpretsBody: Bool { true }

    /// The number of failures that the stream allows by default.
    var standardRetries: RetryPolicy? { .exponential(attempts: 10, base: .seconds(3), cap: .seconds(60)) }

    func validate() throws {
        let rejected = [
            ("output", destination.output != nil), ("include", destination.include != nil),
            ("remote-name", destination.remoteName), ("range", destination.range != nil),
            ("write-out", output.writeOut != nil), ("timings", output.timings), ("fail-with-body", output.failWithBody),
        ]
        for (name, isSet) in rejected where isSet {
            throw ValidationError("--\(name) cannot be used with events, which go to standard output.")
        }
        try checkCombinations()
    }

    func run() async throws {
        let options = self
        try await Interruption.cancelOnSignal {
            let run = try await RequestRun(method: .get, options)
            guard options.output.curl else { return try await run.printEvents(options) }
            // Without --fail, curl would also print the body of an error response.
            let arguments = ["--no-buffer"] + (options.output.fail ? [] : ["--fail"])
            try await run.printCurl(adding: arguments) { request in
                request.setEventStreamHeaders(lastEventId: options.events.lastEventId)
            }
        }
    }
}

/// The options for requesting and printing events.
struct EventOptions: ParsableArguments {
    @Flag(help: "Print each event as a line of JSON, for scripts.")
    var json = false

    @Option(help: ArgumentHelp("End after this number of events. (default: never)", valueName: "number"))
    var count: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Start after the event with this id, if the server supports it.", valueName: "id")
    )
    var lastEventId: String?

    @Option(
        help: ArgumentHelp(
            "The maximum time without data before the command connects again. (default: 60)",
            valueName: "seconds"
        )
    )
    var idleTimeout: Double?

    @Flag(name: .customLong("no-reconnect"), help: "End when the connection ends.")
    var endsWithConnection = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count needs a number greater than zero.") }
        if let idleTimeout, !(idleTimeout > 0 && idleTimeout < 1e9) {
            throw ValidationError("--idle-timeout needs a number of seconds greater than zero.")
        }
    }

    var streamOptions: EventStreamOptions {
        var options = EventStreamOptions()
        options.lastEventId = lastEventId
        options.reconnects = !endsWithConnection
        options.idleTimeout = idleTimeout.map(Duration.seconds)
        return options
    }
}
