import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// The errors that end a stream.
@Suite(.concurrencyLimited) struct EventStreamErrorTests {
    @Test(arguments: [201, 206, 301, 400, 401, 403, 404, 410, 501])
    func `An unexpected status ends the stream, and the error contains the response and the last event's id`(
        status: Int
    )
        async throws
    {
        let (client, server) = makeClient(sequence(eventStream("id: 3\ndata: a\n\n"), .text("no way", status: status)))
        {
            config in
            config.retryTime = ManualTime().retryTime
        }
        let error = await #expect(throws: EventStreamError.self) {
            for try await _ in client.events(request: makeRequest()) {}
        }
        guard case .status(let response) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.status.code == status)
        #expect(response.bodyAsString() == "no way")
        #expect(error?.lastEventId == "3")
        #expect("\(error!)".hasPrefix("GET https://api.example.com/: the server answered \(response.status.summary)"))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [nil, "text/html", "text/plain; a=text/event-stream", "text/event-streams", "application/json"])
    func `An unexpected content type ends the stream`(type: String?) async throws {
        var response = MockResponse.text("data: a\n\n")
        response.headers[.contentType] = type
        let (client, server) = makeClient(response)
        let error = await #expect(throws: EventStreamError.self) {
            for try await _ in client.events(request: makeRequest()) {}
        }
        #expect("\(error!)".contains("instead of text/event-stream"))
        #expect(type == nil || "\(error!)".contains(type!))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["text/event-stream", "Text/Event-Stream ; charset=utf-8", "text/event-stream;charset=latin1"])
    func `Parameters and letter case of the content type are ignored`(type: String) async throws {
        var response = eventStream("data: é\n\n")
        response.headers[.contentType] = type
        let (events, _, _) = try await readEvents(response, .status(204))
        #expect(events.map(\.data) == ["é"])
    }

    @Test(arguments: ["br", "gzip, zstd", "compress"])
    func `Events in a coding that was not decoded end the stream`(coding: String) async throws {
        var response = eventStream("data: a\n\n")
        response.headers[.contentEncoding] = coding
        let (outcome, server, _) = await eventOutcome(of: [response])
        guard case .network(.undecodableBody(let failure)) = outcome.error?.reason else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(failure.reason.contains("(Content-Encoding: \(coding))"))
        #expect(failure.advice == SettingAdvice.decodeEvents.rawValue)
        #expect(outcome.map(\.data).isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `The coding identity is no coding`() async throws {
        var response = eventStream("data: a\n\n")
        response.headers[.contentEncoding] = "identity"
        let (events, _, _) = try await readEvents(response, .status(204))
        #expect(events.map(\.data) == ["a"])
    }

    @Test func `A line or an event above the maximum size ends the stream without a reconnection`() async throws {
        let options = EventStreamOptions.make { options in
            options.maximumLineSize = 20
            options.maximumEventSize = 25
        }
        let line = "data: \(String(repeating: "x", count: 15))\n\n"
        let (first, server, _) = await eventOutcome(of: [eventStream("id: 1\ndata: a\n\n" + line)], options: options)
        #expect(first.map(\.data) == ["a"])
        #expect(first.error?.lastEventId == "1")
        #expect(first.error?.description.contains("longer than 20 B; raise maximumLineSize") == true)
        #expect(server.requests.count == 1)
        let lines = String(repeating: "data: 1234567890\n", count: 3)
        let (second, _, _) = await eventOutcome(of: [eventStream(lines)], options: options)
        #expect(second.error?.description.contains("more than 25 B of data; raise maximumEventSize") == true)
    }
}
