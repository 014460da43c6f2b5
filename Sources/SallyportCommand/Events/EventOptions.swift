import ArgumentParser
import Sallyport

/// Which events are asked for and printed, and how.
struct EventOptions: ParsableArguments {
    @Flag(help: "Print each event as a line of JSON, for scripts.")
    var json = false

    @Option(help: ArgumentHelp("End after so many events. (default: never)", valueName: "number"))
    var count: Int?

    @Option(help: ArgumentHelp("Begin after the event with this id, if the server can.", valueName: "id"))
    var lastEventId: String?

    @Option(
        help: ArgumentHelp(
            "How long the server may say nothing before another connection is made. (default: 60)",
            valueName: "seconds"
        )
    )
    var silence: Double?

    @Flag(name: .customLong("no-reconnect"), help: "End when the connection does.")
    var endsWithConnection = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count needs a number greater than zero.") }
        if let silence, !(silence > 0 && silence < 1e9) {
            throw ValidationError("--silence needs a number of seconds greater than zero.")
        }
    }

    var streamOptions: EventStreamOptions {
        var options = EventStreamOptions()
        options.lastEventId = lastEventId
        options.reconnects = !endsWithConnection
        options.silence = silence.map(Duration.seconds)
        return options
    }
}
