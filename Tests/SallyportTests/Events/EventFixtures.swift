import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import TestSupport

@testable import Sallyport

/// The head of an event stream response that ends with its connection.
let eventStreamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

/// Reads a stream to its end.
func readEvents(
    options: EventStreamOptions = EventStreamOptions(),
    _ answers: MockResponse...,
    build: (inout HttpRequest) -> Void = { _ in }
) async throws -> ([ServerSentEvent], MockTransport, ManualTime) {
    let (outcome, server, time) = await eventOutcome(of: answers, options: options, build)
    if let error = outcome.error { throw error }
    return (outcome.events, server, time)
}

/// Reads a stream to its end or until an error.
func eventOutcome(
    of answers: [MockResponse],
    options: EventStreamOptions = EventStreamOptions(),
    _ build: (inout HttpRequest) -> Void = { _ in }
) async -> (EventOutcome, MockTransport, ManualTime) {
    let time = ManualTime()
    let left = Locked(answers)
    let server = MockTransport { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    let (client, _) = makeClient(server) { $0.retryTime = time.retryTime }
    var outcome = EventOutcome()
    do {
        for try await event in client.events(
            request: makeRequest("https://api.example.com/", build),
            options: options
        ) {
            outcome.events.append(event)
        }
    } catch {
        outcome.error = error
    }
    return (outcome, server, time)
}

/// The events that were read from a stream, and its error.
@dynamicMemberLookup
struct EventOutcome {
    var events: [ServerSentEvent] = []
    var error: EventStreamError?

    func map<Value>(_ path: KeyPath<ServerSentEvent, Value>) -> [Value] { events.map { $0[keyPath: path] } }

    subscript<Value>(dynamicMember path: KeyPath<[ServerSentEvent], Value>) -> Value { events[keyPath: path] }
}

extension EventStreamOptions {
    static func make(_ change: (inout EventStreamOptions) -> Void) -> EventStreamOptions {
        var options = EventStreamOptions()
        change(&options)
        return options
    }
}

/// Returns an event stream response that ends.
func eventStream(_ text: String) -> MockResponse {
    var response = MockResponse.text(text)
    response.headers[.contentType] = "text/event-stream"
    return response
}
