import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// Reconnection after a connection has ended.
@Suite(.concurrencyLimited) struct EventReconnectionTests {
    @Test func `A stream whose connection ends is resumed after three seconds with the last event's id`() async throws {
        let (events, server, time) = try await readEvents(
            eventStream("id: 7\ndata: a\n\nid: 8\n"),
            eventStream("data: b\n\n"),
            .status(204)
        )
        #expect(events == [ServerSentEvent(id: "7", data: "a"), ServerSentEvent(id: "7", data: "b")])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", "7"])
        #expect(time.sleeps == [.seconds(3), .seconds(3)])
    }

    @Test func `The server sets the reconnection time and can clear the last event's id`() async throws {
        let (_, server, time) = try await readEvents(
            eventStream("retry: 1500\nid: 7\ndata: a\n\n"),
            eventStream("id\ndata: b\n\n"),
            eventStream("retry: 20\ndata: c\n\n"),
            eventStream("retry: 9999999999\ndata: d\n\n"),
            .status(204)
        )
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", nil, nil, nil])
        #expect(time.sleeps == [.milliseconds(1500), .milliseconds(1500), .milliseconds(500), .seconds(300)])
    }

    @Test(arguments: [0, 1, 499]) func `A reconnection time of less than half a second is raised to half a second`(
        retry: Int
    ) async throws {
        let (events, _, time) = try await readEvents(
            eventStream("retry: \(retry)\ndata: a\n\n"),
            eventStream("data: b\n\n"),
            .status(204)
        )
        #expect(events.map(\.data) == ["a", "b"])
        #expect(time.sleeps == [.milliseconds(500), .milliseconds(500)])
    }

    @Test func `The app sets the shortest reconnection time, which does not exceed the longest`() async throws {
        let answers = [eventStream("retry: 0\ndata: a\n\n"), .status(204)]
        for (shortest, longest, wait) in [(0, 1000, 0), (20, 1000, 20), (2000, 1000, 1000), (-1, 1000, 0)] {
            let options = EventStreamOptions.make { options in
                options.shortestReconnectionTime = .milliseconds(shortest)
                options.longestReconnectionTime = .milliseconds(longest)
            }
            let (_, _, time) = await eventOutcome(of: answers, options: options)
            #expect(time.sleeps == [.milliseconds(wait)])
        }
    }

    @Test func `A connection that breaks after each event is replaced with backoff`() async throws {
        let cut = eventStream("retry: 0\ndata: a\n\ndata: b\n\n").with(.cut(after: 20))
        let (events, server, time) = await eventOutcome(of: [cut, cut, cut, .status(204)])
        #expect(events.map(\.data) == ["a", "a", "a"])
        #expect(server.requests.count == 4)
        #expect(time.sleeps.count == 3)
        #expect(time.sleeps.allSatisfy { $0 >= .seconds(1) })
    }

    @Test func `A connection without events is replaced with backoff`() async throws {
        let (events, _, time) = try await readEvents(
            eventStream("retry: 0\n\n"),
            eventStream("data: a\n\n"),
            .status(204)
        )
        #expect(events.map(\.data) == ["a"])
        #expect(time.sleeps == [.seconds(1), .milliseconds(500)])
    }

    @Test func `An incomplete event is dropped when the connection ends`() async throws {
        let (events, _, _) = try await readEvents(
            eventStream("data: a\n\ndata: b\n"),
            eventStream("\ndata: c\n\n"),
            .status(204)
        )
        #expect(events.map(\.data) == ["a", "c"])
    }

    @Test func `The app sets the initial last event id by an option or a header`() async throws {
        let options = EventStreamOptions.make { $0.lastEventId = "41" }
        let (_, server, _) = try await readEvents(options: options, eventStream("data: a\n\n"), .status(204))
        #expect(server.requests.map { $0.header("Last-Event-ID") } == ["41", "41"])
        let (_, other, _) = try await readEvents(eventStream("id: 2\ndata: a\n\n"), .status(204)) { request in
            request.setHeader(name: "Last-Event-ID", value: "1")
        }
        #expect(other.requests.map { $0.header("Last-Event-ID") } == ["1", "2"])
    }

    @Test func `A broken connection is replaced, and the last event's id is sent`() async throws {
        let scripts: [Script] = [
            [.receiveHead, .send(eventStreamHead + "id: 1\ndata: a\n\nid: 2\ndata: b"), .reset],
            [
                .receiveHead,
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send("f\r\nid: 2\ndata: b\n\n\r\n"), .close,
            ],
            [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")],
        ]
        try await withScriptedServer(scripts) { server in
            let time = ManualTime()
            let client = HttpClient.createClient { $0.retryTime = time.retryTime }
            var events: [ServerSentEvent] = []
            for try await event in client.events({ $0.url = "http://\(server.authority)/" }) { events.append(event) }
            #expect(events == [ServerSentEvent(id: "1", data: "a"), ServerSentEvent(id: "2", data: "b")])
            #expect(server.requests.map { $0["Last-Event-ID"].first } == [nil, "1", "2"])
            #expect(time.sleeps.count == 2)
            #expect(time.sleeps.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(6) })
        }
    }

    @Test func `Cancelling the task ends a wait for reconnection`() async throws {
        let isWaiting = Signal()
        let time = TimeSource(now: { .zero }, date: { Date() }) { _ in
            isWaiting.fire()
            try await Task.sleep(for: .seconds(1000))
        }
        let (client, _) = makeClient(eventStream("data: a\n\n")) { $0.retryTime = time }
        let reading = Task { for try await _ in client.events(request: makeRequest()) {} }
        try await isWaiting.wait()
        reading.cancel()
        let error = await #expect(throws: EventStreamError.self) { try await reading.value }
        #expect(error?.isCancellation == true)
    }

    @Test(arguments: [HttpMethod.post, .patch])
    func `A POST or PATCH request is sent once, and the stream ends with its response`(method: HttpMethod)
        async throws
    {
        let (events, server, _) = try await readEvents(eventStream("data: a\n\n")) { $0.setMethod(method) }
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test func `Without reconnection the stream ends with its connection`() async throws {
        let options = EventStreamOptions.make { $0.reconnects = false }
        let (events, server, time) = try await readEvents(options: options, eventStream("data: a\n\n"))
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 1)
        #expect(time.sleeps.isEmpty)
        let cut = eventStream("data: a\n\ndata: b\n\n").with(.cut(after: 9))
        let (broken, _, _) = await eventOutcome(of: [cut], options: options)
        #expect(broken.map(\.data) == ["a"])
        #expect(broken.error.map { caseName(of: $0.reason) } == "network")
    }
}
