import Foundation
import Sallyport

extension RequestRun {
    /// Reads events and prints each when it arrives.
    func printEvents(_ options: EventsCommand) async throws {
        let (events, retries) = (options.events, options.retries)
        var configuration = configuration
        var request = request
        let limit = request.timeouts?.total
        request.timeouts?.total = nil
        if !retries.isUsed { configuration.onRetry(RetryOptions.announce) }
        if retries.retry == 0 { request.retry = .never }
        try await withClient(configuration) { [request] client in
            var streamOptions = events.streamOptions
            options.connection.limit.apply(to: &streamOptions)
            let stream = client.events(request: request, options: streamOptions)
            guard let limit else { return try await Self.print(stream, as: events) }
            let message = "the time limit of --timeout, \(Format.time(limit)), has passed"
            try await withTimeLimit(limit, orThrow: CommandFailure(.timeout, message)) {
                try await Self.print(stream, as: events)
            }
        }
    }

    private static func print(_ stream: ServerSentEvents, as options: EventOptions) async throws {
        var remaining = options.count ?? .max
        for try await event in stream {
            let line = options.json ? try EventText.json(event) : EventText.readable(event)
            try await StandardOutput.write(Data((line + "\n").utf8))
            remaining -= 1
            if remaining == 0 { return }
        }
    }
}

/// Formats events for display and for scripts.
private enum EventText {
    /// Returns `type #id: data`, with further lines of the data below. Control characters are escaped.
    static func readable(_ event: ServerSentEvent) -> String {
        let id = event.id.map { " #" + VisibleText.line($0) } ?? ""
        let lines = event.data.split(separator: "\n", omittingEmptySubsequences: false).map {
            VisibleText.lines(String($0))
        }
        let data = lines.count == 1 ? " " + lines[0] : lines.map { "\n  " + $0 }.joined()
        return "\(VisibleText.line(event.type))\(id):\(data)"
    }

    /// Returns one line of JSON with data and event, and with id and retry (in milliseconds) if the event has them.
    static func json(_ event: ServerSentEvent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return VisibleText.json(String(decoding: try encoder.encode(Line(event)), as: UTF8.self))
    }

    private struct Line: Encodable {
        let id: String?
        let event: String
        let data: String
        let retry: Int?

        init(_ event: ServerSentEvent) {
            id = event.id
            self.event = event.type
            data = event.data
            retry = event.retry.map { Int($0 / .milliseconds(1)) }
        }
    }
}
