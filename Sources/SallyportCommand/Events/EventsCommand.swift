import ArgumentParser
import Foundation
import Sallyport

/// Prints the server-sent events of a URL.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Prints the server-sent events of a URL as they come, until it is interrupted.",
        discussion: """
            It connects again whenever the connection ends, from the last event on, after the time that the server asks \
            for. It ends when the server answers 204, after --count events, after ten failures in succession (--retry \
            sets another number), or after --timeout, which limits the whole: all connections and the waits between \
            them. Without it only silence is limited (--silence).

            What --curl prints sends the same request, once: curl does not connect again.
            """
    )

    @Argument(help: ArgumentHelp("Where the events are: an http or https URL.", valueName: "url"))
    var address: RequestURL

    @OptionGroup(title: "Event Options")
    var events: EventOptions

    @OptionGroup(title: "Request Options")
    var head: HeadOptions

    @OptionGroup(title: "Authentication Options")
    var authentication: AuthenticationOptions

    /// They have no meaning here, and are known so that this can be said.
    @OptionGroup(visibility: .hidden)
    var place: OutputPlaceOptions

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

    func validate() throws {
        for (name, isSet) in [("output", place.output != nil), ("include", place.include)] where isSet {
            throw ValidationError("--\(name) has no meaning for events: they go to standard output.")
        }
        try options().validate()
    }

    func run() async throws {
        let (options, events) = (try options(), events)
        try await Interruption.cancelling {
            let call = try await Call(method: .get, options)
            guard options.output.curl else { return try await call.printEvents(events) }
            // curl prints a text that is no event stream too, unless it is told that a failing status is a failure.
            try await call.printCurl(adding: ["--no-buffer"] + (options.output.fail ? [] : ["--fail"])) { request in
                request.askForEvents(after: events.lastEventId)
            }
        }
    }

    /// The same as for any request, but for a body.
    private func options() throws -> RequestOptions {
        var options = RequestOptions()
        options.address = address
        options.content = try ContentOptions.parse([])
        options.content.head = head
        options.authentication = authentication
        options.place = place
        options.output = output
        options.cookies = cookies
        options.connection = connection
        options.retries = retries
        options.proxy = proxy
        options.security = security
        options.pins = pins
        return options
    }
}
